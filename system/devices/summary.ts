import type { Config } from "../config.ts";
import { decidedPolicies, hasAdminAccess } from "./admin_access.ts";
import { titleOf } from "./device.ts";
import { canonicalIdentity } from "./identity.ts";
import { nameList } from "./name_list.ts";
import { isAnotherPending } from "./pending.ts";
import { isInverted, type Policy, policyOf } from "./policies.ts";
import type { Device } from "./schema.ts";
import type { DeviceSync, DeviceUpdate } from "./wire.ts";

/** What the history says of an update: the one thing that it changed, or that it changed the device. */
export function updateSummary(config: Config, identity: string, update: DeviceUpdate): string {
  const before = config.devices[identity];
  const title = titleOf(identity, before);
  if (before === undefined) return `Added ${update.Name || title}`;
  if (isAnotherPending(identity, before, update)) {
    return `Added ${update.Name} in the place of ${title}`;
  }
  const Policies = decidedPolicies(before.Policies, update);
  const isSaid = update.Policies !== undefined || update.AdminAccess !== undefined;
  const words = [
    ...nameText(title, before, update),
    ...switchText(title, before, update),
    ...policyLabel(title, before, isSaid ? { ...update, Policies } : update),
    ...groupText(title, before, update),
    ...(differs(before.DeviceTags, update.DeviceTags) ? [`Changed the tags of ${title}`] : []),
  ];
  const others = Object.keys(update).filter((key) => !NAMED_FIELDS.has(key) && isSent(update, key));
  const summary = words.length === 1 && others.length === 0 && words[0]
    ? words[0]
    : `Changed ${update.Name || title}`;
  const gains = !hasAdminAccess(before) && hasAdminAccess({ Policies });
  return gains && !summary.includes("Admin access")
    ? `${summary}, with admin access to this router`
    : summary;
}

/** What the history says of a list of all devices, which says their policies whole. */
export function syncSummary({ devices }: Config, sent: DeviceSync): string {
  const entries = Object.entries(sent);
  const admins = entries.flatMap(([key, { Policies = [] }]) => {
    const identity = canonicalIdentity(key) ?? key, before = devices[identity];
    const gains = before !== undefined && !hasAdminAccess(before) && hasAdminAccess({ Policies });
    return gains ? [titleOf(identity, before)] : [];
  });
  const text = `Replaced all devices by ${entries.length}`;
  return admins.length === 0 ? text : `${text}, with admin access for ${nameList(admins)}`;
}

const NAMED_FIELDS: ReadonlySet<string> = new Set([
  "Name",
  "Policies",
  "AdminAccess",
  "Groups",
  "DeviceTags",
  "DeviceDisabled",
]);

function isSent(update: DeviceUpdate, key: string): boolean {
  return update[key as keyof DeviceUpdate] !== undefined;
}

function nameText(title: string, before: Device, { Name }: DeviceUpdate): readonly string[] {
  if (Name === undefined || Name === before.Name) return [];
  return [Name === "" ? `Removed the name of ${title}` : `Renamed ${title} to ${Name}`];
}

function switchText(title: string, before: Device, update: DeviceUpdate): readonly string[] {
  const { DeviceDisabled } = update;
  if (DeviceDisabled === undefined || DeviceDisabled === before.DeviceDisabled) return [];
  return [`${DeviceDisabled ? "Blocked" : "Unblocked"} ${title}`];
}

/** The policy `disabled` says the same as the switch, and is left out where the switch is sent. */
function policyLabel(title: string, before: Device, update: DeviceUpdate): readonly string[] {
  const switched = update.DeviceDisabled !== undefined;
  const relevant = (policies: readonly Policy[]) =>
    policies.filter((policy) => !(switched && policy === "disabled"));
  return changeText(relevant(before.Policies), update.Policies && relevant(update.Policies), {
    added: (policy) => policyText(policy, true, title),
    removed: (policy) => policyText(policy, false, title),
    several: `Changed the policies of ${title}`,
  });
}

function groupText(title: string, before: Device, update: DeviceUpdate): readonly string[] {
  return changeText(before.Groups, update.Groups, {
    added: (group) => `Added ${title} to group ${group}`,
    removed: (group) => `Removed ${title} from group ${group}`,
    several: `Changed the groups of ${title}`,
  });
}

/** As the switches of the page say it: what a policy denies is turned off by it. */
function policyText(policy: Policy, held: boolean, title: string): string {
  if (policy === "disabled") return `${held ? "Blocked" : "Unblocked"} ${title}`;
  const definition = policyOf(policy);
  const on = held !== isInverted(definition);
  return `Turned ${on ? "on" : "off"} ${definition.text.title} for ${title}`;
}

function changeText<T extends string>(
  before: readonly T[],
  after: readonly T[] | undefined,
  text: {
    readonly added: (one: T) => string;
    readonly removed: (one: T) => string;
    readonly several: string;
  },
): readonly string[] {
  if (after === undefined) return [];
  const added = after.filter((one) => !before.includes(one));
  const removed = before.filter((one) => !after.includes(one));
  if (added.length + removed.length === 0) return [];
  if (added.length + removed.length > 1) return [text.several];
  return [...added.map(text.added), ...removed.map(text.removed)];
}

function differs(before: readonly string[], after: readonly string[] | undefined): boolean {
  return after !== undefined &&
    (before.length !== after.length || before.some((one) => !after.includes(one)));
}
