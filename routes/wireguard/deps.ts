import type { Config } from "../../system/config.ts";
import type { ChangeEngine } from "../../system/core/engine/change.ts";
import type { Reservations } from "../../system/dhcp/leases/reservations.ts";
import { hostsOf } from "../../system/dyndns/rules.ts";
import { leasedNetworks } from "../../system/uplink/leases.ts";
import { reachedAt } from "../../system/wireguard/files/client_config.ts";
import { KEY_BYTES, presharedKey, privateKey } from "../../system/wireguard/keys.ts";
import { tunnelMtu } from "../../system/wireguard/plan.ts";
import type { Tunnels } from "../../system/wireguard/tunnels/tunnels.ts";

/** Dependencies of the routes of the VPN. */
export interface WireguardDeps {
  readonly engine: Pick<ChangeEngine<Config>, "config" | "desired" | "observe" | "observed">;
  readonly tunnels: Tunnels;
  /** Addresses reserved for peers to come. */
  readonly reservations: Reservations;
  readonly random: (length: number) => Uint8Array;
  /** Monotonic milliseconds. */
  readonly steady: () => number;
}

/** What is common to all routes of the VPN. */
export const VPN = { tag: "VPN", access: "auth", document: "wireguard" } as const;

type Facts = Pick<WireguardDeps, "engine">;

/** A fresh private key. */
export function drawPrivateKey({ random }: Pick<WireguardDeps, "random">): string {
  return privateKey(random(KEY_BYTES));
}

/** A fresh preshared key. */
export function drawPresharedKey({ random }: Pick<WireguardDeps, "random">): string {
  return presharedKey(random(KEY_BYTES));
}

/** The router's IPv4 addresses on uplinks, in their order. */
export function uplinkAddresses({ engine }: Facts): readonly string[] {
  return (engine.desired.facts?.uplinks ?? []).flatMap(({ address }) =>
    address === null ? [] : [address.split("/")[0]!]
  );
}

/** Where the tunnel on a port of this router is reached from outside; "" where that is not known. */
export function endpointOf({ engine }: Facts, port: number, sent = ""): string {
  return reachedAt({
    sent,
    endpoints: engine.config.wireguard.Endpoints,
    names: engine.config.dyndns.provider === ""
      ? []
      : hostsOf(engine.config.dyndns).map(({ host }) => host).filter((host) =>
        !host.startsWith("*")
      ),
    addresses: uplinkAddresses({ engine }),
    port,
  });
}

/** The MTU of a tunnel for which this one was chosen. */
export function currentMtu({ engine }: Facts, chosen: number): number {
  return tunnelMtu(chosen, engine.desired.facts?.uplinks ?? []);
}

/** Addresses that the router has outside the LAN, also by leases. */
export function otherAddresses({ engine }: Facts): readonly string[] {
  return [
    ...engine.desired.facts?.addresses ?? [],
    ...leasedNetworks(engine.observed, engine.config),
  ];
}
