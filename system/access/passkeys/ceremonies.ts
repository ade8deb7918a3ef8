import { Problem } from "../../core/errors/problem.ts";
import { base64url, type RandomBytes } from "../digest.ts";
import { sourceKey } from "../../core/net/net.ts";
import type { RelyingParty } from "./relying_party.ts";

/** Milliseconds that a passkey ceremony may take, and how many may be pending. */
export const CEREMONY_LIMITS = { lasts: 3 * 60_000, most: 32, perSource: 4 } as const;

/** The purpose of a passkey ceremony. */
export type CeremonyKind = "register" | "validate" | "login";

/** A ceremony that awaits the browser's response. */
export interface Ceremony {
  readonly kind: CeremonyKind;
  /** Source address that began it. */
  readonly source: string;
  /** Null: the owner of the passkey, any user. */
  readonly user: string | null;
  /** base64url */
  readonly challenge: string;
  readonly party: RelyingParty;
  /** Of a registration: what the passkey will be called. */
  readonly name: string;
  /** Of a registration: the user's name for the authenticator, base64url. */
  readonly handle: string;
}

/** Pending ceremonies; in memory only, each completed once, by the source that began it. */
export class Ceremonies {
  readonly #now: () => number;
  readonly #random: RandomBytes;
  readonly #pending = new Map<string, { readonly ceremony: Ceremony; readonly at: number }>();

  /** `now` is unix milliseconds. */
  constructor(now: () => number, random: RandomBytes) {
    this.#now = now;
    this.#random = random;
  }

  /** Returns the ID of the ceremony. Throws Problem 429. */
  begin(ceremony: Ceremony): string {
    this.#expire();
    const key = sourceKey(ceremony.source);
    const all = [...this.#pending.values()];
    const own = all.filter((one) => sourceKey(one.ceremony.source) === key);
    if (own.length >= CEREMONY_LIMITS.perSource) {
      throw this.#busy("This address has begun too many passkey ceremonies", own[0]!.at);
    }
    if (all.length >= CEREMONY_LIMITS.most) {
      throw this.#busy("Too many passkey ceremonies are under way", all[0]!.at);
    }
    const id = base64url(this.#random(32));
    this.#pending.set(id, { ceremony, at: this.#now() });
    return id;
  }

  /** Removes and returns a pending ceremony of this kind, source and user; null without one. */
  take(
    id: string,
    answer: Pick<Ceremony, "kind" | "source" | "user">,
  ): Ceremony | null {
    this.#expire();
    const ceremony = this.#pending.get(id)?.ceremony;
    if (
      ceremony === undefined || ceremony.kind !== answer.kind || ceremony.user !== answer.user ||
      sourceKey(ceremony.source) !== sourceKey(answer.source)
    ) return null;
    this.#pending.delete(id);
    return ceremony;
  }

  #expire(): void {
    const now = this.#now();
    for (const [id, { at }] of this.#pending) {
      if (Math.abs(now - at) >= CEREMONY_LIMITS.lasts) this.#pending.delete(id);
    }
  }

  #busy(what: string, since: number): Problem {
    const wait = Math.max(1, Math.ceil((since + CEREMONY_LIMITS.lasts - this.#now()) / 1000));
    return new Problem(429, `${what}; finish one, or try again in ${wait} s`, {
      headers: { "retry-after": String(wait) },
    });
  }
}
