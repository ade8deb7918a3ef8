import * as z from "zod";
import type { Config } from "../../system/config.ts";
import { AddressEntry } from "../../system/core/kernel/inspection.ts";
import type { Engine } from "../../system/core/engine/engine.ts";
import { ArpEntry, arpTable } from "../../system/network/interfaces/arp_table.ts";
import { InterfaceName } from "../../system/core/net/grammar.ts";
import { Problem } from "../../system/core/errors/problem.ts";
import { addressLinks } from "../../system/network/interfaces/address_links.ts";
import { RandomMacs } from "../../system/network/interfaces/random_mac.ts";
import {
  interfaceEntry,
  setLink,
  setLinkAddress,
  setUplink,
} from "../../system/network/interfaces/link_rules.ts";
import { setInterface } from "../../system/network/interfaces/settings_rules.ts";
import { InterfaceSettings } from "../../system/network/interfaces/settings_schema.ts";
import { TRUNK } from "../../system/network/interfaces/vlan_links.ts";
import { pppSecrets } from "../../system/uplink/ppp/ppp_rules.ts";
import { setLinkState, setTrunk } from "../../system/network/interfaces/state_rules.ts";
import {
  InterfaceEntry,
  LinkUpdate,
  UplinkUpdate,
} from "../../system/network/interfaces/update_schema.ts";
import { json } from "../http/answer.ts";
import { flag } from "../http/decide.ts";
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
  const macs = new RandomMacs(random);
  const macFor = ({ Name, MACCloak }: Pick<LinkUpdate, "Name" | "MACCloak">): string => {
    const known = engine.config.interfaces.find((one) => one.Name === Name);
    return macs.of(Name, MACCloak ?? known?.MACCloak ?? false);
  };
  return [
    route({
      method: "GET",
      path: "/interfacesConfiguration",
      compresses: true,
      ...common,
      document: "interfaces",
      summary: "The router's interfaces and their roles",
      description:
        "Returns the configured interfaces: `Uplink` towards a provider, `Downlink` towards the " +
        "LAN, `AP` for access points, `Other` for everything else.",
      response: z.array(InterfaceEntry),
    }, () => engine.config.interfaces.map(interfaceEntry)),
    route({
      method: "PUT",
      path: "/link/config",
      ...write,
      duringSetup: true,
      summary: "Set the role of an interface",
      description:
        "Fields that are left out stay unchanged. An interface that is not listed yet is added, and " +
        "needs `Type`. A random MAC address is drawn once and kept while `MACRandomize` is on.",
      body: LinkUpdate,
    }, async (call) => {
      const mac = macFor(call.body);
      const answer = await call.decide({
        kind: "link.set",
        summary: linkSummary(call.body),
        reduce: (config) => setLink(config, call.body, mac),
      });
      if (!flag(call.c, "dryRun")) macs.changed(call.body.Name);
      return answer;
    }),
    route({
      method: "PUT",
      path: "/link/settings",
      ...write,
      alsoWrites: ["ppp"],
      errors: [...write.errors, 503],
      summary: "Set all of an interface at once",
      description:
        "Role, addresses, VLAN trunk, PPPoE account and MAC address, as one change. Fields that are " +
        "left out stay unchanged. An interface that is not listed yet is added, and needs `Type`.",
      examples: {
        body: {
          Name: "wan0",
          Type: "Uplink",
          Enabled: true,
          Addressing: "static",
          IP: "203.0.113.2/24",
          Router: "203.0.113.1",
        },
      },
      body: InterfaceSettings,
    }, async (call) => {
      const { body } = call;
      const known = engine.config.interfaces.find(({ Name }) => Name === body.Name);
      const mac = macFor(body);
      if (body.Trunk === true && known?.Subtype !== TRUNK) {
        setInterface(engine.config, body, mac);
        await requireVlans(engine.host);
      }
      const answer = await call.decide({
        kind: "link.settings",
        summary: linkSummary(body),
        secrets: () => pppSecrets({ ...body.PPPoE, Iface: body.Name }),
        reduce: (config) => setInterface(config, body, mac),
      });
      if (!flag(call.c, "dryRun")) macs.changed(body.Name);
      return answer;
    }),
    addressRoute({
      path: "/link/ip",
      summary: "Set the addresses of an interface",
      description:
        "Takes a static address with its prefix, additional addresses, and for uplinks a gateway. " +
        "Access points have no address. Fields that are left out stay unchanged.",
      kind: "link.address",
      summaryOf: (name) => `Set the addresses of ${name}`,
      set: setLinkAddress,
    }),
    route({
      method: "PUT",
      path: "/link/vlan/{interface}/{state}",
      ...write,
      errors: [...write.errors, 503],
      summary: "Make a LAN interface a VLAN trunk",
      description:
        "Devices with a VLAN tag are then served on the interface, each in its own VLAN. Needs the " +
        "kernel module 8021q.",
      params: z.object({ interface: InterfaceName, state: z.enum(["enable", "disable"]) }),
    }, async (call) => {
      const { interface: name, state } = call.params;
      const enabled = state === "enable";
      // An invalid request is refused before a missing kernel feature.
      setTrunk(engine.config, name, enabled);
      if (enabled) await requireVlans(engine.host);
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
      description:
        "Stores the state as part of the configuration, so it survives a restart. Taking down the " +
        "interface of the caller is refused with 409 unless forced.",
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
      summary: "Set the address of an uplink",
      description:
        "DHCP, or a static address with its gateway. Fields that are left out stay unchanged.",
      kind: "uplink.address",
      summaryOf: (name) => `Set the address of the uplink ${name}`,
      set: setUplink,
    }),
    route({
      method: "GET",
      path: "/ip/interfaces",
      ...common,
      summary: "The interface of each device's address",
      description:
        "Maps the address of each device to the interface on which the router serves it.",
      examples: { response: { "192.168.2.6": "lan0" } },
      response: z.record(z.string(), z.string()),
    }, () => addressLinks(engine.config, engine.desired)),
    route({
      method: "GET",
      path: "/ip/addr",
      compresses: true,
      ...common,
      duringSetup: true,
      summary: "Interfaces with their addresses in the kernel",
      description: "Live state of all interfaces, in the format of `ip -json address`.",
      response: z.array(AddressEntry),
      errors: [502],
    }, async () => json(await engine.host.inspect({ kind: "addresses" }))),
    route({
      method: "GET",
      path: "/arp",
      compresses: true,
      ...common,
      summary: "The kernel's ARP table",
      description:
        "Returns the IPv4 neighbours that the kernel knows, with their MAC address and interface.",
      response: z.array(ArpEntry),
      errors: [502],
    }, async () => arpTable(await engine.host.inspect({ kind: "neighbours" }))),
  ];
}

