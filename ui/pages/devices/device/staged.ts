import { signal } from "@preact/signals";
import type { Action } from "../../../actions/action.ts";
import { devices } from "../../../state/store.ts";
import { nameOf } from "../../../text/format.ts";
import { flipSentence, type Policy } from "../../../text/policies.ts";
import type { Device } from "../../../wire.ts";
import { t } from "../../../text/language.ts";

/** Edits of one device that were made on its page and are not applied yet. */
export interface Staged {
  readonly identity: string;
  /** New states of switches, by policy. */
  readonly switches: ReadonlyMap<Policy, boolean>;
  /** Groups that it joins (true) or leaves. */
  readonly groups: ReadonlyMap<string, boolean>;
}

/** What is staged; another device's page starts anew. */
export const staged = signal<Staged | null>(null);

/** Browsers that apply at once what takes access from nobody remember it under this name. */
const AT_ONCE_KEY = "sluice.apply-at-once";
export const appliesAtOnce = signal(localStorage.getItem(AT_ONCE_KEY) === "yes");

/** Sets whether low-risk changes are applied at once, for this browser. */
export function setAppliesAtOnce(on: boolean): void {
  appliesAtOnce.value = on;
  if (on) localStorage.setItem(AT_ONCE_KEY, "yes");
  else localStorage.removeItem(AT_ONCE_KEY);
}

/** Whether the switch of a policy is on as the device stands. */
export function isOn(policy: Policy, device: Device): boolean {
  const held = policy.name === "disabled"
    ? device.DeviceDisabled || device.Policies.includes(policy.name)
    : device.Policies.includes(policy.name);
  return held !== policy.inverted;
}

/** The staged edits of a device that still change something; null for none. */
export function stagedOf(identity: string, device: Device): Staged | null {
  const all = staged.value;
  if (all === null || all.identity !== identity) return null;
  const switches = new Map([...all.switches].filter(([policy, on]) => on !== isOn(policy, device)));
  const groups = new Map(
    [...all.groups].filter(([group, joins]) => joins !== device.Groups.includes(group)),
  );
  return switches.size + groups.size === 0 ? null : { identity, switches, groups };
}

function edit(identity: string, change: (before: Staged) => Partial<Staged>): void {
  const all = staged.peek();
  const before = all?.identity === identity
    ? all
    : { identity, switches: new Map(), groups: new Map() };
  staged.value = { ...before, ...change(before) };
}

/** Stages the new state of a switch. */
export function stageSwitch(identity: string, policy: Policy, on: boolean): void {
  edit(identity, ({ switches }) => ({ switches: new Map([...switches, [policy, on]]) }));
}

/** Stages that a device joins or leaves a group. */
export function stageGroup(identity: string, group: string, joins: boolean): void {
  edit(identity, ({ groups }) => ({ groups: new Map([...groups, [group, joins]]) }));
}

/** Each staged edit in two or three words: `Internet off`, `joins kids`. */
export function stagedText({ switches, groups }: Staged): readonly string[] {
  return [
    ...[...switches].map(([{ title }, on]) =>
      on ? t("{title} on", { title }) : t("{title} off", { title })
    ),
    ...[...groups].map(([group, joins]) =>
      joins ? t("joins {group}", { group }) : t("leaves {group}", { group })
    ),
  ];
}

function sentences({ switches, groups }: Staged): readonly string[] {
  return [
    ...[...switches].map(([policy, on]) => flipSentence(policy, on)),
    ...[...groups].map(([group, joins]) =>
      joins
        ? t("joins {group}. Members reach each other on all ports.", { group })
        : t("leaves {group} and no longer reaches its members through it.", { group })
    ),
  ];
}

/** The staged edits as one change. */
export function stagedAction(edits: Staged): Action {
  const { identity, switches, groups } = edits;
  const device = devices.peek()?.[identity];
  const texts = stagedText(edits);
  const [sentence = "", ...others] = sentences(edits);
  const several = texts.length > 1;
  const blocks = [...switches].some(([{ name }, on]) => name === "disabled" && on);
  const first = texts[0] ?? "";
  return {
    title: several
      ? t("Preview: {texts} changes", { texts: texts.length })
      : t("Preview: {first}", { first }),
    subject: nameOf(identity, device),
    sentence,
    details: [
      ...others.map((text) => t("The device {text}", { text })),
      ...(device?.RecentIP
        ? []
        : [t("The device has no address. The change takes effect once it has one.")]),
    ],
    button: several ? t("Apply {texts} changes", { texts: texts.length }) : buttonOf(edits),
    danger: blocks,
    done: several
      ? t("has {texts} changes: {list}.", { texts: texts.length, list: texts.join(", ") })
      : sentence,
    device: identity,
    request: () => ({
      method: "PUT",
      path: "/device",
      query: { identity },
      body: bodyOf(switches, groups, devices.peek()?.[identity]),
    }),
    after: () => {
      if (staged.peek()?.identity === identity) staged.value = null;
    },
  };
}

function buttonOf({ switches, groups }: Staged): string {
  const [flip] = switches;
  if (flip !== undefined) {
    const [policy, on] = flip;
    if (policy.name === "disabled") return on ? t("Block device") : t("Unblock device");
    return on
      ? t("Turn on {title}", { title: policy.title })
      : t("Turn off {title}", { title: policy.title });
  }
  const [group = "", joins] = [...groups][0] ?? [];
  return joins ? t("Add to {group}", { group }) : t("Remove from {group}", { group });
}

/** What is sent: only the fields that the edits are about, from the device as it stands now. */
function bodyOf(
  switches: Staged["switches"],
  groups: Staged["groups"],
  device: Device | undefined,
): Readonly<Record<string, unknown>> {
  const held = new Set(device?.Policies ?? []);
  const body: Record<string, unknown> = {};
  for (const [policy, on] of switches) {
    if (on !== policy.inverted) held.add(policy.name);
    else held.delete(policy.name);
    if (policy.name === "noapi") body["AdminAccess"] = on;
    if (policy.name === "disabled") body["DeviceDisabled"] = on;
  }
  if (switches.size > 0) body["Policies"] = [...held];
  if (groups.size > 0) {
    const others = (device?.Groups ?? []).filter((group) => !groups.has(group));
    body["Groups"] = [...others, ...[...groups].filter(([, joins]) => joins).map(([name]) => name)];
  }
  return body;
}
