import { PacketLogSettings } from "../../system/firewall/packet_log/schema.ts";
import { type Route, route } from "../http/route.ts";
import type { FirewallDeps } from "./deps.ts";

/** What becomes of the log, in the change history. */
const SUMMARIES: Readonly<Record<PacketLogSettings["Log"], string>> = {
  off: "Turned off the packet log",
  drops: "Logged blocked packets",
  all: "Logged blocked packets and the first ones of allowed connections",
};

/** Which packets are reported as events. */
export function packetLogRoutes({ engine }: Pick<FirewallDeps, "engine">): Route[] {
  const common = {
    path: "/firewall/packet_log",
    tag: "Firewall",
    access: "auth",
    document: "packetLog",
    response: PacketLogSettings,
  } as const;
  return [
    route({
      method: "GET",
      ...common,
      summary: "Which packets are logged",
      description:
        "Logged packets are events of the topics `nft:…`, at most a few of each rule and " +
        "source; the others are counted.",
    }, () => engine.config.packetLog),
    route({
      method: "PUT",
      ...common,
      summary: "Set which packets are logged",
      description: "While it is `off` there is no rule that logs, and nothing reads the log.",
      body: PacketLogSettings,
      errors: [409, 412],
    }, (call) =>
      call.decide({
        kind: "firewall.packet_log.set",
        summary: SUMMARIES[call.body.Log],
        reduce: (config) => [{ ...config, packetLog: call.body }, call.body],
      }, (result) => result)),
  ];
}
