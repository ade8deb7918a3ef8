import { setIcmp } from "../../system/firewall/rules.ts";
import { IcmpOptions } from "../../system/firewall/schema.ts";
import { FirewallConfig, firewallConfig } from "../../system/firewall/wire.ts";
import { type Route, route } from "../http/route.ts";
import { FIREWALL, type FirewallDeps } from "./deps.ts";

const onOff = (on: boolean): string => on ? "on" : "off";

/** The firewall as a whole, and its pings. */
export function firewallConfigRoutes({ engine }: FirewallDeps): Route[] {
  return [
    route({
      method: "GET",
      path: "/firewall/config",
      compresses: true,
      ...FIREWALL,
      summary: "All firewall rules",
      description:
        "Returns every list of rules in the order in which they are stored, the ping settings, and " +
        "the resolver override of the router itself.",
      response: FirewallConfig,
    }, () => firewallConfig(engine.config.firewall)),
    route({
      method: "PUT",
      path: "/firewall/icmp",
      ...FIREWALL,
      summary: "Set whether the router answers pings",
      description: "`PingLan` is for LAN interfaces, `PingWan` for uplinks.",
      body: IcmpOptions,
      errors: [409, 412],
    }, (call) =>
      call.decide({
        kind: "firewall.icmp",
        summary: `Turned ${onOff(call.body.PingLan)} ping on LAN, ${
          onOff(call.body.PingWan)
        } on WAN`,
        reduce: (config) => setIcmp(config, call.body),
      })),
  ];
}
