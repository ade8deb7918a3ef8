import type { Config } from "../../config.ts";
import { notFound } from "../../core/errors/problem.ts";
import type { Group } from "./group_schema.ts";
import type { Device } from "../schema.ts";
import type { GroupUpdate } from "../wire.ts";

/** Creates or updates a group. */
export function upsertGroup(config: Config, update: GroupUpdate): [Config, Group] {
  const before = config.groups.find(({ Name }) => Name === update.Name);
  const group: Group = {
    Name: update.Name,
    Disabled: update.Disabled,
    GroupTags: update.GroupTags,
    ServiceDestinations: update.ServiceDestinations ?? before?.ServiceDestinations ?? [],
  };
  if (before === undefined) return [{ ...config, groups: [...config.groups, group] }, group];
  if (JSON.stringify(before) === JSON.stringify(group)) return [config, before];
  const groups = config.groups.map((other) => other === before ? group : other);
  return [{ ...config, groups }, group];
}

/** Takes a group away, and its name off every device. Throws Problem 404. */
export function deleteGroup(config: Config, name: string): [Config, void] {
  const members = Object.entries(config.devices).filter(([, { Groups }]) => Groups.includes(name));
  const known = config.groups.some(({ Name }) => Name === name);
  if (!known && members.length === 0) throw notFound(`There is no group ${name}`);
  const freed = members.map(([identity, device]): [string, Device] => [
    identity,
    { ...device, Groups: device.Groups.filter((group) => group !== name) },
  ]);
  return [{
    ...config,
    groups: config.groups.filter(({ Name }) => Name !== name),
    devices: { ...config.devices, ...Object.fromEntries(freed) },
  }, undefined];
}
