import type { Config } from "../config.ts";
import { titleOf } from "./device.ts";
import type { Device } from "./schema.ts";
import type { DeviceUpdate } from "./wire.ts";

/** One sentence for the history; names what is given and taken where that is one thing. */
export function updateSummary(config: Config, identity: string, update: DeviceUpdate): string {
  const before = config.devices[identity];
  const title = titleOf(identity, before);
  if (before === undefined) return `Add ${update.Name || title}`;
  const words = [
    ...nameWords(title, before, update),
    ...switchWords(title, before, update),
    ...policyWords(title, before, update),
    ...groupWords(title, before, update),
    ...(differs(before.DeviceTags, update.DeviceTags) ? [`Change the tags of ${title}`] : []),
  ];
  const others = Object.keys(update).filter((key) => !SPOKEN.has(key) && isSent(update, key));
  return words.length === 1 && others.length === 0 && words[0]
    ? words[0]
    : `Change ${update.Name || title}`;
}

const SPOKEN: ReadonlySet<string> = new Set([
  "Name",
  "Policies",
  "Groups",
  "DeviceTags",
  "DeviceDisabled",
]);

function isSent(update: DeviceUpdate, key: string): boolean {
  return update[key as keyof DeviceUpdate] !== undefined;
}

function nameWords(title: string, before: Device, { Name }: DeviceUpdate): readonly string[] {
  if (Name === undefined || Name === before.Name) return [];
  return [Name === "" ? `Take the name off ${title}` : `Rename ${title} to ${Name}`];
}

function switchWords(title: string, before: Device, update: DeviceUpdate): readonly string[] {
  const { DeviceDisabled } = update;
  if (DeviceDisabled === undefined || DeviceDisabled === before.DeviceDisabled) return [];
  return [`${DeviceDisabled ? "Disable" : "Enable"} ${title}`];
}

/** The policy `disabled` is the switch under another name, and is told by the switch where that is sent. */
function policyWords(title: string, before: Device, update: DeviceUpdate): readonly string[] {
  const told = update.DeviceDisabled !== undefined;
  const relevant = (policies: readonly string[]) =>
    policies.filter((policy) => !(told && policy === "disabled"));
  return changeWords(relevant(before.Policies), update.Policies && relevant(update.Policies), {
    given: (policy) => `Give ${title} the policy ${policy}`,
    taken: (policy) => `Take the policy ${policy} from ${title}`,
    several: `Change the policies of ${title}`,
  });
}

function groupWords(title: string, before: Device, update: DeviceUpdate): readonly string[] {
  return changeWords(before.Groups, update.Groups, {
    given: (group) => `Put ${title} in the group ${group}`,
    taken: (group) => `Take ${title} out of the group ${group}`,
    several: `Change the groups of ${title}`,
  });
}

function changeWords(
  before: readonly string[],
  after: readonly string[] | undefined,
  words: {
    readonly given: (one: string) => string;
    readonly taken: (one: string) => string;
    readonly several: string;
  },
): readonly string[] {
  if (after === undefined) return [];
  const given = after.filter((one) => !before.includes(one));
  const taken = before.filter((one) => !after.includes(one));
  if (given.length + taken.length === 0) return [];
  if (given.length + taken.length > 1) return [words.several];
  return [...given.map(words.given), ...taken.map(words.taken)];
}

function differs(before: readonly string[], after: readonly string[] | undefined): boolean {
  return after !== undefined &&
    (before.length !== after.length || before.some((one) => !after.includes(one)));
}
