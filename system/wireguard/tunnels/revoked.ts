import { createHash } from "node:crypto";
import type { Config } from "../../config.ts";
import { onceEach } from "../../core/config/memo.ts";
import type { Observations, TunnelObservation } from "../../core/engine/change.ts";
import { TUNNEL } from "../schema.ts";
import type { PlannedPeer, PlannedTunnel, TunnelReport } from "./plan_schema.ts";
import { plannedTunnels } from "./planned_tunnels.ts";

/*
 * A revoked key has no access from the moment of its revocation, whether or not the process `wireguard`
 * is there to take it off the tunnel: until that process reports that it did, the firewall lets nothing
 * pass at the addresses which the tunnel takes from the key.
 */

/** Stands for every address behind a site or another router of a mesh: its tunnel has no other peer. */
const ALL = "*";

type Tunnels = NonNullable<Observations["tunnels"]>;

const NOTHING: TunnelObservation = { peers: {}, revoked: [] };

/** Peers with their addresses, by tunnel. */
const peersOf = onceEach((planned: readonly PlannedTunnel[]) =>
  new Map(planned.map((tunnel) => [
    tunnel.name,
    Object.fromEntries(
      tunnel.peers.map((peer) => [digestOf(tunnel, peer), addressesOf(tunnel, peer)]),
    ),
  ]))
);

/** What tells a peer of a tunnel from one with any other key; says nothing of the keys. */
function digestOf({ privateKey }: PlannedTunnel, { publicKey, presharedKey }: PlannedPeer): string {
  return createHash("sha256").update(`${privateKey} ${publicKey} ${presharedKey}`)
    .digest("base64url");
}

/** The networks of a site may change while its key stays: rules and routes go by them at once. */
function addressesOf({ name }: PlannedTunnel, { allowedIps }: PlannedPeer): readonly string[] {
  return name === TUNNEL ? allowedIps.map((network) => network.split("/")[0]!) : [ALL];
}

/**
 * Records which peers are planned; what was planned before, and is not, is revoked. The same object
 * where nothing differs. Pure.
 */
export function withPlannedPeers(
  config: Pick<Config, "wireguard" | "devices" | "mesh">,
  observed: Observations,
): Observations {
  const planned = peersOf(plannedTunnels(config)), known = observed.tunnels ?? {};
  const next = Object.entries({ ...known, ...Object.fromEntries(planned) }).map(([name]) => {
    const before = known[name] ?? NOTHING, peers = planned.get(name) ?? NOTHING.peers;
    return [name, isSame(before.peers, peers) ? before : revoked(before, peers)] as const;
  });
  if (next.every(([name, one]) => known[name] === one)) return observed;
  return { ...observed, tunnels: Object.fromEntries(next) };
}

function revoked(before: TunnelObservation, peers: TunnelObservation["peers"]): TunnelObservation {
  const lost = Object.entries(before.peers).flatMap(([digest, addresses]) =>
    addresses.filter((address) => !peers[digest]?.includes(address))
  );
  return { peers, revoked: [...new Set([...before.revoked, ...lost])] };
}

function isSame(one: TunnelObservation["peers"], other: TunnelObservation["peers"]): boolean {
  if (one === other) return true;
  const names = Object.keys(one);
  return names.length === Object.keys(other).length &&
    names.every((name) => one[name]!.join() === other[name]?.join());
}

/**
 * Takes in that the tunnels run as they are planned: what the report shows to be gone is revoked no
 * more. The same object where that is nothing new. Pure.
 */
export function withoutRevoked(
  observed: Observations,
  planned: readonly PlannedTunnel[],
  { items }: Pick<TunnelReport, "items">,
): Observations {
  const next = Object.entries(observed.tunnels ?? {}).map(([name, one]) => {
    const tunnel = planned.find((other) => other.name === name);
    const keys = new Set(tunnel?.peers.map(({ publicKey }) => publicKey));
    const state = items.find((item) => item.name === name);
    // Of one that failed it is not known what it holds.
    const holds = state === undefined
      ? tunnel !== undefined
      : state.backend === "" || state.peers.some(({ publicKey }) => !keys.has(publicKey));
    return [name, holds || one.revoked.length === 0 ? one : { ...one, revoked: [] }] as const;
  });
  const isNews = next.some(([name, one]) => observed.tunnels![name] !== one);
  return isNews ? { ...observed, tunnels: Object.fromEntries(next) } : observed;
}

/** Addresses that the tunnel of the peers may still take from revoked keys. */
export function revokedAddresses(tunnels: Observations["tunnels"]): ReadonlySet<string> {
  return addressSet(tunnels?.[TUNNEL] ?? NOTHING);
}

const addressSet = onceEach(({ revoked }: TunnelObservation): ReadonlySet<string> =>
  new Set(revoked)
);

/** The interfaces of sites, and tunnels of a mesh, that may still have revoked keys. */
export const revokedSites = onceEach((tunnels: Tunnels): ReadonlySet<string> =>
  new Set(
    Object.entries(tunnels).filter(([name, { revoked }]) => name !== TUNNEL && revoked.length > 0)
      .map(([name]) => name),
  )
);
