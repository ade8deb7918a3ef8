import { z } from "zod";
import type { Config } from "../../system/config.ts";
import { AddressEntry } from "../../system/core/kernel/inspection.ts";
import type { Engine } from "../../system/core/engine/engine.ts";
import { ArpEntry, arpTable } from "../../system/network/links/arp.ts";
import { InterfaceName } from "../../system/core/net/grammar.ts";
import { Problem } from "../../system/core/errors/problem.ts";
import { addressLinks } from "../../system/network/links/address_links.ts";
import { drawMac } from "../../system/network/links/draw_mac.ts";
import {
  interfaceEntry,
  setLink,
  setLinkAddress,
  setUplink,
} from "../../system/network/links/link_rules.ts";
import { setLinkState, setTrunk } from "../../system/network/state_rules.ts";
import { InterfaceEntry, LinkUpdate, UplinkUpdate } from "../../system/network/wire.ts";
import { json } from "../http/answer.ts";
import { type Route, route } from "../http/route.ts";

/** What the routes of links need from outside. */
export interface InterfacesDeps {
  readonly engine: Pick<Engine<Config>, "config" | "host" | "desired">;
  readonly random: (length: number) => Uint8Array;
}

const common = { tag: "Interfaces", access: "auth" } as const;
const write = { ...common, document: "interfaces", errors: [404, 409, 412, 502] } as const;

/** The router's links: what each is for, and what the kernel says of them. */
export function interfacesRoutes({ engine, random }: InterfacesDeps): Route[] {
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
    }, (call) => {
      const known = engine.config.interfaces.find(({ Name }) => Name === call.body.Name);
      const drawn = drawMac(random(6), call.body.MACCloak ?? known?.MACCloak ?? false);
      return call.decide({
        kind: "link.set",
        summary: linkSummary(call.body),
        reduce: (config) => setLink(config, call.body, drawn),
      });
    }),
    addressRoute({
      path: "/link/ip",
      summary: "Set the addresses of a link; fields that are missing stay as they are",
      kind: "link.address",
      words: (name) => `Set the addresses of the link ${name}`,
      set: setLinkAddress,
    }),
    route({
      method: "PUT",
      path: "/link/vlan/{interface}/{state}",
      ...write,
      errors: [...write.errors, 503],
      summary: "Let a downlink carry tagged devices, each VLAN a link of its own, or no longer",
      params: z.object({ interface: InterfaceName, state: z.enum(["enable", "disable"]) }),
    }, async (call) => {
      const { interface: name, state } = call.params;
      const enabled = state === "enable";
      // What no kernel could do is said before what this one cannot.
      setTrunk(engine.config, name, enabled);
      if (enabled && !(await engine.host.facts()).capabilities.vlan) {
        throw new Problem(503, "This kernel makes no VLANs: it lacks the module 8021q");
      }
      return await call.decide({
        kind: "link.vlan",
        summary: `${enabled ? "Carry" : "Carry no"} tagged devices on ${name}`,
        reduce: (config) => setTrunk(config, name, enabled),
      });
    }),
    route({
      method: "PUT",
      path: "/ip/link/{interface}/{state}",
      ...write,
      summary: "Bring a link up or down, for good",
      params: z.object({ interface: InterfaceName, state: z.enum(["up", "down"]) }),
    }, (call) => {
      const { interface: name, state } = call.params;
      return call.decide({
        kind: "link.state",
        summary: `Bring the link ${name} ${state}`,
        reduce: (config) => setLinkState(config, name, state === "up"),
      });
    }),
    addressRoute({
      path: "/uplink/ip",
      summary: "Set how an uplink gets its address; fields that are missing stay as they are",
      kind: "uplink.address",
      words: (name) => `Set the address of the uplink ${name}`,
      set: setUplink,
    }),
    route({
      method: "GET",
      path: "/ip/interfaces",
      ...common,
      summary: "The link on which each device's address is",
      response: z.record(z.string(), z.string()),
    }, () => addressLinks(engine.config, engine.desired)),
    route({
      method: "GET",
      path: "/ip/addr",
      ...common,
      summary: "Links with their addresses, as the kernel has them",
      response: z.array(AddressEntry),
      errors: [502],
    }, async () => json(await engine.host.inspect({ kind: "addresses" }))),
    route({
      method: "GET",
      path: "/arp",
      ...common,
      summary: "IPv4 neighbours, as the kernel has them",
      response: z.array(ArpEntry),
      errors: [502],
    }, async () => arpTable(await engine.host.inspect({ kind: "neighbours" }))),
  ];
}

/** A route that sets addresses, and how it does. */
function addressRoute(
  { path, summary, kind, words, set }: {
    readonly path: string;
    readonly summary: string;
    readonly kind: string;
    readonly words: (name: string) => string;
    readonly set: (config: Config, update: UplinkUpdate) => [Config, void];
  },
): Route {
  return route(
    { method: "PUT", path, ...write, summary, body: UplinkUpdate },
    (call) =>
      call.decide({
        kind,
        summary: words(call.body.Name),
        reduce: (config) => set(config, call.body),
      }),
  );
}

function linkSummary({ Name, Type, Enabled }: LinkUpdate): string {
  const what = Type === undefined ? `Set the link ${Name}` : `Use the link ${Name} as ${Type}`;
  return Enabled === undefined ? what : `${what}, ${Enabled ? "enabled" : "disabled"}`;
}
