import * as z from "zod";
import { inLowerCase, InterfaceName, line } from "../core/net/grammar.ts";
import { Label, orBlank } from "../devices/schema.ts";
import { POLICIES, POLICY_NAMES } from "../devices/policies.ts";
import {
  EVERYWHERE,
  parsePorts,
  Port,
  PortRange,
  RuleAddress,
  RuleHost,
} from "./address_schema.ts";

/** Name, description and switch of a rule. */
const attributes = {
  RuleName: line(128).default(""),
  Description: line(256).default(""),
  Disabled: z.boolean().default(false),
};

const Protocol = inLowerCase(z.enum(["tcp", "udp"], { error: "Write tcp or udp" }));

/** Every port, where none is named. */
const anyPort = z.preprocess((text) => text === "" ? undefined : text, PortRange.default("any"));

function sameLength(rule: { readonly SrcPort: string; readonly DstPort: string }): boolean {
  if (rule.DstPort === "any") return true;
  const [a, b] = parsePorts(rule.SrcPort), [c, d] = parsePorts(rule.DstPort);
  return c === d || b - a === d - c;
}

/**
 * Forwards incoming WAN traffic to a LAN device. `SrcIP`, `SrcPort`: what clients connect to
 * (0.0.0.0/0: any WAN address of the router); `From`: permitted sources, default all. Ranges of one
 * length map one to one, a range may go to one port, and `any` as `DstPort` keeps the port.
 */
export const ForwardingRule = z.object({
  Protocol,
  SrcIP: RuleAddress.default(EVERYWHERE),
  SrcPort: PortRange,
  DstIP: RuleHost,
  DstPort: PortRange,
  From: z.array(RuleAddress).max(64, { error: "List at most 64 networks" }).default([]),
  ...attributes,
}).refine(sameLength, {
  path: ["DstPort"],
  error: "The ranges are of different lengths; write one port, any, or as many ports as SrcPort",
}).meta({ id: "ForwardingRule" });
export type ForwardingRule = z.output<typeof ForwardingRule>;

/** Drops new connections from one address or network to another, before port forwards apply. */
export const BlockRule = z.object({
  Protocol,
  SrcIP: RuleAddress,
  DstIP: RuleAddress,
  ...attributes,
}).meta({ id: "BlockRule" });
export type BlockRule = z.output<typeof BlockRule>;

/** Drops forwarded traffic to these ports; without `DstPort` to any. */
export const ForwardingBlockRule = z.object({
  Protocol,
  SrcIP: RuleAddress,
  DstIP: RuleAddress,
  DstPort: anyPort,
  ...attributes,
}).meta({ id: "ForwardingBlockRule" });
export type ForwardingBlockRule = z.output<typeof ForwardingBlockRule>;

/** Drops connections that the router itself opens to these ports; without `DstPort` to any. */
export const OutputBlockRule = ForwardingBlockRule.meta({ id: "OutputBlockRule" });
export type OutputBlockRule = ForwardingBlockRule;

/** A port of the router itself that is open on the LAN and, with `UpstreamEnabled`, on the WAN. */
export const ServicePort = z.object({
  Protocol: inLowerCase(z.literal("tcp", {
    error: (issue) =>
      issue.input === "udp"
        ? "Service ports are tcp only: the router offers no service over udp here"
        : "Service ports are tcp only",
  })),
  Port,
  UpstreamEnabled: z.boolean().default(false),
  Description: line(256).default(""),
}).meta({ id: "ServicePort" });
export type ServicePort = z.output<typeof ServicePort>;

/** RFC 1123 2.1: labels of letters, digits and hyphens, at most 253 characters. */
const Domain = z.string().trim().toLowerCase()
  .max(253, { error: "Use at most 253 characters" })
  .regex(
    /^([a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9])?\.)*[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/,
    {
      error: "Write a domain name, such as example.org",
    },
  );

/**
 * A destination that devices with one of its tags may reach. Without tags, or with a domain instead
 * of an address, it has no effect.
 */
export const Endpoint = z.object({
  RuleName: line(128).pipe(z.string().min(1, { error: "Write a name" })),
  Description: line(256).default(""),
  Disabled: z.boolean().default(false),
  Protocol,
  IP: orBlank(RuleAddress).default(""),
  Domain: orBlank(Domain).default(""),
  Port: PortRange,
  Tags: z.array(Label).max(64, { error: "List at most 64 tags" }).default([])
    .transform((tags) => [...new Set(tags)]),
}).refine((rule) => (rule.IP === "") !== (rule.Domain === ""), {
  path: ["IP"],
  error: "Write either an IP or a Domain",
}).meta({ id: "Endpoint" });
export type Endpoint = z.output<typeof Endpoint>;

/** A UDP port on which the router receives multicast on the LAN and, with `Upstream`, on the WAN. */
export const MulticastPort = z.object({ Port, Upstream: z.boolean().default(false) }).meta({
  id: "MulticastPort",
});
export type MulticastPort = z.output<typeof MulticastPort>;

const unique = <T>(list: readonly T[]): T[] => [...new Set(list)];

/**
 * Access of an address on an interface without devices, such as a container on its bridge.
 * `RouteDst`: the gateway to `SrcIP`.
 */
export const CustomInterfaceRule = z.object({
  Interface: InterfaceName,
  SrcIP: RuleAddress,
  RouteDst: orBlank(RuleHost).default(""),
  Policies: z.array(
    z.string().trim().toLowerCase().pipe(z.enum(POLICY_NAMES, {
      error: `Write a policy: ${POLICY_NAMES.join(", ")}`,
    })),
  ).default([]).transform(unique),
  Groups: z.array(Label).max(64, { error: "List at most 64 groups" }).default([]).transform(unique),
  Tags: z.array(Label).max(64, { error: "List at most 64 tags" }).default([]).transform(unique),
  ...attributes,
}).superRefine((rule, context) => {
  if (!rule.SrcIP.includes("/")) return;
  const refuse = (field: string, message: string): void => {
    context.addIssue({ code: "custom", path: [field], message });
  };
  for (const { name, interfaces } of POLICIES) {
    if (interfaces === null || interfaces.set !== null || !rule.Policies.includes(name)) continue;
    refuse("Policies", `${name} is for single addresses; write one as SrcIP`);
  }
  if (rule.Tags.length > 0) refuse("Tags", "Tags are for single addresses; write one as SrcIP");
  if (rule.RouteDst !== "" && rule.SrcIP === EVERYWHERE) {
    refuse("RouteDst", "This would replace the router's default route");
  }
}).meta({ id: "CustomInterfaceRule" });
export type CustomInterfaceRule = z.output<typeof CustomInterfaceRule>;
