import * as z from "zod";
import { inLowerCase, InterfaceName, line } from "../core/net/grammar.ts";
import { Label, orBlank } from "../devices/schema.ts";
import { Port, RuleAddress, RuleHost } from "./address_schema.ts";
import { byList, RULE_KINDS, type RuleList, type RuleLists } from "./rule_kinds.ts";
import { type Firewall, IcmpOptions, RULE_LIST_SHAPES } from "./schema.ts";

/** What an endpoint is deleted by; everything else of it may be sent along. */
export const EndpointName = z.object({
  RuleName: line(128).pipe(z.string().min(1, { error: "Write a name" })),
}).meta({ id: "EndpointName" });

/** What a service port is deleted by. */
export const ServicePortName = z.object({
  Protocol: inLowerCase(z.enum(["tcp", "udp"], { error: "Write tcp" })).default("tcp"),
  Port,
}).meta({ id: "ServicePortName" });

/** What a multicast port is deleted by. */
export const MulticastPortName = z.object({ Port }).meta({ id: "MulticastPortName" });

const text = (word: z.ZodType<string>) => z.array(word).optional();

/** What a custom interface rule is deleted by; lists that are left out match any. */
export const CustomRuleName = z.object({
  Interface: InterfaceName,
  SrcIP: RuleAddress,
  RouteDst: orBlank(RuleHost).default(""),
  Policies: text(z.string().trim().toLowerCase()),
  Groups: text(Label),
  Tags: text(Label),
}).meta({ id: "CustomRuleName" });

/** Rules of one list that one request may write. */
const MAX_AT_ONCE = 64;

type Lists = {
  [L in RuleList]: z.ZodOptional<z.ZodArray<(typeof RULE_KINDS)[L]["shape"]>>;
};

/** Rules by the lists of the firewall document. */
const ruleLists = (): z.ZodObject<Lists> =>
  z.object(byList<Lists>((list) =>
    z.array(RULE_KINDS[list].shape).max(MAX_AT_ONCE, {
      error: `Write at most ${MAX_AT_ONCE} rules at once`,
    }).optional() as never
  ));

/** Body of `PUT /firewall/rules`: several rules of any kind that are deleted, then written. */
export const RuleChanges = z.object({
  Delete: ruleLists().optional().describe("Rules that say the same are deleted first"),
  Put: ruleLists().optional().describe("Rules that are added or updated"),
}).meta({ id: "RuleChanges" });
export type RuleChanges = z.output<typeof RuleChanges>;

/** The firewall document as it is shown. */
export const FirewallConfig = z.object({
  ...RULE_LIST_SHAPES,
  ...IcmpOptions.shape,
  /** Address of the resolver that takes the place of the upstream; "" for none. */
  SystemDNSOverride: z.string(),
}).meta({ id: "FirewallConfig" });

/** What of the document is shown: no fields that are only kept for others. */
export function firewallConfig(firewall: Firewall): z.output<typeof FirewallConfig> {
  const override = firewall["SystemDNSOverride"];
  return {
    ...byList<RuleLists>((list) => firewall[list]),
    PingLan: firewall.PingLan,
    PingWan: firewall.PingWan,
    SystemDNSOverride: typeof override === "string" ? override : "",
  };
}
