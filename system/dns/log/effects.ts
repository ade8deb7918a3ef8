import type { Config } from "../../config.ts";
import type { EffectContext } from "../../core/engine/change.ts";
import { titleOf } from "../../devices/device.ts";
import { nameList } from "../../devices/name_list.ts";

/** What a change of the query log's settings does to what is recorded. */
export function logEffects({ before, after }: EffectContext<Config>): readonly string[] {
  const [old, now] = [before.dnsLog, after.dnsLog];
  if (old === now) return [];
  const [was, is] = [clientsOf(before), clientsOf(after)];
  // Of a device that is gone nothing is recorded, and what was its address is no device's.
  const without = (some: Clients, others: Clients) =>
    [...some].filter(([client]) =>
      !others.has(client) && (before.devices[client] === undefined || client in after.devices)
    ).map(([, name]) => name);
  const domains = (some: readonly string[], others: readonly string[]) =>
    some.filter((one) => !others.includes(one));
  const hidden = without(is, was), shown = without(was, is);
  const ignored = domains(now.DomainIgnoreList, old.DomainIgnoreList);
  const noted = domains(old.DomainIgnoreList, now.DomainIgnoreList);
  const forDomains = (list: readonly string[], sentence: (names: string) => string) =>
    list.length === 0
      ? []
      : [sentence(list.length > 5 ? `${list.length} of them` : nameList(list))];
  return [
    ...(hidden.length > 0 ? [`Queries of ${nameList(hidden)} are no longer recorded`] : []),
    ...(shown.length > 0 ? [`Queries of ${nameList(shown)} are recorded from now on`] : []),
    ...forDomains(ignored, (names) => `Queries for ${names} are no longer recorded`),
    ...forDomains(noted, (names) => `Queries for ${names} are recorded from now on`),
    ...(old.StoreLocalMemory === now.StoreLocalMemory
      ? []
      : [now.StoreLocalMemory ? "Queries are stored from now on" : "Queries are no longer stored"]),
    ...(now.RetentionDays < old.RetentionDays
      ? [`Queries older than ${days(now.RetentionDays)} are deleted`]
      : []),
    ...(now.RetentionMegabytes < old.RetentionMegabytes
      ? [`The oldest queries beyond ${now.RetentionMegabytes} MB are deleted`]
      : []),
  ];
}

/** Names by identity, or by address where that is no device's: an entry moves with its device. */
type Clients = ReadonlyMap<string, string>;

function clientsOf({ devices, dnsLog }: Pick<Config, "devices" | "dnsLog">): Clients {
  const owners = new Map(
    Object.entries(devices).map(([identity, device]) => [device.RecentIP, { identity, device }]),
  );
  return new Map(dnsLog.HostPrivacyIPList.map((address) => {
    const owner = owners.get(address);
    return owner === undefined
      ? [address, address]
      : [owner.identity, titleOf(owner.identity, owner.device)];
  }));
}

function days(count: number): string {
  return count === 1 ? "a day" : `${count} days`;
}
