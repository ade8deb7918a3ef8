import type { Config } from "../system/config.ts";
import type { ChangeEngine } from "../system/core/change.ts";
import { SubnetConfig } from "../system/dhcp/schema.ts";
import { setSubnets } from "../system/dhcp/subnet_rules.ts";
import { type Route, route } from "./http/route.ts";

/** What the routes of address pools need from outside. */
export interface DhcpDeps {
  readonly engine: Pick<ChangeEngine<Config>, "config">;
}

/** The address pools of devices. */
export function dhcpRoutes({ engine }: DhcpDeps): Route[] {
  const common = {
    path: "/subnetConfig",
    tag: "DHCP",
    access: "auth",
    document: "dhcp",
    response: SubnetConfig,
  } as const;
  return [
    route(
      { method: "GET", ...common, summary: "Address pools and lease time" },
      () => engine.config.dhcp,
    ),
    route({
      method: "PUT",
      ...common,
      summary: "Set the address pools and the lease time; devices move at their next request",
      body: SubnetConfig,
      errors: [409, 412],
    }, (call) =>
      call.decide({
        kind: "dhcp.set",
        summary: `Lease addresses of ${call.body.TinyNets.join(", ")}`,
        reduce: (config) => setSubnets(config, call.body),
      }, (result) => result)),
  ];
}
