import type { Bus } from "../core/events/bus.ts";
import type { NoticeBoard } from "../core/events/notice.ts";
import type { RadioReport, RadioState } from "./plan_schema.ts";

/** Kind of the notice about a radio that is not as its settings say. */
const PROBLEM = "wifi-radio";

/** What wifid last reported of the radios. */
export class RadioStates {
  readonly #bus: Pick<Bus, "publish">;
  readonly #notices: NoticeBoard;
  #states: ReadonlyMap<string, RadioState> = new Map();
  #present = "";

  constructor(deps: { readonly bus: Pick<Bus, "publish">; readonly notices: NoticeBoard }) {
    this.#bus = deps.bus;
    this.#notices = deps.notices;
  }

  /** State of a radio; undefined for one that is not on. */
  of(name: string): RadioState | undefined {
    return this.#states.get(name);
  }

  /** Takes a report: opens a notice for each radio with a problem, and resolves those that are gone. */
  async take({ items, present }: RadioReport): Promise<void> {
    const before = this.#states;
    const isOther = this.#present !== present.join();
    this.#present = present.join();
    if (isOther) this.#bus.publish("radio:present", { names: present });
    this.#states = new Map(items.map((item) => [item.name, item]));
    for (const item of items) {
      const text = noticeText(item);
      if (text === null) await this.#notices.settle(PROBLEM, item.name);
      else await this.#notices.open(PROBLEM, text, { subject: item.name, link: item.name });
      if (JSON.stringify(before.get(item.name)) !== JSON.stringify(item)) {
        this.#bus.publish("radio", { ...item });
      }
    }
    for (const name of before.keys()) {
      if (!this.#states.has(name)) await this.#notices.settle(PROBLEM, name);
    }
  }
}

/** What is wrong with a radio, for people; null where it is as it should be. */
function noticeText({ name, state, problem }: RadioState): string | null {
  const text = problem === "" ? "" : ` (hostapd: ${problem})`;
  if (state === "renamed") {
    return `The radio that is now ${name} was ${problem} before, so it does not work with the ` +
      `settings of ${name}. To use them for it, turn ${name} off and on again`;
  }
  if (state === "missing") return `The radio ${name} is not there: it was unplugged or renamed`;
  if (state === "failsafe") {
    return `The radio ${name} could not be started with its settings and runs with safe ones${text}`;
  }
  if (state === "refused") {
    return `The settings of the radio ${name} were not accepted; the last ones that worked stay${text}`;
  }
  return null;
}
