import { nameText } from "../codec/name.ts";
import { TYPE } from "../codec/constants.ts";
import type { Upstream } from "./fallback.ts";
import type { UpstreamCallback, UpstreamGroup, UpstreamState } from "./group.ts";
import type { UpstreamQuery } from "./upstream_query.ts";

/** Time servers that systems use by default, each with its subdomains. */
const TIME_SERVERS: readonly string[] = [
  // Debian, Ubuntu, Android and most others have names of their own below the first.
  ...["pool.ntp.org", "ntp.ubuntu.com", "time.cloudflare.com", "time.windows.com"],
  ...["time.google.com", "time1.google.com", "time2.google.com", "time3.google.com"],
  ...["time4.google.com", "time.android.com", "time.apple.com", "time-ios.apple.com"],
  ...["time-macos.apple.com", "time.euro.apple.com", "time.asia.apple.com", "time.nist.gov"],
  ...["time.facebook.com", "nts.netnod.se", "ptbtime1.ptb.de", "ptbtime2.ptb.de"],
];

/** True for the error of a connection whose certificate has expired or is not valid yet by the router's clock. */
export function isCertificateDateError(message: string | null): boolean {
  return message !== null &&
    /certificate (expired|not valid yet)|\b(Expired|NotValidYet)\b/.test(message);
}

/**
 * True when no resolver responds and one of them has a certificate date error: either its certificate
 * has expired, or the router's clock is wrong, as after the start of a machine without a battery.
 */
export function isClockUntrusted(resolvers: readonly UpstreamState[]): boolean {
  return resolvers.every(({ state, consecutiveFailures }) =>
    state !== "up" || consecutiveFailures > 0
  ) &&
    resolvers.some(({ consecutiveFailures, lastError }) =>
      consecutiveFailures > 0 && isCertificateDateError(lastError)
    );
}

/** True for a query for the address of a time server. The name is in wire format, in lower case. */
export function isTimeServerQuery({ name, type }: Pick<UpstreamQuery, "name" | "type">): boolean {
  if (type !== TYPE.A && type !== TYPE.AAAA) return false;
  const text = nameText(name).slice(0, -1);
  return TIME_SERVERS.some((server) => text === server || text.endsWith(`.${server}`));
}

/**
 * Resolvers over TLS that are queried unencrypted for addresses of time servers alone, while the clock
 * is untrusted: without them it would never be right. Those responses are not cached. An attacker on
 * the path can bring this about with any expired certificate, since its dates are checked before its
 * name and CA: he gains the addresses of time servers, which he could forge anyway, and no more.
 */
export class TimeServerFallback implements Upstream {
  readonly #secure: UpstreamGroup;
  readonly #createPlain: () => UpstreamGroup;
  #plain: UpstreamGroup | null = null;

  /** `createPlain`: creates the same resolvers without TLS. */
  constructor(secure: UpstreamGroup, createPlain: () => UpstreamGroup) {
    this.#secure = secure;
    this.#createPlain = createPlain;
  }

  get state(): readonly UpstreamState[] {
    return this.#secure.state;
  }

  get isDown(): boolean {
    return this.#secure.isDown;
  }

  probe(query: UpstreamQuery): void {
    this.#secure.probe(query);
  }

  query(query: UpstreamQuery, done: UpstreamCallback): void {
    this.#secure.query(query, (result, error) => {
      const usesPlain = result === null && isTimeServerQuery(query) && isClockUntrusted(this.state);
      if (!usesPlain) return done(result, error);
      this.#plain ??= this.#createPlain();
      this.#plain.query(
        query,
        (plain, plainError) =>
          done(plain === null ? null : { ...plain, uncacheable: true }, plainError),
      );
    });
  }

  close(): void {
    this.#secure.close();
    this.#plain?.close();
  }
}
