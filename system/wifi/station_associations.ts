import type { StationReport } from "./access_point/ports.ts";
import { radioOf } from "./client_rules.ts";

type Joined = Pick<Extract<StationReport, { kind: "connected" }>, "mac" | "network" | "seconds">;

interface Association {
  readonly network: string;
  /** Monotonic milliseconds. */
  readonly since: number;
}

/**
 * The network that each station is on, of all radios. A station that changes radios does not sign out of
 * its old one, and each radio has a hostapd of its own, which would keep it for minutes.
 */
export class StationAssociations {
  readonly #associations = new Map<string, Association>();

  /**
   * A station is on a network, as of now in monotonic milliseconds. Answers the network that it is not on
   * any more: its former one, or this one where that was joined earlier; null none. A radio's own hostapd
   * looks after its networks.
   */
  joined({ mac, network, seconds }: Joined, now: number): string | null {
    const association = { network, since: now - seconds * 1000 };
    const before = this.#associations.get(mac);
    if (before === undefined || radioOf(before.network) === radioOf(network)) {
      this.#associations.set(mac, association);
      return null;
    }
    if (before.since > association.since) return network;
    this.#associations.set(mac, association);
    return before.network;
  }

  /** A station is not on a network any more. */
  left({ mac, network }: Pick<Joined, "mac" | "network">): void {
    if (this.#associations.get(mac)?.network === network) this.#associations.delete(mac);
  }
}
