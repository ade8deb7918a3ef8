import { z } from "zod";
import {
  BlockRule,
  CustomInterfaceRule,
  Endpoint,
  ForwardingBlockRule,
  ForwardingRule,
  MulticastPort,
  OutputBlockRule,
  ServicePort,
} from "./rule_schema.ts";

export * from "./rule_schema.ts";

/** Rules that one list may hold. */
export const MAX_RULES = 5000;

/** Ports that forwards of shifted ranges may move in all, each an entry of its own in the kernel. */
export const MAX_SHIFTED_PORTS = 16_384;

/** The lists of the firewall document, each with the shape of its entries. */
export const RULE_LISTS = {
  ForwardingRules: ForwardingRule,
  BlockRules: BlockRule,
  OutputBlockRules: OutputBlockRule,
  ForwardingBlockRules: ForwardingBlockRule,
  CustomInterfaceRules: CustomInterfaceRule,
  ServicePorts: ServicePort,
  Endpoints: Endpoint,
  MulticastPorts: MulticastPort,
} as const;

/** Name of a list of the firewall document. */
export type RuleList = keyof typeof RULE_LISTS;

/** Whether the router answers pings. */
export const IcmpOptions = z.object({
  PingLan: z.boolean({ error: "Write true or false" }),
  PingWan: z.boolean({ error: "Write true or false" }),
}).meta({ id: "IcmpOptions" });
export type IcmpOptions = z.output<typeof IcmpOptions>;

/**
 * The firewall document (`configs/base/firewall.json`). Fields that have no meaning yet are kept as
 * they are.
 */
export const Firewall = z.looseObject({
  ForwardingRules: z.array(ForwardingRule),
  BlockRules: z.array(BlockRule),
  OutputBlockRules: z.array(OutputBlockRule),
  ForwardingBlockRules: z.array(ForwardingBlockRule),
  CustomInterfaceRules: z.array(CustomInterfaceRule),
  ServicePorts: z.array(ServicePort),
  Endpoints: z.array(Endpoint),
  MulticastPorts: z.array(MulticastPort),
  ...IcmpOptions.shape,
});
export type Firewall = z.output<typeof Firewall>;

/** Until it is configured: SSH and the admin UI are open on the LAN, nothing on the WAN. */
export const DEFAULT_FIREWALL: Firewall = {
  ForwardingRules: [],
  BlockRules: [],
  OutputBlockRules: [],
  ForwardingBlockRules: [],
  CustomInterfaceRules: [],
  ServicePorts: ["22", "80", "443"].map((Port) => ({
    Protocol: "tcp",
    Port,
    UpstreamEnabled: false,
    Description: "",
  })),
  Endpoints: [],
  MulticastPorts: [],
  PingLan: true,
  PingWan: false,
};
