import { z } from "zod";

/** A port of the router itself that is open to the home side and, with `UpstreamEnabled`, to uplinks. */
export const ServicePort = z.object({
  Protocol: z.literal("tcp"),
  Port: z.string(),
  UpstreamEnabled: z.boolean(),
  Description: z.string(),
});
export type ServicePort = z.output<typeof ServicePort>;

/** The firewall document (`configs/base/firewall.json`). */
export const Firewall = z.object({
  ServicePorts: z.array(ServicePort),
  PingLan: z.boolean(),
  PingWan: z.boolean(),
});
export type Firewall = z.output<typeof Firewall>;
