import type { Config } from "../../config.ts";
import type { Caller, ChangeEngine, Observations } from "../../core/engine/change.ts";
import { left, renamed, sighted } from "../../devices/observation.ts";
import { hostName } from "../../dhcp/leases/lease_rules.ts";
import type { Reservations } from "../../dhcp/leases/reservations.ts";
import { requirePeerKey } from "../key_rules.ts";
import { removePeer, upsertPeer } from "./rules.ts";
import type { PeerRemoval, PeerUpdate } from "./peer_report_schema.ts";

/** Dependencies of {@link createPeers}. */
export interface PeersDeps {
  readonly engine: Pick<ChangeEngine<Config>, "config" | "observed" | "change" | "observe">;
  /** Addresses reserved for future peers. */
  readonly reservations: Reservations;
  /** Unix milliseconds. */
  readonly now: () => number;
}

/** Handles updates of VPN peers. Both throw Problem. */
export interface Peers {
  update(update: PeerUpdate): Promise<void>;
  remove(removal: PeerRemoval): Promise<void>;
}

const CALLER: Caller = { by: "wireguard", from: null, connection: null };

/** Creates the peer updates over an engine. */
export function createPeers({ engine, reservations, now }: PeersDeps): Peers {
  async function update(sent: PeerUpdate): Promise<void> {
    const name = hostName(sent.Name);
    requirePeerKey(engine.config, sent.PublicKey, "/PublicKey");
    const [, expected] = upsertPeer(engine.config, peer(sent, name));
    const observe = (observed: Observations): Observations => {
      const { before, identity } = expected;
      const moved = before === null || before === identity
        ? observed
        : renamed(observed, before, identity);
      return sent.Iface === ""
        ? moved
        : sighted(moved, { identity, at: now(), link: sent.Iface, online: false });
    };
    await engine.change({
      kind: "wireguard.update",
      summary: `Automatic: added the VPN peer ${name || sent.IP}`,
      reduce: (config) => upsertPeer(config, peer(sent, name)),
    }, { caller: CALLER, observation: true, observe });
    reservations.release(sent.PublicKey);
  }

  async function remove({ PublicKey }: PeerRemoval): Promise<void> {
    const outcome = await engine.change({
      kind: "wireguard.remove",
      summary: "Automatic: removed a VPN peer",
      reduce: (config) => removePeer(config, PublicKey),
    }, { caller: CALLER, observation: true });
    const link = engine.observed.devices[outcome.result]?.link ?? "";
    await engine.observe((observed) => left(observed, outcome.result, link));
  }

  return { update, remove };
}

function peer(sent: PeerUpdate, name: string) {
  return { key: sent.PublicKey, ip: sent.IP, name };
}
