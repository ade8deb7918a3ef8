import * as z from "zod";
import { InterfaceName, Ip, Ipv4, Mac } from "../../core/net/grammar.ts";
import type { Flow, LiveFlowsQuery } from "../../core/kernel/host.ts";
import type { IpOp, KernelStep, RulesetOp } from "../../core/kernel/plan.ts";
import type { Chain, Element, NftSet, Table } from "../../core/kernel/ruleset.ts";

/**
 * The JSON format of the calls to netd. The maps of a ruleset are sent as lists of their elements; the
 * reader validates every name and text against its grammar, from any sender.
 */

/** Name of a table, set or chain. The renderer narrows it further. */
const Name = z.string().regex(/^[A-Za-z_][A-Za-z0-9_.-]{0,120}$/);
/** Addresses, prefixes, ranges, ports, names of protocols, states and interfaces. */
const Literal = z.string().regex(/^[A-Za-z0-9][A-Za-z0-9_.:/*-]{0,63}$|^::[0-9a-fA-F:./]{0,60}$/);
/** Comment of a rule: one line. The renderer shortens it and removes quotes. */
// deno-lint-ignore no-control-regex
const Comment = z.string().max(1024).regex(/^[^\u0000-\u001f\u007f-\u009f\u2028\u2029]*$/);
const Family = z.enum(["inet", "ip"]);
const Port = z.number().int().min(0).max(65535);

/** Largest weight of an uplink. */
const MAX_WEIGHT = 100;
const Mark = z.number().int().min(0).max(2 ** 32 - 1);

const KeyType = z.enum(["ipv4_addr", "ifname", "ether_addr", "inet_proto", "inet_service"]);

const FieldName = z.enum([
  ...["iifname", "oifname", "ip saddr", "ip daddr", "ether saddr", "meta l4proto"] as const,
  ...["th sport", "th dport", "icmp type", "icmpv6 type", "meta nfproto", "ct state"] as const,
  ...[
    "ct mark",
    "ct status",
    "ct original ip daddr",
    "ct reply ip daddr",
    "ip6 saddr",
    "ip6 daddr",
    "fib daddr type",
    "@th,96,24",
  ] as const,
]);

const Verdict = z.discriminatedUnion("kind", [
  z.object({ kind: z.enum(["accept", "drop", "return", "continue"]) }),
  z.object({ kind: z.enum(["jump", "goto"]), chain: Name }),
]);

const WireElement = z.object({
  key: z.array(Literal).min(1).max(8),
  value: z.union([Verdict, z.array(Literal).min(1).max(8)]).exactOptional(),
});

/** What the elements of a set must fit. */
const SHAPE = {
  key: z.array(KeyType).min(1).max(8),
  value: z.union([z.literal("verdict"), z.array(KeyType).min(1).max(8)]).exactOptional(),
  interval: z.boolean().exactOptional(),
};

const WireSet = z.object({
  name: Name,
  ...SHAPE,
  counter: z.boolean().exactOptional(),
  dynamic: z.object({
    size: z.number().int().min(1).max(2 ** 20),
    timeout: z.number().int().min(1).max(2 ** 24),
  }).exactOptional(),
  elements: z.array(WireElement).transform(toMap),
});

const Action = z.discriminatedUnion("kind", [
  ...Verdict.options,
  z.object({ kind: z.literal("vmap"), fields: z.array(FieldName), map: Name }),
  z.object({ kind: z.literal("dnat-map"), fields: z.array(FieldName), map: Name }),
  z.object({ kind: z.literal("reject") }),
  z.object({ kind: z.literal("masquerade") }),
  z.object({ kind: z.literal("dnat"), to: Literal, port: Port.exactOptional() }),
  z.object({ kind: z.literal("mark"), mark: Mark }),
  z.object({
    kind: z.literal("spread"),
    fields: z.array(FieldName).max(2),
    shares: z.array(z.object({ mark: Mark, weight: z.number().int().min(1).max(MAX_WEIGHT) }))
      .min(1).max(64),
  }),
  z.object({ kind: z.literal("restore-mark") }),
  z.object({ kind: z.literal("count"), field: FieldName, set: Name }),
  z.object({ kind: z.literal("clamp-mss") }),
  z.object({
    kind: z.literal("log"),
    prefix: z.string().regex(/^[A-Za-z0-9 :,.()/-]{1,127}$/),
    group: z.number().int().min(0).max(65535),
  }),
]);

const WireChain: z.ZodType<Chain> = z.object({
  name: Name,
  hook: z.object({
    type: z.enum(["filter", "nat", "route"]),
    hook: z.enum(["prerouting", "input", "forward", "output", "postrouting"]),
    priority: z.number().int().min(-1000).max(1000),
    policy: z.enum(["accept", "drop"]),
  }).exactOptional(),
  rules: z.array(z.object({
    matches: z.array(z.discriminatedUnion("kind", [
      z.object({
        kind: z.literal("is"),
        field: FieldName,
        values: z.array(Literal),
        not: z.boolean().exactOptional(),
      }),
      z.object({
        kind: z.literal("in"),
        fields: z.array(FieldName).min(1),
        set: Name,
        not: z.boolean().exactOptional(),
        map: z.boolean().exactOptional(),
      }),
    ])),
    action: Action,
    comment: Comment,
  })),
});

const WireTable = z.object({
  family: Family,
  name: Name,
  sets: z.array(WireSet),
  chains: z.array(WireChain),
});

const inTable = { family: Family, table: Name };

const WireRulesetOp = z.discriminatedUnion("op", [
  z.object({ op: z.literal("add-table"), table: WireTable }),
  z.object({ op: z.literal("delete-table"), ...inTable }),
  z.object({ op: z.literal("add-set"), ...inTable, set: WireSet }),
  z.object({ op: z.literal("delete-set"), ...inTable, set: Name }),
  z.object({
    op: z.enum(["add-elements", "delete-elements"]),
    ...inTable,
    set: Name,
    elements: z.array(WireElement),
    shape: z.object(SHAPE).exactOptional(),
  }),
  z.object({ op: z.enum(["add-chain", "replace-rules"]), ...inTable, chain: WireChain }),
  z.object({ op: z.literal("delete-chain"), ...inTable, chain: Name }),
]);

/** An address with its prefix length. The line of `ip` is checked again before it is written. */
const Network = z.string().regex(/^[0-9a-fA-F.:]{2,45}\/\d{1,3}$/);
const RouteValue = z.object({
  destination: z.union([z.literal("default"), Network]),
  via: Ip.nullable(),
  link: InterfaceName,
});

/** Routing tables of uplinks; their marks have the same numbers. */
const UplinkTable = z.number().int().min(200).max(239);
const PolicyRoute = z.object({
  table: z.union([z.literal("main"), UplinkTable]),
  metric: z.number().int().min(0).max(2 ** 32 - 1),
  via: Ip.nullable(),
  link: InterfaceName,
});
const IpRule = z.discriminatedUnion("kind", [
  z.object({ kind: z.literal("local") }),
  z.object({ kind: z.literal("link"), link: InterfaceName, table: UplinkTable }),
  z.object({ kind: z.literal("source"), address: Ip, table: UplinkTable }),
  z.object({ kind: z.literal("mark"), table: UplinkTable }),
]);
const VlanOf = z.object({ parent: InterfaceName, tag: z.number().int().min(1).max(4094) });
const VxlanOf = z.object({ id: z.number().int().min(1).max(2 ** 24 - 1), remote: Ipv4 });

const WireIpOp: z.ZodType<IpOp> = z.discriminatedUnion("op", [
  z.object({ op: z.literal("add-link"), name: InterfaceName, kind: z.enum(["dummy", "bridge"]) }),
  z.object({ op: z.literal("add-vlan"), name: InterfaceName, vlan: VlanOf }),
  z.object({ op: z.literal("add-vxlan"), name: InterfaceName, vxlan: VxlanOf }),
  z.object({ op: z.literal("set-bridge"), name: InterfaceName, bridge: InterfaceName.nullable() }),
  z.object({ op: z.literal("set-isolated"), name: InterfaceName, isolated: z.boolean() }),
  z.object({ op: z.literal("set-mac"), name: InterfaceName, mac: Mac }),
  z.object({
    op: z.literal("set-mtu"),
    name: InterfaceName,
    mtu: z.number().int().min(68).max(65535),
  }),
  z.object({ op: z.literal("set-loose-rp-filter"), name: InterfaceName }),
  z.object({
    op: z.enum(["replace-policy-route", "delete-policy-route"]),
    policyRoute: PolicyRoute,
  }),
  z.object({ op: z.enum(["add-rule", "delete-rule"]), rule: IpRule }),
  z.object({ op: z.literal("delete-link"), name: InterfaceName }),
  z.object({ op: z.literal("set-link"), name: InterfaceName, up: z.boolean() }),
  z.object({
    op: z.enum(["add-address", "delete-address"]),
    link: InterfaceName,
    address: Network,
    mayBeThere: z.literal(true).exactOptional(),
  }),
  z.object({ op: z.enum(["replace-route", "delete-route"]), route: RouteValue }),
  z.object({
    op: z.literal("replace-neighbour"),
    neighbour: z.object({ address: Ip, link: InterfaceName, mac: Mac }),
  }),
  z.object({ op: z.literal("delete-neighbour"), address: Ip, link: InterfaceName }),
]);

/** A kernel step as netd reads it. */
export const WireStep: z.ZodType<KernelStep> = z.discriminatedUnion("kind", [
  z.object({ kind: z.literal("ruleset"), ops: z.array(WireRulesetOp) }),
  z.object({ kind: z.literal("load"), ruleset: z.object({ tables: z.array(WireTable) }) }),
  z.object({ kind: z.literal("ip"), ops: z.array(WireIpOp) }),
  z.object({ kind: z.literal("forwarding"), on: z.boolean() }),
]);

/** Steps of one plan as netd reads them. */
export const WireSteps: z.ZodType<readonly KernelStep[]> = z.array(WireStep);

/** Conntrack entries to flush, as netd reads them. */
export const WireFlows: z.ZodType<readonly Flow[]> = z.array(z.object({
  protocol: z.enum(["tcp", "udp", "icmp"]),
  source: Ip,
  destination: Ip,
  sport: Port.exactOptional(),
  dport: Port.exactOptional(),
  replySource: Ip,
  replyDestination: Ip,
  replySport: Port.exactOptional(),
  replyDport: Port.exactOptional(),
}));

/** What of the traffic is requested, beside the counters of addresses. */
export const WireTraffic = z.object({ acknowledged: z.string().max(100).nullable() }).nullable();

/** Which live connections are requested. */
export const WireLiveFlows: z.ZodType<LiveFlowsQuery> = z.object({
  addresses: z.array(Ip).nullable(),
  remotes: z.array(Ip).nullable(),
  order: z.enum(["newest", "bytes"]),
  before: z.number().nullable(),
  limit: z.number().int().min(1).max(1000),
});

/** Addresses of a query. */
export const WireAddresses: z.ZodType<readonly string[]> = z.array(Ip);

/** A time in unix milliseconds. */
export const WireTime: z.ZodType<number> = z.int().positive();

/** Whether a comparison also counts large sets. */
export const WireThorough: z.ZodType<boolean> = z.boolean();

/** A step as the JSON value that {@link WireStep} reads. */
export function stepToWire(step: KernelStep): unknown {
  if (step.kind === "load") {
    return { kind: "load", ruleset: { tables: step.ruleset.tables.map(tableToWire) } };
  }
  return step.kind === "ruleset" ? { kind: "ruleset", ops: step.ops.map(opToWire) } : step;
}

function opToWire(op: RulesetOp): unknown {
  if (op.op === "add-table") return { ...op, table: tableToWire(op.table) };
  return op.op === "add-set" ? { ...op, set: setToWire(op.set) } : op;
}

function tableToWire(table: Table): unknown {
  return { ...table, sets: table.sets.map(setToWire) };
}

function setToWire(set: NftSet): unknown {
  return { ...set, elements: [...set.elements.values()] };
}

function toMap(elements: readonly Element[]): ReadonlyMap<string, Element> {
  return new Map(elements.map((element) => [element.key.join(" . "), element]));
}
