import type { Config } from "../config.ts";
import { changedMembers } from "../core/config/memo.ts";
import type { EffectContext } from "../core/engine/change.ts";
import { formatIpv4, inRange4, parseIpv4, parseRange4 } from "../core/net/net.ts";
import { titleOf } from "../devices/device.ts";
import { nameList } from "../devices/name_list.ts";
import { linkChanges } from "./reachability/link_changes.ts";

/** What a change of interfaces and networks does to devices beside who reaches whom. */
export function networkEffects(change: EffectContext<Config>): readonly string[] {
  return [...connectionEffects(change), ...addressEffects(change), ...routerEffects(change)];
}

/** Devices whose interface no longer serves them, or begins to, those of one interface together. */
function connectionEffects({ before, after, observed }: EffectContext<Config>): readonly string[] {
  const changes = linkChanges({ config: before, next: after, observed });
  const byReason = Map.groupBy(changes, ([, { reason, serves }]) => `${serves}${reason}`);
  return [...byReason.values()].map((group) => {
    const [, { reason, serves }] = group[0]!;
    // Who is there now is named first.
    const sorted = group.map(([identity]) => identity).sort((a, b) =>
      Number(observed.devices[b]?.online ?? false) - Number(observed.devices[a]?.online ?? false)
    );
    const names = nameList(sorted.map((identity) => titleOf(identity, after.devices[identity])));
    const [one, many] = serves ? ["is connected", "are connected"] : [
      "loses its connection",
      "lose their connection",
    ];
    return `${reason}: ${names} ${sorted.length === 1 ? one : many}`;
  });
}

/** Devices that need another address, or got one that they do not know of yet. */
function addressEffects({ before, after }: EffectContext<Config>): readonly string[] {
  const renew: string[] = [], stranded: string[] = [], moved: string[] = [];
  if (before.dhcp.TinyNets !== after.dhcp.TinyNets) {
    const had = inside(before.dhcp.TinyNets), has = inside(after.dhcp.TinyNets);
    for (const [identity, { RecentIP, MAC }] of Object.entries(after.devices)) {
      if (RecentIP === "" || before.devices[identity]?.RecentIP !== RecentIP) continue;
      if (!had(RecentIP) || has(RecentIP)) continue;
      (MAC === "" ? stranded : renew).push(titleOf(identity, after.devices[identity]));
    }
  }
  for (const identity of changedDevices(before, after)) {
    const was = before.devices[identity]!, is = after.devices[identity]!;
    if (was.RecentIP === "" || is.RecentIP === "" || was.RecentIP === is.RecentIP) continue;
    moved.push(
      is.MAC === ""
        ? `${
          titleOf(identity, is)
        } has no connection until ${is.RecentIP} is in its VPN configuration`
        : `${
          titleOf(identity, is)
        } has no connection until it renews its lease and gets ${is.RecentIP}`,
    );
  }
  return [
    ...(renew.length > 0
      ? [`${nameList(renew)}: another address at the next renewal of the lease`]
      : []),
    ...(stranded.length > 0
      ? [`${nameList(stranded)}: no connection until the VPN is set up anew, with another address`]
      : []),
    ...moved.slice(0, MAX_LISTED),
    ...(moved.length > MAX_LISTED
      ? [`${moved.length - MAX_LISTED} more devices get another address`]
      : []),
  ];
}

/** Devices whose new addresses are listed one by one. */
const MAX_LISTED = 5;

function changedDevices({ devices: before }: Config, { devices: after }: Config) {
  if (before === after) return [];
  const names = changedMembers(before, after) ?? Object.keys(after);
  return names.filter((name) => before[name] !== undefined && after[name] !== undefined);
}

function inside(networks: readonly string[]): (address: string) => boolean {
  const ranges = networks.flatMap((network) => parseRange4(network) ?? []);
  return (text) => {
    const address = parseIpv4(text);
    return address !== null && ranges.some((range) => inRange4(range, address));
  };
}

/** The address at which the LAN finds this router. */
function routerEffects({ before, after }: EffectContext<Config>): readonly string[] {
  const [old, now] = [before, after].map(({ dhcp }) => {
    const range = parseRange4(dhcp.TinyNets[0] ?? "");
    return range === null ? null : formatIpv4(range.first + 1);
  });
  if (old === now || old === null || now === null) return [];
  return [`This router is at ${now} instead of ${old}`];
}
