import type { Config } from "../../config.ts";
import { derive } from "../../core/config/memo.ts";
import { invalid, notFound, sentence } from "../../core/errors/problem.ts";
import { type Group } from "./group_schema.ts";
import { permissionsOf } from "./group_schedule.ts";
import { type Device, Label } from "../schema.ts";
import { type GroupUpdate, MAX_LABELS } from "../wire.ts";

/** Creates or updates a group and, where the update names them, its members. Throws Problem 400 and 404. */
export function upsertGroup(config: Config, update: GroupUpdate): [Config, Group] {
  const before = config.groups.find(({ Name }) => Name === update.Name);
  const group = updatedGroup(before, update);
  const same = before !== undefined && JSON.stringify(before) === JSON.stringify(group);
  const listed = same
    ? config
    : before === undefined
    ? { ...config, groups: [...config.groups, group] }
    : { ...config, groups: config.groups.map((other) => other === before ? group : other) };
  const next = update.Members === undefined ? listed : withMembers(listed, group, update.Members);
  return [next, same ? before : group];
}

function updatedGroup(before: Group | undefined, update: GroupUpdate): Group {
  const { Name, Disabled, GroupTags } = update;
  const Title = update.Title ?? before?.Title ?? Name;
  if (Label.safeParse(Title).data !== Name) {
    throw invalid("/Title", `Write the name ${Name} with other capital letters, not another name`);
  }
  const Policies = update.Policies ?? before?.Policies ?? [];
  const Schedule = update.Schedule ?? before?.Schedule ?? [];
  if (Schedule.length > 0 && permissionsOf(Policies).length === 0) {
    throw invalid(
      "/Schedule",
      "Choose the access of new members first. The schedule applies to that access",
    );
  }
  return {
    Name,
    Disabled,
    GroupTags,
    ServiceDestinations: update.ServiceDestinations ?? before?.ServiceDestinations ?? [],
    ...(Title === Name ? {} : { Title }),
    ...(update.Isolated ?? before?.Isolated ? { Isolated: true } : {}),
    ...(Policies.length === 0 ? {} : { Policies }),
    ...(Schedule.length === 0 ? {} : { Schedule }),
  };
}

/** The configuration with exactly these devices in a group. */
function withMembers(config: Config, group: Group, members: readonly string[]): Config {
  const wanted = new Set(members);
  const changed: Record<string, Device> = {};
  for (const identity of wanted) {
    const device = config.devices[identity];
    if (device === undefined) {
      throw notFound(sentence("There is no device {identity}", { identity }));
    }
    if (device.Groups.includes(group.Name)) continue;
    if (device.Groups.length >= MAX_LABELS) {
      throw invalid("/Members", `${device.Name || identity} is in ${MAX_LABELS} groups already`);
    }
    changed[identity] = {
      ...device,
      Groups: [...device.Groups, group.Name],
      Policies: [...new Set([...device.Policies, ...group.Policies ?? []])],
    };
  }
  for (const [identity, device] of Object.entries(config.devices)) {
    if (!wanted.has(identity) && device.Groups.includes(group.Name)) {
      changed[identity] = without(device, group.Name);
    }
  }
  return Object.keys(changed).length === 0
    ? config
    : { ...config, devices: derive(config.devices, changed) };
}

function without(device: Device, name: string): Device {
  return { ...device, Groups: device.Groups.filter((group) => group !== name) };
}

/** Takes a group away, and its name off every device. Throws Problem 404. */
export function deleteGroup(config: Config, name: string): [Config, void] {
  const members = Object.entries(config.devices).filter(([, { Groups }]) => Groups.includes(name));
  const known = config.groups.some(({ Name }) => Name === name);
  if (!known && members.length === 0) {
    throw notFound(sentence("There is no group {name}", { name }));
  }
  const freed = members.map(([identity, device]) => [identity, without(device, name)] as const);
  return [{
    ...config,
    groups: config.groups.filter(({ Name }) => Name !== name),
    devices: { ...config.devices, ...Object.fromEntries(freed) },
  }, undefined];
}
