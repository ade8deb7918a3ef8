import { conflict, invalid } from "../../system/core/errors/problem.ts";
import { formatAddress, parseAddress } from "../../system/core/net/net.ts";
import { overlapping, servedNetworks } from "../../system/mesh/joining.ts";
import type { Probed } from "../../system/mesh/plan_schema.ts";
import type { LeafRouter, LeafRouterRequest } from "../../system/mesh/schema.ts";
import { linkFor, wantedKind } from "../../system/mesh/rules.ts";
import type { MeshDeps } from "./deps.ts";
import { canLink, drawTunnelKey } from "./link_support.ts";

/** Refuses what cannot join before anything is sent to it. Throws Problem 400, 409. */
export async function checkBefore(
  { engine, machineDeps }: Pick<MeshDeps, "engine" | "machineDeps">,
  { IP }: Pick<LeafRouterRequest, "IP">,
): Promise<void> {
  const { addresses } = await engine.host.facts();
  if (addresses.some(({ address }) => canonical(address.split("/")[0]!) === canonical(IP))) {
    throw invalid("/IP", "This is an address of this router; write that of the leaf router");
  }
  if (!await machineDeps.certificates.isEnabled()) {
    throw conflict(
      "Turn HTTPS on first: a leaf router reports to this router by HTTPS on port 443",
    );
  }
}

/** LAN subnets of a router that is no leaf yet and that overlap those of this router. */
export async function overlapsWith(
  { engine }: Pick<MeshDeps, "engine">,
  { LeafMode, Networks }: Pick<Probed, "LeafMode" | "Networks">,
): Promise<readonly string[]> {
  if (LeafMode || Networks === null) return [];
  const { vxlan } = (await engine.host.facts()).capabilities;
  return overlapping(Networks, servedNetworks(engine.config, vxlan));
}

/**
 * The link that a leaf router gets, with a new key of this router where it is encrypted: it has no other
 * than the one that it joins with. Throws Problem 409 where it could not be encrypted, or has none.
 */
export async function wantedLink(
  deps: Pick<MeshDeps, "engine" | "tunnels" | "random">,
  { IP, Link }: Pick<LeafRouterRequest, "IP" | "Link">,
  { Plain }: Pick<Probed, "Plain">,
): Promise<Pick<LeafRouter, "Link" | "TunnelKey" | "PeerKey" | "KeyReplaced">> {
  const { engine, tunnels } = deps;
  const kind = wantedKind(Link, Plain);
  if (Plain && kind !== "none") {
    throw conflict(
      `The router at ${IP} has no links of its own to this one. Send Link none: its clients then come to ` +
        "this network by the cable, not encrypted",
    );
  }
  if (kind === "none" || !await canLink(engine, IP)) {
    return { Link: null, TunnelKey: "", PeerKey: "", KeyReplaced: false };
  }
  if (kind === "wireguard" && !tunnels.isRun) {
    throw conflict(
      "The link to a leaf router is encrypted by the process wireguard, which does not run here. Run it, " +
        "or send Link vxlan where nobody else can tap the cable",
    );
  }
  return {
    Link: linkFor(engine.config.mesh, IP, kind),
    TunnelKey: kind === "wireguard" ? drawTunnelKey(deps) : "",
    PeerKey: "",
    KeyReplaced: false,
  };
}

/**
 * Refuses an encrypted link to a router whose version knows none: it would refuse the link for good, and
 * drop the clients that it has. Throws Problem 409.
 */
export function checkEncrypts(
  { IP, Link }: Pick<LeafRouter, "IP" | "Link">,
  { Networks, Version }: Pick<Probed, "Networks" | "Version">,
): void {
  if (Link?.Kind !== "wireguard" || Networks !== null) return;
  throw conflict(
    `The router at ${IP} runs ${
      Version || "an earlier version"
    }, which has no encrypted link. Update it ` +
      "first, or send Link vxlan where nobody else can tap the cable",
  );
}

function canonical(text: string): string {
  const parsed = parseAddress(text);
  return parsed === null ? text : formatAddress(parsed);
}
