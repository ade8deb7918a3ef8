import type { Config } from "../config.ts";
import { changedMembers } from "../core/config/memo.ts";
import type { EffectContext } from "../core/engine/change.ts";
import { titleOf } from "../devices/device.ts";
import { nameList } from "../devices/name_list.ts";
import { leafBehind, leafName } from "./leaf_names.ts";
import { leafInterface } from "./network.ts";
import type { LeafRouter } from "./schema.ts";

type Change = EffectContext<Config>;

/** What a change does at leaf routers: to their clients, and where the devices are that it is about. */
export function meshEffects(change: Change): readonly string[] {
  return [...leafEffects(change), ...placeEffects(change)];
}

function leafEffects({ before, after, observed }: Change): readonly string[] {
  if (before.mesh === after.mesh) return [];
  const old = new Map(before.mesh.LeafRouters.map((leaf) => [leaf.IP, leaf]));
  const now = new Map(after.mesh.LeafRouters.map((leaf) => [leaf.IP, leaf]));
  const gone = [...old.values()].flatMap((leaf) => {
    const link = leafInterface(leaf), next = now.get(leaf.IP);
    if (link === null || next !== undefined && leafInterface(next) === link) return [];
    const clients = Object.entries(observed.devices)
      .filter(([identity, seen]) =>
        seen.online && seen.link === link && Object.hasOwn(after.devices, identity)
      )
      .map(([identity]) => titleOf(identity, after.devices[identity]!));
    const name = leafName(before, leaf.IP);
    const lost = clients.length === 0
      ? []
      : [`At the leaf router ${name}: no connection by this network for ${nameList(clients)}`];
    return [`Clients of the leaf router ${name} are not on this network any more`, ...lost];
  });
  const come = [...now.values()].flatMap((leaf) => {
    const name = leafName(after, leaf.IP), was = old.get(leaf.IP);
    if (leaf.Link === null) {
      return was === undefined || was.Plain !== leaf.Plain ? [unlinked(name, leaf.Plain)] : [];
    }
    if (was !== undefined && was.Link?.Kind === leaf.Link.Kind) {
      return isRekeyed(was, leaf)
        ? [`The encrypted link to the leaf router ${name} is interrupted until both have new keys`]
        : [];
    }
    const how = leaf.Link.Kind === "wireguard"
      ? "by an encrypted link"
      : "by a link that is not encrypted";
    return [`Clients of the leaf router ${name} are on this network, ${how}`];
  });
  return [...gone, ...come];
}

/** Where the clients of a leaf router without a link are. `plain`: it is a router of the existing API. */
function unlinked(name: string, plain: boolean | undefined): string {
  const own = `Clients of the leaf router ${name} stay on a network of its own`;
  if (plain === undefined) {
    return `${own}, or where it bridges them, come to this one by the cable, not encrypted`;
  }
  return plain
    ? `Clients of the leaf router ${name} come to this network by the cable, not encrypted`
    : own;
}

/** A key of this router is drawn here, so that its change says nothing of one that was sent. */
function isRekeyed(was: LeafRouter, is: LeafRouter): boolean {
  return is.Link?.Kind === "wireguard" && was.TunnelKey !== is.TunnelKey;
}

/** Devices of the change that are connected through a leaf router. */
function placeEffects({ before, after, observed }: Change): readonly string[] {
  if (before.devices === after.devices || after.mesh.LeafRouters.length === 0) return [];
  const changed = changedMembers(before.devices, after.devices) ?? [];
  const named = changed.flatMap((identity) => {
    const seen = observed.devices[identity];
    const leaf = seen?.online === true ? leafBehind(after, seen.link) : null;
    return leaf === null ? [] : [{ leaf, title: titleOf(identity, after.devices[identity]!) }];
  });
  return [...Map.groupBy(named, ({ leaf }) => leaf)].map(([leaf, group]) =>
    `At the leaf router ${leaf}: ${nameList(group.map(({ title }) => title))}`
  );
}
