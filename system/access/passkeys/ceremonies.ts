import { Problem } from "../../core/errors/problem.ts";
import { base64url, type RandomBytes } from "../digest.ts";
import { sourceKey } from "../password/failures.ts";
import type { RelyingParty } from "./relying_party.ts";

/** Milliseconds that a passkey ceremony may take, and how many may be under way. */
export const CEREMONY_LIMITS = { lasts: 3 * 60_000, most: 32, perSource: 4 } as const;

/** What a passkey is asked for. */
export type CeremonyKind = "register" | "validate" | "login";

/** A ceremony that waits for the browser's answer. */
export interface Ceremony {
  readonly kind: CeremonyKind;
  /** Address that began it. */
  readonly source: string;
  /** Null: whoever the passkey belongs to. */
  readonly user: string | null;
  /** base64url */
  readonly challenge: string;
  readonly party: RelyingParty;
  /** Of a registration: what the passkey will be called. */
  readonly name: string;
  /** Of a registration: the user's name for the authenticator, base64url. */
  readonly handle: string;
}

/** Ceremonies under way; in memory only, each answered once, by the kind and source that began it. */
export class Ceremonies {
  readonly #now: () => number;
  readonly #random: RandomBytes;
  readonly #pending = new Map<string, { readonly ceremony: Ceremony; readonly at: number }>();

  /** `now` is unix milliseconds. */
  constructor(now: () => number, random: RandomBytes) {
    this.#now = now;
    this.#random = random;
  }

  /** Answers the name under which the ceremony goes on. Throws Problem 429. */
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

  /** Takes a ceremony out; null unless it is under way, of this kind, source and user. */
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
