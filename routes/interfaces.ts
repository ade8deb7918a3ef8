import { z } from "zod";
import type { Config } from "../system/config.ts";
import { AddressEntry } from "../system/core/inspection.ts";
import type { Engine } from "../system/core/engine.ts";
import { ArpEntry, arpTable } from "../system/network/arp.ts";
import { interfaceEntry, setLink, setUplink } from "../system/network/link_rules.ts";
import { InterfaceEntry, LinkUpdate, UplinkUpdate } from "../system/network/wire.ts";
import { type Route, route } from "./http/route.ts";

/** What the routes of links need from outside. */
export interface InterfacesDeps {
  readonly engine: Pick<Engine<Config>, "config" | "host">;
}

/** The router's links: what each is for, and what the kernel says of them. */
export function interfacesRoutes({ engine }: InterfacesDeps): Route[] {
  const common = { tag: "Interfaces", access: "auth" } as const;
  const write = { ...common, document: "interfaces", errors: [404, 409, 412, 502] } as const;
  return [
    route({
      method: "GET",
      path: "/interfacesConfiguration",
      ...common,
      document: "interfaces",
      summary: "The links of the router and what each is for",
      response: z.array(InterfaceEntry),
    }, () => engine.config.interfaces.map(interfaceEntry)),
    route({
      method: "PUT",
      path: "/link/config",
      ...write,
      summary: "Say what a link is for; fields that are missing stay as they are",
      body: LinkUpdate,
    }, (call) =>
      call.decide({
        kind: "link.set",
        summary: linkSummary(call.body),
        reduce: (config) => setLink(config, call.body),
      })),
    route({
      method: "PUT",
      path: "/uplink/ip",
      ...write,
      summary: "Set how an uplink gets its address; fields that are missing stay as they are",
      body: UplinkUpdate,
    }, (call) =>
      call.decide({
        kind: "uplink.address",
        summary: `Set the address of the uplink ${call.body.Name}`,
        reduce: (config) => setUplink(config, call.body),
      })),
    route({
      method: "GET",
      path: "/ip/addr",
      ...common,
      summary: "Links with their addresses, as the kernel has them",
      response: z.array(AddressEntry),
      errors: [502],
    }, () => engine.host.inspect({ kind: "addresses" })),
    route({
      method: "GET",
      path: "/arp",
      ...common,
      summary: "IPv4 neighbours, as the kernel has them",
      response: z.array(ArpEntry),
      errors: [502],
    }, async () => arpTable((await engine.host.facts()).neighbours)),
  ];
}

function linkSummary({ Name, Type, Enabled }: LinkUpdate): string {
  const what = Type === undefined ? `Set the link ${Name}` : `Use the link ${Name} as ${Type}`;
  return Enabled === undefined ? what : `${what}, ${Enabled ? "enabled" : "disabled"}`;
}
