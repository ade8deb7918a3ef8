import { z } from "zod";
import { line } from "../core/grammar.ts";

/** One port number, 1 to 65535, without leading zeros. */
const Port = z.string().regex(/^[1-9]\d{0,4}$/, { error: "Write one port, 1 to 65535" })
  .refine((text) => Number(text) <= 65535, { error: "Write one port, 1 to 65535" });

/** A port of the router itself that is open to the home side and, with `UpstreamEnabled`, to uplinks. */
export const ServicePort = z.object({
  Protocol: z.literal("tcp", { error: "Service ports are tcp only" }),
  Port,
  UpstreamEnabled: z.boolean().default(false),
  Description: line(256).default(""),
});
export type ServicePort = z.output<typeof ServicePort>;

/**
 * The firewall document (`configs/base/firewall.json`). Lists that have no meaning yet, such as
 * `ForwardingRules`, are kept as they are.
 */
export const Firewall = z.looseObject({
  ServicePorts: z.array(ServicePort),
  PingLan: z.boolean(),
  PingWan: z.boolean(),
});
export type Firewall = z.output<typeof Firewall>;

/** In force until someone decides: the router's shell and pages at home, nothing towards uplinks. */
export const DEFAULT_FIREWALL: Firewall = {
  ServicePorts: ["22", "80", "443"].map((Port) => ({
    Protocol: "tcp",
    Port,
    UpstreamEnabled: false,
    Description: "",
  })),
  PingLan: true,
  PingWan: false,
};