/** Throws Problem 503 where the kernel has no VLANs. */
async function requireVlans(host: InterfacesDeps["engine"]["host"]): Promise<void> {
  if ((await host.facts()).capabilities.vlan) return;
  throw new Problem(503, "This kernel does not support VLANs: the module 8021q is missing");
}

/** A route that sets addresses, and how it does. */
function addressRoute(
  { path, summary, description, kind, summaryOf, set }: {
    readonly path: string;
    readonly summary: string;
    readonly description: string;
    readonly kind: string;
    readonly summaryOf: (name: string) => string;
    readonly set: (config: Config, update: UplinkUpdate) => [Config, void];
  },
): Route {
  return route(
    { method: "PUT", path, ...write, summary, description, body: UplinkUpdate },
    (call) =>
      call.decide({
        kind,
        summary: summaryOf(call.body.Name),
        reduce: (config) => set(config, call.body),
      }),
  );
}

/** The roles of interfaces as people call them. */
const ROLES = {
  Uplink: "WAN",
  Downlink: "LAN",
  AP: "Wi-Fi access point",
  Other: "not used",
} as const;

function linkSummary(
  { Name, Type, Enabled }: Pick<LinkUpdate, "Name" | "Type" | "Enabled">,
): string {
  const what = Type === undefined ? `Set ${Name}` : `Set ${Name} as ${ROLES[Type]}`;
  return Enabled === undefined ? what : `${what}, ${Enabled ? "enabled" : "disabled"}`;
}
