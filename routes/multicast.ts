import { z } from "zod";
import type { Config } from "../system/config.ts";
import type { ChangeEngine } from "../system/core/engine/change.ts";
import type { DiscoveredSenders } from "../system/multicast/discovered_senders.ts";
import { setMulticast } from "../system/multicast/rules.ts";
import { DiscoveredSender, MulticastSettings } from "../system/multicast/schema.ts";
import { type Route, route } from "./http/route.ts";

/** What the routes of multicast need from outside. */
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
        summary: "Multicast groups that are reflected between interfaces",
      },
      () => engine.config.multicast,
    ),
    route({
      method: "PUT",
      ...common,
      summary: "Set the reflected multicast groups and the router's mDNS name",
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
      path: "/multicast/heard",
      tag: "Multicast",
      access: "auth",
      summary: "Discovered services, newest first; texts are the devices' own",
      response: z.object({ items: z.array(DiscoveredSender) }),
    }, () => ({ items: discovered.list() })),
  ];
}
