import * as z from "zod";
import type { Config } from "../system/config.ts";
import type { ChangeEngine } from "../system/core/engine/change.ts";
import type { DiscoveredSenders } from "../system/multicast/discovered_senders.ts";
import { setMulticast } from "../system/multicast/rules.ts";
import { DiscoveredSender, MulticastSettings } from "../system/multicast/schema.ts";
import { type Route, route } from "./http/route.ts";

/** Dependencies of {@link multicastRoutes}. */
export interface MulticastDeps {
  readonly engine: Pick<ChangeEngine<Config>, "config">;
  readonly discovered: Pick<DiscoveredSenders, "list">;
}

/** Settings of the multicast reflector, and discovered senders. */
export function multicastRoutes({ engine, discovered }: MulticastDeps): Route[] {
  const common = {
    path: "/multicastSettings",
    tag: "Multicast",
    access: "auth",
    document: "multicast",
    response: MulticastSettings,
  } as const;
  return [
    route(
      {
        method: "GET",
        ...common,
        summary: "Settings of the multicast reflector",
        description:
          "Groups (such as mDNS, 224.0.0.251:5353) that are reflected between LAN interfaces, and the " +
          "router's own mDNS name.",
      },
      () => engine.config.multicast,
    ),
    route({
      method: "PUT",
      ...common,
      summary: "Set the multicast reflector",
      description:
        "Replaces the whole settings. A group with tags is reflected only between interfaces and " +
        "devices with one of them.",
      body: MulticastSettings,
      errors: [409, 412],
    }, (call) =>
      call.decide({
        kind: "multicast.set",
        summary: call.body.Disabled
          ? "Turned off the multicast reflector"
          : "Changed the multicast reflector",
        reduce: (config) => setMulticast(config, call.body),
      }, (result) => result)),
    route({
      method: "GET",
      path: "/multicast/discovered",
      compresses: true,
      tag: "Multicast",
      access: "auth",
      summary: "Discovered services, newest first",
      description:
        "Senders seen on the reflected groups, with the services they announce. Service " +
        "names come from the network: treat them as untrusted text.",
      response: z.object({ items: z.array(DiscoveredSender) }),
    }, () => ({ items: discovered.list() })),
  ];
}
