import { setIcmp } from "../../system/firewall/rules.ts";
import { IcmpOptions } from "../../system/firewall/schema.ts";
import { FirewallConfig, firewallConfig } from "../../system/firewall/wire.ts";
import { type Route, route } from "../http/route.ts";
import { FIREWALL, type FirewallDeps } from "./deps.ts";

const yes = (on: boolean): string => on ? "answer" : "ignore";

/** The firewall as a whole, and its pings. */
export function firewallConfigRoutes({ engine }: FirewallDeps): Route[] {
  return [
    route({
      method: "GET",
      path: "/firewall/config",
      ...FIREWALL,
      summary: "All rules of the firewall",
      response: FirewallConfig,
    }, () => firewallConfig(engine.config.firewall)),
    route({
      method: "PUT",
      path: "/firewall/icmp",
      ...FIREWALL,
      summary: "Choose whether the router answers pings from home and from uplinks",
      body: IcmpOptions,
      errors: [409, 412],
    }, (call) =>
      call.decide({
        kind: "firewall.icmp",
        summary: `${yes(call.body.PingLan)} pings from home, ${yes(call.body.PingWan)} those ` +
          "from uplinks",
        reduce: (config) => setIcmp(config, call.body),
      })),
  ];
}
