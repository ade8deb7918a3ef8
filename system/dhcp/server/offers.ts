import type { Config } from "../../config.ts";
import { parseIpv4 } from "../../core/net/net.ts";
import { identityOfMac } from "../../devices/card.ts";
import { freeAddress, isFree, keptAddress } from "../leases/lease_rules.ts";
import { Reservations } from "../leases/reservations.ts";

/** Milliseconds for which an address that a client found in use is not given away: ten minutes. */
export const DECLINED_FOR = 10 * 60_000;
/** Most such addresses; the oldest gives way, so that a stranger cannot declare a pool used. */
const MOST_DECLINED = 16;

/** Who is to have an address, and when (milliseconds of a clock that nobody sets). */
export interface Seeker {
  readonly mac: string;
  /** What it would like; "" for anything. */
  readonly wanted: string;
  /** Addresses set aside for others. */
  readonly reserved: readonly number[];
  readonly now: number;
}

/**
 * Addresses that were offered and not yet asked for. An offer binds nobody: it lives in memory, and
 * the oldest gives way when nothing else is left, so that those who only discover use no pool up.
 */
export class Offers {
  readonly #promised = new Reservations();
  readonly #declined = new Map<number, number>();

  /** The address that a client has already and may keep, or null. */
  kept(config: Config, mac: string, now: number): string | null {
    const recent = config.devices[identityOfMac(config, mac)]?.RecentIP ?? "";
    const address = parseIpv4(recent);
    if (address === null || this.#isDeclined(address, now)) return null;
    return keptAddress(config, recent);
  }

  /** An address for a client that keeps none; null when there is none. */
  find(config: Config, { mac, wanted, reserved, now }: Seeker): number | null {
    const declined = [...this.#declined.keys()].filter((one) => this.#isDeclined(one, now));
    const out = [...reserved, ...declined];
    const taken = [...out, ...this.#promised.taken(mac, now)];
    const liked = [parseIpv4(wanted), this.#promised.of(mac, now)]
      .find((address) => address !== null && !taken.includes(address) && isFree(config, address));
    const found = liked ?? freeAddress(config, taken);
    if (found !== null) return found;
    // Only offers stand between the client and an address.
    const free = freeAddress(config, out);
    if (free === null) return null;
    for (const holder of this.#promised.holders()) {
      const address = this.#promised.of(holder, now);
      if (address === null || out.includes(address) || !isFree(config, address)) continue;
      this.#promised.release(holder);
      return address;
    }
    return null;
  }

  /** Offers an address to a client. */
  hold(mac: string, address: number, now: number): void {
    this.#promised.hold(mac, address, now);
  }

  /** The address offered to this client, or null. */
  of(mac: string, now: number): number | null {
    return this.#promised.of(mac, now);
  }

  /** The client has its address, or another. */
  end(mac: string): void {
    this.#promised.release(mac);
  }

  /** Somebody uses an address without being asked: it is given to nobody for a while. */
  decline(address: number, now: number): void {
    this.#declined.delete(address);
    this.#declined.set(address, now + DECLINED_FOR);
    const oldest = this.#declined.keys().next().value;
    if (this.#declined.size > MOST_DECLINED && oldest !== undefined) this.#declined.delete(oldest);
  }

  #isDeclined(address: number, now: number): boolean {
    return (this.#declined.get(address) ?? 0) > now;
  }
}
