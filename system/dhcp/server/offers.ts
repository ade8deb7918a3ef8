import type { Config } from "../../config.ts";
import { parseIpv4 } from "../../core/net/net.ts";
import { identityOfMac } from "../../devices/mac_owner.ts";
import { freeAddress, isFree, validAddress } from "../leases/lease_rules.ts";
import { Reservations } from "../leases/reservations.ts";

/** Milliseconds for which a declined address is not leased. */
export const DECLINED_MS = 10 * 60_000;
/** Declined addresses; the oldest is dropped, so that no client can decline a whole pool. */
const MAX_DECLINED = 16;

/** A search for an address for a client. */
export interface AddressSearch {
  readonly mac: string;
  /** Its preference; "" for any. */
  readonly wanted: string;
  /** Addresses reserved for others. */
  readonly reserved: readonly number[];
  /** Monotonic milliseconds. */
  readonly now: number;
}

/**
 * Addresses that were offered and not yet requested. An offer is in memory only, and the oldest is
 * withdrawn when no other address is free, so that clients that only discover exhaust no pool.
 */
export class Offers {
  readonly #offers = new Reservations();
  readonly #declined = new Map<number, number>();

  /** The address that a client has and may keep, or null. */
  currentAddress(config: Config, mac: string, now: number): string | null {
    const recent = config.devices[identityOfMac(config, mac)]?.RecentIP ?? "";
    const address = parseIpv4(recent);
    if (address === null || this.#isDeclined(address, now)) return null;
    return validAddress(config, recent);
  }

  /** An address for a client that has none; null when no address is free. */
  find(config: Config, { mac, wanted, reserved, now }: AddressSearch): number | null {
    const declined = [...this.#declined.keys()].filter((one) => this.#isDeclined(one, now));
    const out = [...reserved, ...declined];
    const taken = [...out, ...this.#offers.reservedByOthers(mac, now)];
    const liked = [parseIpv4(wanted), this.#offers.get(mac, now)]
      .find((address) => address !== null && !taken.includes(address) && isFree(config, address));
    const found = liked ?? freeAddress(config, taken);
    if (found !== null) return found;
    // Only open offers are in the way.
    const free = freeAddress(config, out);
    if (free === null) return null;
    for (const holder of this.#offers.holders()) {
      const address = this.#offers.get(holder, now);
      if (address === null || out.includes(address) || !isFree(config, address)) continue;
      this.#offers.release(holder);
      return address;
    }
    return null;
  }

  /** Offers an address to a client. */
  offer(mac: string, address: number, now: number): void {
    this.#offers.reserve(mac, address, now);
  }

  /** The address offered to this client, or null. */
  offeredTo(mac: string, now: number): number | null {
    return this.#offers.get(mac, now);
  }

  /** The client has its address, or another. */
  end(mac: string): void {
    this.#offers.release(mac);
  }

  /** An address is in use by another machine: it is not leased for a while. */
  decline(address: number, now: number): void {
    this.#declined.delete(address);
    this.#declined.set(address, now + DECLINED_MS);
    const oldest = this.#declined.keys().next().value;
    if (this.#declined.size > MAX_DECLINED && oldest !== undefined) this.#declined.delete(oldest);
  }

  #isDeclined(address: number, now: number): boolean {
    return (this.#declined.get(address) ?? 0) > now;
  }
}
