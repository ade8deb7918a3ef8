import { bulkAdd } from "../../devices/bulk/add.ts";
import type { Config } from "../../config.ts";
import { upsertGroup } from "../../devices/groups/group_rules.ts";
import { GroupUpdate } from "../../devices/wire.ts";
import { opensBetween } from "../../devices/groups/group_schema.ts";
import { POLICIES, policiesFor, type PolicyTarget } from "../../devices/policies.ts";
import type { Device } from "../../devices/schema.ts";
import {
  addPolicy,
  type AnsweredQuery,
  type ChangeCandidate,
  deviceAt,
  type DeviceEnd,
  removePolicy,
  setDevice,
} from "./candidate.ts";
import {
  endpointsFor,
  routerPorts,
  withBlock,
  withEndpoint,
  withForward,
  withoutBlocks,
  withoutEndpoints,
  withoutForwards,
} from "./rule_candidates.ts";

/** Writes that may turn the answer round, in no order; each is yet to be tried. */
export function changeCandidates(answered: AnsweredQuery): readonly ChangeCandidate[] {
  return answered.answer.verdict === "accept" ? denying(answered) : allowing(answered);
}

function allowing(answered: AnsweredQuery): readonly ChangeCandidate[] {
  const { answer: { from, to }, config } = answered;
  const source = deviceAt(from, config), target = deviceAt(to, config);
  const isOutside = from.kind === "internet" || from.kind === "address";
  return [
    ...withoutBlocks(answered),
    ...[source, target].flatMap((end) => end ? unrestricted(end) : []),
    ...(source ? unscheduled(answered, source) : []),
    ...(source && target ? joiningGroup(answered, source, target) : []),
    ...(source && !target ? sharingTag(answered, source) : []),
    // After groups and endpoints: what opens as much at less risk comes first.
    ...(source ? targetsOf(answered, target).flatMap((one) => allowTarget(source, one)) : []),
    ...(isOutside && target ? withForward(answered) : []),
    ...(to.kind === "router" ? routerPorts(answered, true, isOutside) : []),
  ];
}

/** What policies would have to allow for the source to reach the other end. */
function targetsOf(
  { answer: { to }, query }: AnsweredQuery,
  device: DeviceEnd | null,
): readonly PolicyTarget[] {
  if (device !== null) return ["lan"];
  if (to.kind === "internet") return ["internet"];
  if (to.kind === "address") return ["internet", "upstream-private"];
  return query.port === "53" ? ["resolver", "admin"] : ["admin"];
}

function allowTarget(end: DeviceEnd, target: PolicyTarget): readonly ChangeCandidate[] {
  return [
    ...policiesFor("allow", target).filter(({ assignable }) => assignable)
      .flatMap((policy) => addPolicy(end, policy)),
    ...policiesFor("deny", target).flatMap((policy) => removePolicy(end, policy)),
  ];
}

function unrestricted(end: DeviceEnd): readonly ChangeCandidate[] {
  const { device, name } = end;
  if (device.DeviceDisabled || device.Policies.includes("disabled")) {
    const Policies = device.Policies.filter((policy) => policy !== "disabled");
    return [setDevice(end, `Unblock ${name}`, { DeviceDisabled: false, Policies })];
  }
  return POLICIES.filter(({ effect }) => effect.kind === "isolate")
    .flatMap((policy) => removePolicy(end, policy));
}

/** The groups of a device that a schedule may have closed: it leaves one, or the schedule is removed. */
function unscheduled(
  { config }: AnsweredQuery,
  end: DeviceEnd,
): readonly ChangeCandidate[] {
  const { Groups } = end.device;
  return config.groups
    .filter(({ Name, Schedule }) => Schedule !== undefined && Groups.includes(Name))
    .flatMap(({ Name, Disabled, GroupTags }) => {
      const body = { Name, Disabled, GroupTags: [...GroupTags], Schedule: [] };
      return [
        setDevice(end, `Remove ${end.name} from group ${Name}`, {
          Groups: Groups.filter((other) => other !== Name),
        }),
        {
          summary: `Remove the schedule of group ${Name}`,
          method: "PUT" as const,
          path: "/groups",
          body,
          reduce: (config: Config) => upsertGroup(config, GroupUpdate.parse(body)),
        },
      ];
    });
}

