import { bulkAdd } from "../devices/bulk.ts";
import type { Device } from "../devices/schema.ts";
import {
  type Asked,
  deviceAt,
  type DeviceEnd,
  type FlipCandidate,
  give,
  setDevice,
  take,
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
export function flipCandidates(asked: Asked): readonly FlipCandidate[] {
  return asked.answer.verdict === "accept" ? closing(asked) : opening(asked);
}

function opening(asked: Asked): readonly FlipCandidate[] {
  const { answer: { from, to }, config, query } = asked;
  const source = deviceAt(from, config), target = deviceAt(to, config);
  const outside = from.kind === "internet" || from.kind === "address";
  return [
    ...withoutBlocks(asked),
    ...[source, target].flatMap((end) => end ? released(end) : []),
    ...(source && to.kind === "internet" ? give(source, "wan", "the Internet") : []),
    ...(source && to.kind === "address"
      ? [
        ...give(source, "wan", "the Internet"),
        ...give(source, "lan_upstream", "private networks behind the uplink"),
      ]
      : []),
    ...(source && target ? between(asked, source, target) : []),
    ...(source && !target ? tagged(asked, source) : []),
    ...(outside && target ? withForward(asked) : []),
    ...(to.kind === "router"
      ? [
        ...(source && query.port === "53" ? give(source, "dns", "the router's resolver") : []),
        ...(source ? take(source, "noapi", `Let ${source.name} open the router's pages`) : []),
        ...routerPorts(asked, true, outside),
      ]
      : []),
  ];
}

function released(end: DeviceEnd): readonly FlipCandidate[] {
  const { device, name } = end;
  if (device.DeviceDisabled || device.Policies.includes("disabled")) {
    const Policies = device.Policies.filter((policy) => policy !== "disabled");
    return [setDevice(end, `Switch ${name} on again`, { DeviceDisabled: false, Policies })];
  }
  return take(end, "quarantine", `Let ${name} out of quarantine`);
}

function between(asked: Asked, from: DeviceEnd, to: DeviceEnd): readonly FlipCandidate[] {
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
    ...tagged(asked, from),
    ...give(from, "lan", "every device at home"),
  ];
}

/** Devices that reach each other because of a tag: one more tag, or one more endpoint. */
function tagged(asked: Asked, from: DeviceEnd): readonly FlipCandidate[] {
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
function newGroup(asked: Asked, from: DeviceEnd, to: DeviceEnd): readonly FlipCandidate[] {
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

function closing(asked: Asked): readonly FlipCandidate[] {
  const { answer: { from, to }, config } = asked;
  const source = deviceAt(from, config), target = deviceAt(to, config);
  const outside = from.kind === "internet" || from.kind === "address";
  return [
    ...withBlock(asked),
    ...withoutEndpoints(asked),
    ...(source && target ? apart(source, target) : []),
    ...(source ? without(source) : []),
    ...(outside ? withoutForwards(asked) : []),
    ...(to.kind === "router"
      ? [
        ...routerPorts(asked, false, outside),
        ...(source ? give(source, "noapi", "no access to the router's pages") : []),
      ]
      : []),
  ];
}

/** One of two leaves a group that both are in. */
function apart(from: DeviceEnd, to: DeviceEnd): readonly FlipCandidate[] {
  const shared = from.device.Groups.filter((name) => to.device.Groups.includes(name));
  return shared.flatMap((name) =>
    [from, to].map((one) =>
      setDevice(one, `Take ${one.name} out of the group ${name}`, {
        Groups: one.device.Groups.filter((other) => other !== name),
      })
    )
  );
}

function without(from: DeviceEnd): readonly FlipCandidate[] {
  const { name, device } = from;
  return [
    ...take(from, "wan", `Take the Internet from ${name}`),
    ...take(from, "lan", `Take every device at home from ${name}`),
    ...take(from, "dns", `Take the router's resolver from ${name}`),
    ...take(from, "lan_upstream", `Take private networks behind the uplink from ${name}`),
    ...device.DeviceTags.map((tag) =>
      setDevice(from, `Take the tag ${tag} from ${name}`, {
        DeviceTags: device.DeviceTags.filter((other) => other !== tag),
      })
    ),
    ...give(from, "quarantine", "quarantine"),
  ];
}
