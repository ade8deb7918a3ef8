import { nameText } from "../codec/name.ts";
import { TYPE } from "../codec/constants.ts";
import type { Asked } from "./fallback.ts";
import type { TellAnswered, UpstreamGroup, UpstreamState } from "./group.ts";
import type { Question } from "./upstream_query.ts";

/** Names of time servers that machines ask for by themselves, each with all that is below it. */
const TIME_SERVERS: readonly string[] = [
  // Debian, Ubuntu, Android and most others have names of their own below the first.
  ...["pool.ntp.org", "ntp.ubuntu.com", "time.cloudflare.com", "time.windows.com"],
  ...["time.google.com", "time1.google.com", "time2.google.com", "time3.google.com"],
  ...["time4.google.com", "time.android.com", "time.apple.com", "time-ios.apple.com"],
  ...["time-macos.apple.com", "time.euro.apple.com", "time.asia.apple.com", "time.nist.gov"],
  ...["time.facebook.com", "nts.netnod.se", "ptbtime1.ptb.de", "ptbtime2.ptb.de"],
];

/** True for why a connection failed when the dates of its certificate do not fit the router's clock. */
export function isDateFault(words: string | null): boolean {
  return words !== null &&
    /certificate (expired|not valid yet)|\b(Expired|NotValidYet)\b/.test(words);
}

/**
 * True when no resolver answers and one of them is not believed for its certificate's dates: either it
 * is too old, or the router's clock is wrong, as it is at the start of a machine that keeps no time.
 */
export function doubtsClock(resolvers: readonly UpstreamState[]): boolean {
  return resolvers.every(({ state, failures }) => state !== "up" || failures > 0) &&
    resolvers.some(({ failures, lastError }) => failures > 0 && isDateFault(lastError));
}

/** True for a question for the address of a time server. The name is on the wire, in lower case. */
export function asksForTime({ name, type }: Pick<Question, "name" | "type">): boolean {
  if (type !== TYPE.A && type !== TYPE.AAAA) return false;
  const text = nameText(name).slice(0, -1);
  return TIME_SERVERS.some((server) => text === server || text.endsWith(`.${server}`));
}

/**
 * Asks resolvers over TLS, and the same ones in the open for the addresses of time servers alone, as
 * long as the dates of certificates do not fit the router's clock: without them it would never be
 * right. What is heard so is not remembered. Who stands in the way brings this about with any old
 * certificate, since its dates are looked at before its name and authority: he gains the addresses of
 * time servers, whose answers he could forge anyway, and no more.
 */
export class ClockDoubt implements Asked {
  readonly #secure: UpstreamGroup;
  readonly #make: () => UpstreamGroup;
  #open: UpstreamGroup | null = null;

  /** `open`: makes the same resolvers without TLS. */
  constructor(secure: UpstreamGroup, open: () => UpstreamGroup) {
    this.#secure = secure;
    this.#make = open;
  }

  get state(): readonly UpstreamState[] {
    return this.#secure.state;
  }

  get isDown(): boolean {
    return this.#secure.isDown;
  }

  probe(question: Question): void {
    this.#secure.probe(question);
  }

  ask(question: Question, told: TellAnswered): void {
    this.#secure.ask(question, (answered, error) => {
      const inOpen = answered === null && asksForTime(question) && doubtsClock(this.state);
      if (!inOpen) return told(answered, error);
      this.#open ??= this.#make();
      this.#open.ask(
        question,
        (heard, why) => told(heard === null ? null : { ...heard, fleeting: true }, why),
      );
    });
  }

  close(): void {
    this.#secure.close();
    this.#open?.close();
  }
}
