import assert from "node:assert/strict";
import type { Locator } from "playwright";

/** Counts what a person presses with the mouse on the way through a job. */
export class Clicks {
  #made = 0;

  /** Presses once. */
  async on(target: Locator): Promise<void> {
    this.#made++;
    await target.click();
  }

  /** Counts a press that the browser itself takes, such as on an option of a choice. */
  also(): void {
    this.#made++;
  }

  /** Fails where the job took more presses than this. */
  atMost(limit: number): void {
    assert.ok(this.#made <= limit, `${this.#made} clicks, at most ${limit}`);
  }
}
