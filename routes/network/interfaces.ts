import { z } from "zod";
import type { Config } from "../../system/config.ts";
import { AddressEntry } from "../../system/core/kernel/inspection.ts";
import type { Engine } from "../../system/core/engine/engine.ts";
import { ArpEntry, arpTable } from "../../system/network/interfaces/arp_table.ts";
import { InterfaceName } from "../../system/core/net/grammar.ts";
import { Problem } from "../../system/core/errors/problem.ts";
import { addressLinks } from "../../system/network/interfaces/address_links.ts";
import { randomMac } from "../../system/network/interfaces/random_mac.ts";
import {
  interfaceEntry,
  setLink,
  setLinkAddress,
  setUplink,
} from "../../system/network/interfaces/link_rules.ts";
import { setLinkState, setTrunk } from "../../system/network/interfaces/state_rules.ts";
import {
  InterfaceEntry,
  LinkUpdate,
  UplinkUpdate,
} from "../../system/network/interfaces/update_schema.ts";
import { json } from "../http/answer.ts";
import { type Route, route } from "../http/route.ts";

/** What the routes of interfaces need from outside. */
export interface InterfacesDeps {
  readonly engine: Pick<Engine<Config>, "config" | "host" | "desired">;
  readonly random: (length: number) => Uint8Array;
}

const common = { tag: "Interfaces", access: "auth" } as const;
const write = { ...common, document: "interfaces", errors: [404, 409, 412, 502] } as const;

/** The router's interfaces: their roles, and their state in the kernel. */
export function interfacesRoutes({ engine, random }: InterfacesDeps): Route[] {
  return [
    route({
      method: "GET",
      path: "/interfacesConfiguration",
      ...common,
      document: "interfaces",
      summary: "The router's interfaces and their roles",
      response: z.array(InterfaceEntry),
    }, () => engine.config.interfaces.map(interfaceEntry)),
    route({
      method: "PUT",
      path: "/link/config",
      ...write,
      summary: "Set the role of an interface; missing fields stay unchanged",
      body: LinkUpdate,
    }, (call) => {
      const known = engine.config.interfaces.find(({ Name }) => Name === call.body.Name);
      const mac = randomMac(random(6), call.body.MACCloak ?? known?.MACCloak ?? false);
      return call.decide({
        kind: "link.set",
        summary: linkSummary(call.body),
        reduce: (config) => setLink(config, call.body, mac),
      });
    }),
    addressRoute({
      path: "/link/ip",
      summary: "Set the addresses of an interface; missing fields stay unchanged",
      kind: "link.address",
      summaryOf: (name) => `Set the addresses of ${name}`,
      set: setLinkAddress,
    }),
    route({
      method: "PUT",
      path: "/link/vlan/{interface}/{state}",
      ...write,
      errors: [...write.errors, 503],
      summary: "Make a LAN interface a VLAN trunk, or no longer",
      params: z.object({ interface: InterfaceName, state: z.enum(["enable", "disable"]) }),
    }, async (call) => {
      const { interface: name, state } = call.params;
      const enabled = state === "enable";
      // An invalid request is refused before a missing kernel feature.
      setTrunk(engine.config, name, enabled);
      if (enabled && !(await engine.host.facts()).capabilities.vlan) {
        throw new Problem(503, "This kernel does not support VLANs: the module 8021q is missing");
      }
      return await call.decide({
        kind: "link.vlan",
        summary: `${enabled ? "Made" : "No longer made"} ${name} a VLAN trunk`,
        reduce: (config) => setTrunk(config, name, enabled),
      });
    }),
    route({
      method: "PUT",
      path: "/ip/link/{interface}/{state}",
      ...write,
      summary: "Set an interface up or down persistently",
      params: z.object({ interface: InterfaceName, state: z.enum(["up", "down"]) }),
    }, (call) => {
      const { interface: name, state } = call.params;
      return call.decide({
        kind: "link.state",
        summary: `Set ${name} ${state}`,
        reduce: (config) => setLinkState(config, name, state === "up"),
      });
    }),
    addressRoute({
      path: "/uplink/ip",
      summary: "Set how an uplink gets its address; missing fields stay unchanged",
      kind: "uplink.address",
      summaryOf: (name) => `Set the address of the uplink ${name}`,
      set: setUplink,
    }),
    route({
      method: "GET",
      path: "/ip/interfaces",
      ...common,
      summary: "The interface of each device's address",
      response: z.record(z.string(), z.string()),
    }, () => addressLinks(engine.config, engine.desired)),
    route({
      method: "GET",
      path: "/ip/addr",
      ...common,
      summary: "Interfaces with their addresses in the kernel",
      response: z.array(AddressEntry),
      errors: [502],
    }, async () => json(await engine.host.inspect({ kind: "addresses" }))),
    route({
      method: "GET",
      path: "/arp",
      ...common,
      summary: "The kernel's ARP table",
      response: z.array(ArpEntry),
      errors: [502],
    }, async () => arpTable(await engine.host.inspect({ kind: "neighbours" }))),
  ];
}

/** A route that sets addresses, and how it does. */
function addressRoute(
  { path, summary, kind, summaryOf, set }: {
    readonly path: string;
    readonly summary: string;
    readonly kind: string;
    readonly summaryOf: (name: string) => string;
    readonly set: (config: Config, update: UplinkUpdate) => [Config, void];
  },
): Route {
  return route(
    { method: "PUT", path, ...write, summary, body: UplinkUpdate },
    (call) =>
      call.decide({
        kind,
        summary: summaryOf(call.body.Name),
        reduce: (config) => set(config, call.body),
      }),
  );
}

function linkSummary({ Name, Type, Enabled }: LinkUpdate): string {
  const what = Type === undefined ? `Set ${Name}` : `Set ${Name} as ${Type}`;
  return Enabled === undefined ? what : `${what}, ${Enabled ? "enabled" : "disabled"}`;
}
