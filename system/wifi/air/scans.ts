import type { IwNeighbour } from "../iw/schema.ts";

/** Radios whose last scan is remembered. */
const MAX_SCANS = 64;

/** What a radio received, and when, in unix milliseconds. */
export interface AirScan {
  readonly at: number;
  readonly items: readonly IwNeighbour[];
}

/** The last scan of each radio. */
export class AirScans {
  readonly #last = new Map<string, AirScan>();

  of(radio: string): AirScan | null {
    return this.#last.get(radio) ?? null;
  }

  take(radio: string, scan: AirScan): void {
    this.#last.delete(radio);
    this.#last.set(radio, scan);
    if (this.#last.size > MAX_SCANS) this.#last.delete(this.#last.keys().next().value!);
  }
}