function joiningGroup(
  answered: AnsweredQuery,
  from: DeviceEnd,
  to: DeviceEnd,
): readonly ChangeCandidate[] {
  const open = new Set(
    answered.config.groups.filter(opensBetween).map(({ Name }) => Name),
  );
  const join = (one: DeviceEnd, other: DeviceEnd) =>
    other.device.Groups
      .filter((name) => open.has(name) && !one.device.Groups.includes(name))
      .map((name) =>
        setDevice(one, `Add ${one.name} to group ${name}`, {
          Groups: [...one.device.Groups, name],
        })
      );
  return [
    ...join(from, to),
    ...join(to, from),
    ...newGroup(answered, from, to),
    ...sharingTag(answered, from),
  ];
}

/** Devices that reach each other because of a tag: one more tag, or one more endpoint. */
function sharingTag(answered: AnsweredQuery, from: DeviceEnd): readonly ChangeCandidate[] {
  const { DeviceTags } = from.device;
  const tags = new Set(endpointsFor(answered).flatMap(({ Tags }) => Tags));
  return [
    ...withEndpoint(answered, DeviceTags),
    ...[...tags].filter((tag) => !DeviceTags.includes(tag)).map((tag) =>
      setDevice(from, `Add tag ${tag} to ${from.name}`, { DeviceTags: [...DeviceTags, tag] })
    ),
  ];
}

/** A group of just the two. */
function newGroup(
  answered: AnsweredQuery,
  from: DeviceEnd,
  to: DeviceEnd,
): readonly ChangeCandidate[] {
  const word = (text: string) =>
    text.toLowerCase().replaceAll(/[^a-z0-9]+/g, "-").replaceAll(/^-|-$/g, "").slice(0, 20);
  const name = `${word(from.name)}-with-${word(to.name)}`;
  const { devices, groups } = answered.config;
  const taken = groups.some(({ Name }) => Name === name) ||
    Object.values(devices).some(({ Groups }: Device) => Groups.includes(name));
  if (taken) return [];
  const body = { Identities: [from.identity, to.identity], Groups: [name] };
  return [{
    summary: `Create group ${name} with ${from.name} and ${to.name}`,
    method: "PUT",
    path: "/devices/bulk",
    body,
    reduce: (config) => bulkAdd(config, body),
  }];
}

function denying(answered: AnsweredQuery): readonly ChangeCandidate[] {
  const { answer: { from, to }, config } = answered;
  const source = deviceAt(from, config), target = deviceAt(to, config);
  const isOutside = from.kind === "internet" || from.kind === "address";
  return [
    ...withBlock(answered),
    ...withoutEndpoints(answered),
    ...(source && target ? leavingGroup(source, target) : []),
    ...(source ? revoking(source) : []),
    ...(isOutside ? withoutForwards(answered) : []),
    ...(to.kind === "router"
      ? [
        ...routerPorts(answered, false, isOutside),
        ...(source ? denyAdmin(source) : []),
      ]
      : []),
  ];
}

/** One of two leaves a group that both are in. */
function leavingGroup(from: DeviceEnd, to: DeviceEnd): readonly ChangeCandidate[] {
  const shared = from.device.Groups.filter((name) => to.device.Groups.includes(name));
  return shared.flatMap((name) =>
    [from, to].map((one) =>
      setDevice(one, `Remove ${one.name} from group ${name}`, {
        Groups: one.device.Groups.filter((other) => other !== name),
      })
    )
  );
}

function denyAdmin(end: DeviceEnd): readonly ChangeCandidate[] {
  return policiesFor("deny", "admin").flatMap((policy) => addPolicy(end, policy));
}

function revoking(from: DeviceEnd): readonly ChangeCandidate[] {
  const { name, device } = from;
  return [
    ...POLICIES.filter(({ effect }) => effect.kind === "allow")
      .flatMap((policy) => removePolicy(from, policy)),
    ...device.DeviceTags.map((tag) =>
      setDevice(from, `Remove tag ${tag} from ${name}`, {
        DeviceTags: device.DeviceTags.filter((other) => other !== tag),
      })
    ),
    ...POLICIES.filter(({ effect }) => effect.kind === "isolate")
      .flatMap((policy) => addPolicy(from, policy)),
  ];
}
