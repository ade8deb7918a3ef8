import * as z from "zod";
import { byList, RULE_KINDS, type RuleList, type RuleLists } from "./rule_kinds.ts";

export * from "./rule_schema.ts";

/** Rules that one list may hold. */
export const MAX_RULES = 5000;

/** Ports that forwards of shifted ranges may move in all, each an entry of its own in the kernel. */
export const MAX_SHIFTED_PORTS = 16_384;

/** Whether the router answers pings. */
export const IcmpOptions = z.object({
  PingLan: z.boolean({ error: "Write true or false" }),
  PingWan: z.boolean({ error: "Write true or false" }),
}).meta({ id: "IcmpOptions" });
export type IcmpOptions = z.output<typeof IcmpOptions>;

/** The lists of the firewall document, as members of its shape. */
export const RULE_LIST_SHAPES = byList<
  { [L in RuleList]: z.ZodArray<(typeof RULE_KINDS)[L]["shape"]> }
>((list) => z.array(RULE_KINDS[list].shape) as never);

/**
 * The firewall document (`configs/base/firewall.json`). Fields that have no meaning yet are kept as
 * they are.
 */
export const Firewall = z.looseObject({ ...RULE_LIST_SHAPES, ...IcmpOptions.shape });
export type Firewall = z.output<typeof Firewall>;

/** Until it is configured: SSH and the admin UI are open on the LAN, nothing on the WAN. */
export const DEFAULT_FIREWALL: Firewall = {
  ...byList<RuleLists>(() => []),
  ServicePorts: ["22", "80", "443"].map((Port) => ({
    Protocol: "tcp",
    Port,
    UpstreamEnabled: false,
    Description: "",
  })),
  PingLan: true,
  PingWan: false,
};
