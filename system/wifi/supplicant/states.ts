import type { Bus } from "../../core/events/bus.ts";
import type { NoticeBoard } from "../../core/events/notice.ts";
import type { SupplicantReport, SupplicantState } from "./schema.ts";

/** Kind of the notice about an uplink that does not connect. */
const PROBLEM = "wifi-uplink";

/** What wifid last reported of the uplinks by Wi-Fi. */
export class SupplicantStates {
  readonly #bus: Pick<Bus, "publish">;
  readonly #notices: NoticeBoard;
  #states: ReadonlyMap<string, SupplicantState> = new Map();
  /** The words of the open notices. */
  readonly #said = new Map<string, string>();

  constructor(deps: { readonly bus: Pick<Bus, "publish">; readonly notices: NoticeBoard }) {
    this.#bus = deps.bus;
    this.#notices = deps.notices;
  }

  of(name: string): SupplicantState | undefined {
    return this.#states.get(name);
  }

  /** Takes a report: opens a notice for each uplink that does not connect, and resolves the others. */
  async take({ items }: SupplicantReport): Promise<void> {
    const before = this.#states;
    this.#states = new Map(items.map((item) => [item.name, item]));
    for (const item of items) {
      await this.#say(item.name, noticeText(item));
      if (JSON.stringify(before.get(item.name)) !== JSON.stringify(item)) {
        this.#bus.publish("uplink:wifi", { ...item });
      }
    }
    for (const name of before.keys()) {
      if (!this.#states.has(name)) await this.#say(name, null);
    }
  }

  /** Opens a notice once for the same words: it searches again and again. */
  async #say(name: string, text: string | null): Promise<void> {
    if (text === null) {
      this.#said.delete(name);
      return await this.#notices.settle(PROBLEM, name);
    }
    if (this.#said.get(name) === text) return;
    this.#said.set(name, text);
    await this.#notices.open(PROBLEM, text, { subject: name, link: name });
  }
}

/** What is wrong with an uplink, for people; null where it connects or may yet. */
function noticeText({ name, state, problem }: SupplicantState): string | null {
  if (state === "missing") return `The radio ${name} is not there: it was unplugged or renamed`;
  if (problem === "") return null;
  return `The Wi-Fi uplink ${name} is not connected: ${problem}`;
}
