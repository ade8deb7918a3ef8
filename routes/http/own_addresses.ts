import type { Desired } from "../../system/core/kernel/desired.ts";
import { ownAddresses } from "../../system/core/net/own_addresses.ts";

/** Milliseconds for which a previewed address may still be probed. */
const REMEMBERED = 15 * 60 * 1000;
/** Most addresses that one answer names. */
const MAX_ADDRESSES = 32;

/** The addresses at which the router answers, or will once a previewed change is active. */
export class OwnAddresses {
  readonly #desired: () => Pick<Desired, "addresses" | "facts">;
  readonly #now: () => number;
  #foreseen: { readonly addresses: readonly string[]; readonly at: number } | null = null;

  constructor(desired: () => Pick<Desired, "addresses" | "facts">, now: () => number) {
    this.#desired = desired;
    this.#now = now;
  }

  /** A preview showed that the router will have these; the last preview counts. */
  foresee(addresses: readonly string[]): void {
    const today = new Set(ownAddresses(this.#desired()));
    const fresh = addresses.filter((address) => !today.has(address));
    if (fresh.length > 0) this.#foreseen = { addresses: fresh, at: this.#now() };
  }

  list(): readonly string[] {
    const today = ownAddresses(this.#desired());
    const foreseen = this.#foreseen;
    const later = foreseen !== null && this.#now() - foreseen.at < REMEMBERED
      ? foreseen.addresses
      : [];
    return [...new Set([...later, ...today])].slice(0, MAX_ADDRESSES);
  }
}
