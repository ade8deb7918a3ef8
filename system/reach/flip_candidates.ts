import { bulkAdd } from "../devices/bulk.ts";
import type { Device } from "../devices/schema.ts";
import {
  addPolicy,
  type AnsweredQuery,
  type ChangeCandidate,
  deviceAt,
  type DeviceEnd,
  removePolicy,
  setDevice,
} from "./flip_candidate.ts";
import {
  endpointsFor,
  routerPorts,
  withBlock,
  withEndpoint,
  withForward,
  withoutBlocks,
  withoutEndpoints,
  withoutForwards,
} from "./flip_rules.ts";

/** Writes that may turn the answer round, in no order; each is yet to be tried. */
export function changeCandidates(asked: AnsweredQuery): readonly ChangeCandidate[] {
  return asked.answer.verdict === "accept" ? denying(asked) : allowing(asked);
}

function allowing(asked: AnsweredQuery): readonly ChangeCandidate[] {
  const { answer: { from, to }, config, query } = asked;
  const source = deviceAt(from, config), target = deviceAt(to, config);
  const outside = from.kind === "internet" || from.kind === "address";
  return [
    ...withoutBlocks(asked),
    ...[source, target].flatMap((end) => end ? unrestricted(end) : []),
    ...(source && to.kind === "internet" ? addPolicy(source, "wan", "the Internet") : []),
    ...(source && to.kind === "address"
      ? [
        ...addPolicy(source, "wan", "the Internet"),
        ...addPolicy(source, "lan_upstream", "private networks behind the uplink"),
      ]
      : []),
    ...(source && target ? joiningGroup(asked, source, target) : []),
    ...(source && !target ? sharingTag(asked, source) : []),
    ...(outside && target ? withForward(asked) : []),
    ...(to.kind === "router"
      ? [
        ...(source && query.port === "53" ? addPolicy(source, "dns", "the router's resolver") : []),
        ...(source
          ? removePolicy(source, "noapi", `Let ${source.name} open the router's pages`)
          : []),
        ...routerPorts(asked, true, outside),
      ]
      : []),
  ];
}

function unrestricted(end: DeviceEnd): readonly ChangeCandidate[] {
  const { device, name } = end;
  if (device.DeviceDisabled || device.Policies.includes("disabled")) {
    const Policies = device.Policies.filter((policy) => policy !== "disabled");
    return [setDevice(end, `Switch ${name} on again`, { DeviceDisabled: false, Policies })];
  }
  return removePolicy(end, "quarantine", `Let ${name} out of quarantine`);
}

function joiningGroup(
  asked: AnsweredQuery,
  from: DeviceEnd,
  to: DeviceEnd,
): readonly ChangeCandidate[] {
  const open = new Set(
    asked.config.groups.filter((group) => !group.Disabled && group.ServiceDestinations.length === 0)
      .map(({ Name }) => Name),
  );
  const join = (one: DeviceEnd, other: DeviceEnd) =>
    other.device.Groups
      .filter((name) => open.has(name) && !one.device.Groups.includes(name))
      .map((name) =>
        setDevice(one, `Put ${one.name} into the group ${name}`, {
          Groups: [...one.device.Groups, name],
        })
      );
  return [
    ...join(from, to),
    ...join(to, from),
    ...newGroup(asked, from, to),
    ...sharingTag(asked, from),
    ...addPolicy(from, "lan", "every device at home"),
  ];
}

/** Devices that reach each other because of a tag: one more tag, or one more endpoint. */
function sharingTag(asked: AnsweredQuery, from: DeviceEnd): readonly ChangeCandidate[] {
  const { DeviceTags } = from.device;
  const tags = new Set(endpointsFor(asked).flatMap(({ Tags }) => Tags));
  return [
    ...withEndpoint(asked, DeviceTags),
    ...[...tags].filter((tag) => !DeviceTags.includes(tag)).map((tag) =>
      setDevice(from, `Give ${from.name} the tag ${tag}`, { DeviceTags: [...DeviceTags, tag] })
    ),
  ];
}

/** A group of just the two. */
function newGroup(
  asked: AnsweredQuery,
  from: DeviceEnd,
  to: DeviceEnd,
): readonly ChangeCandidate[] {
  const word = (text: string) =>
    text.toLowerCase().replaceAll(/[^a-z0-9]+/g, "-").replaceAll(/^-|-$/g, "").slice(0, 20);
  const name = `${word(from.name)}-with-${word(to.name)}`;
  const { devices, groups } = asked.config;
  const taken = groups.some(({ Name }) => Name === name) ||
    Object.values(devices).some(({ Groups }: Device) => Groups.includes(name));
  if (taken) return [];
  const body = { Identities: [from.identity, to.identity], Groups: [name] };
  return [{
    summary: `Put ${from.name} and ${to.name} into a new group ${name}`,
    method: "PUT",
    path: "/devices/bulk",
    body,
    reduce: (config) => bulkAdd(config, body),
  }];
}

function denying(asked: AnsweredQuery): readonly ChangeCandidate[] {
  const { answer: { from, to }, config } = asked;
  const source = deviceAt(from, config), target = deviceAt(to, config);
  const outside = from.kind === "internet" || from.kind === "address";
  return [
    ...withBlock(asked),
    ...withoutEndpoints(asked),
    ...(source && target ? leavingGroup(source, target) : []),
    ...(source ? revoking(source) : []),
    ...(outside ? withoutForwards(asked) : []),
    ...(to.kind === "router"
      ? [
        ...routerPorts(asked, false, outside),
        ...(source ? addPolicy(source, "noapi", "no access to the router's pages") : []),
      ]
      : []),
  ];
}

/** One of two leaves a group that both are in. */
function leavingGroup(from: DeviceEnd, to: DeviceEnd): readonly ChangeCandidate[] {
  const shared = from.device.Groups.filter((name) => to.device.Groups.includes(name));
  return shared.flatMap((name) =>
    [from, to].map((one) =>
      setDevice(one, `Take ${one.name} out of the group ${name}`, {
        Groups: one.device.Groups.filter((other) => other !== name),
      })
    )
  );
}

function revoking(from: DeviceEnd): readonly ChangeCandidate[] {
  const { name, device } = from;
  return [
    ...removePolicy(from, "wan", `Take the Internet from ${name}`),
    ...removePolicy(from, "lan", `Take every device at home from ${name}`),
    ...removePolicy(from, "dns", `Take the router's resolver from ${name}`),
    ...removePolicy(from, "lan_upstream", `Take private networks behind the uplink from ${name}`),
    ...device.DeviceTags.map((tag) =>
      setDevice(from, `Take the tag ${tag} from ${name}`, {
        DeviceTags: device.DeviceTags.filter((other) => other !== tag),
      })
    ),
    ...addPolicy(from, "quarantine", "quarantine"),
  ];
}
