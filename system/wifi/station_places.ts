import type { StationReport } from "./access_point/ports.ts";
import { radioOf } from "./client_rules.ts";

type Joined = Pick<Extract<StationReport, { kind: "connected" }>, "mac" | "network" | "seconds">;

interface Place {
  readonly network: string;
  /** Monotonic milliseconds. */
  readonly since: number;
}

/**
 * The network that each station is on, of all radios. A station that changes radios does not sign out of
 * its old one, and each radio has a hostapd of its own, which would keep it for minutes.
 */
export class StationPlaces {
  readonly #places = new Map<string, Place>();

  /**
   * A station is on a network, as of now in monotonic milliseconds. Answers the network that it is not on
   * any more: its former one, or this one where that was joined earlier; null none. A radio's own hostapd
   * looks after its networks.
   */
  joined({ mac, network, seconds }: Joined, now: number): string | null {
    const place = { network, since: now - seconds * 1000 };
    const before = this.#places.get(mac);
    if (before === undefined || radioOf(before.network) === radioOf(network)) {
      this.#places.set(mac, place);
      return null;
    }
    if (before.since > place.since) return network;
    this.#places.set(mac, place);
    return before.network;
  }

  /** A station is not on a network any more. */
  left({ mac, network }: Pick<Joined, "mac" | "network">): void {
    if (this.#places.get(mac)?.network === network) this.#places.delete(mac);
  }
}
