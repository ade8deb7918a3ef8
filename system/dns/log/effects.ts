import type { Config } from "../../config.ts";
import type { EffectContext } from "../../core/engine/change.ts";
import { titleOf } from "../../devices/device.ts";
import { nameList } from "../../devices/name_list.ts";

/** What a change of the query log's settings does to what is recorded. */
export function logEffects({ before, after }: EffectContext<Config>): readonly string[] {
  const [old, now] = [before.dnsLog, after.dnsLog];
  if (old === now) return [];
  const owners = new Map(
    Object.entries(after.devices).map(([identity, device]) => [
      device.RecentIP,
      titleOf(identity, device),
    ]),
  );
  const clients = (some: readonly string[], others: readonly string[]) =>
    some.filter((one) => !others.includes(one)).map((address) => owners.get(address) ?? address);
  const domains = (some: readonly string[], others: readonly string[]) =>
    some.filter((one) => !others.includes(one));
  const hidden = clients(now.HostPrivacyIPList, old.HostPrivacyIPList);
  const shown = clients(old.HostPrivacyIPList, now.HostPrivacyIPList);
  const ignored = domains(now.DomainIgnoreList, old.DomainIgnoreList);
  const noted = domains(old.DomainIgnoreList, now.DomainIgnoreList);
  const told = (list: readonly string[], words: (names: string) => string) =>
    list.length === 0 ? [] : [words(list.length > 5 ? `${list.length} of them` : nameList(list))];
  return [
    ...(hidden.length > 0 ? [`Queries of ${nameList(hidden)} are no longer recorded`] : []),
    ...(shown.length > 0 ? [`Queries of ${nameList(shown)} are recorded from now on`] : []),
    ...told(ignored, (names) => `Queries for ${names} are no longer recorded`),
    ...told(noted, (names) => `Queries for ${names} are recorded from now on`),
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

function days(count: number): string {
  return count === 1 ? "a day" : `${count} days`;
}
