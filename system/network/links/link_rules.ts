import type { Config } from "../../config.ts";
import { inRange4, isNobodys, overlaps4, parseIpv4, parseRange4 } from "../../core/net/net.ts";
import { invalid, notFound } from "../../core/errors/problem.ts";
import { overlapping } from "../../dhcp/subnet_rules.ts";
import { gatewayPlace } from "../routing/gateway.ts";
import { LAN_LINK } from "../plan.ts";
import { fixedAddresses, Interface } from "../schema.ts";
import { TRUNK } from "./vlan_links.ts";
import type { InterfaceEntry, LinkUpdate, UplinkUpdate } from "../wire.ts";

/** Kinds of link that people choose; the others come with what makes them, such as a PPP account. */
const CHOSEN = ["", "ethernet"];

/** Links that are the router's own business. */
const OWN = ["lo", LAN_LINK];

function put(config: Config, old: Interface | undefined, next: Interface): Config {
  if (old && JSON.stringify(old) === JSON.stringify(next)) return config;
  const interfaces = old
    ? config.interfaces.map((one) => one === old ? next : one)
    : [...config.interfaces, next];
  return { ...config, interfaces };
}

/** Throws Problem 400 for a link that is the router's own business, or that an account makes. */
export function refuseOwn(
  config: Pick<Config, "ppp">,
  name: string,
  pointer: string,
): void {
  if (OWN.includes(name)) {
    throw invalid(pointer, `${name} belongs to the router itself and cannot be set`);
  }
  if (config.ppp.some(({ PPPIface }) => PPPIface === name)) {
    throw invalid(pointer, `${name} is made by an access account; set the link below it`);
  }
}

/** The drawn address of a card: kept for as long as the choice is the same. */
function drawnMac(old: Interface, next: Interface, drawn: string): string {
  if (!next.MACRandomize) return "";
  const same = old.MACRandomize && old.MACCloak === next.MACCloak && old.RandomMAC !== "";
  return same ? old.RandomMAC : drawn;
}

/** The subtype of a link that was given another type: those of another type end. */
function fittingSubtype(type: Interface["Type"], subtype: string): string {
  if (subtype === "pppup" && type !== "Uplink") return "";
  return subtype === TRUNK && type !== "Downlink" ? "" : subtype;
}

/**
 * Says what a link is for; a link that is not listed yet is added. `drawn`: an address for its card,
 * in case one is to be drawn. Throws Problem 400.
 */
export function setLink(config: Config, update: LinkUpdate, drawn = ""): [Config, void] {
  refuseOwn(config, update.Name, "/Name");
  const old = config.interfaces.find(({ Name }) => Name === update.Name);
  const type = update.Type ?? old?.Type;
  if (type === undefined) {
    throw invalid("/Type", `${update.Name} is new here: say its type, such as Downlink`);
  }
  const { Subtype } = update;
  if (Subtype !== undefined && Subtype !== old?.Subtype && !CHOSEN.includes(Subtype)) {
    throw invalid("/Subtype", "Use ethernet or nothing; other subtypes come with what makes them");
  }
  const base = old ?? Interface.parse({ Name: update.Name, Type: type });
  const chosen: Interface = {
    ...base,
    Type: type,
    Subtype: fittingSubtype(type, Subtype ?? base.Subtype),
    Enabled: update.Enabled ?? base.Enabled,
    MACOverride: update.MACOverride ?? base.MACOverride,
    MACRandomize: update.MACRandomize ?? base.MACRandomize,
    MACCloak: update.MACCloak ?? base.MACCloak,
    State: type === "Other" ? base.State : "",
  };
  const next: Interface = { ...chosen, RandomMAC: drawnMac(base, chosen, drawn) };
  if (type === "Uplink") refuseClash(config, next, "/Type");
  return [put(config, old, next), undefined];
}

/**
 * Sets how an uplink gets its address. Throws Problem 404 for a link that is not listed, 400 for one
 * that is no uplink, a gateway outside the network, or a network that is at home already.
 */
export function setUplink(config: Config, update: UplinkUpdate): [Config, void] {
  const old = config.interfaces.find(({ Name }) => Name === update.Name);
  if (!old) throw notFound(`There is no interface ${update.Name}; add it as an uplink first`);
  if (old.Type !== "Uplink") {
    throw invalid("/Name", `${update.Name} is no uplink; make it one first`);
  }
  return setAddresses(config, old, update);
}

/**
 * Sets the addresses of any link. Throws Problem 404 for a link that is not listed, 400 for an access
 * point, a gateway on a link that is no uplink, and as {@link setUplink}.
 */
export function setLinkAddress(config: Config, update: UplinkUpdate): [Config, void] {
  const old = config.interfaces.find(({ Name }) => Name === update.Name);
  if (!old) throw notFound(`There is no interface ${update.Name}; say what it is for first`);
  if (old.Type === "AP") {
    throw invalid("/Name", `${update.Name} is an access point, which has no address of its own`);
  }
  if (old.Type !== "Uplink") {
    if ((update.Router ?? "") !== "") {
      throw invalid("/Router", "Only an uplink has a gateway; leave it empty");
    }
    const at = (update.AdditionalIPs ?? []).findIndex(({ Router }) => Router !== "");
    if (at >= 0) {
      throw invalid(`/AdditionalIPs/${at}/Router`, "Only an uplink has a gateway; leave it empty");
    }
  }
  return setAddresses(config, old, update);
}

function setAddresses(config: Config, old: Interface, update: UplinkUpdate): [Config, void] {
  const next: Interface = {
    ...old,
    Enabled: update.Enabled ?? old.Enabled,
    DisableDHCP: update.DisableDHCP ?? old.DisableDHCP,
    IP: update.IP ?? old.IP,
    Router: update.Router ?? old.Router,
    VLAN: update.VLAN?.trim() ?? old.VLAN,
    AdditionalIPs: update.AdditionalIPs ?? old.AdditionalIPs,
  };
  if (next.Type === "Uplink" && next.DisableDHCP) requireFixed(config, next);
  next.AdditionalIPs.forEach((one, at) => requireFurther(config, one, { at, next }));
  refuseClash(config, next, "/IP");
  return [put(config, old, next), undefined];
}

function requireFixed(config: Config, { IP, Router }: Interface): void {
  if (IP === "") {
    throw invalid("/IP", "Without DHCP the uplink needs an address, such as 203.0.113.2/24");
  }
  if (Router === "") {
    throw invalid("/Router", "Without DHCP the uplink needs its gateway, such as 203.0.113.1");
  }
  // Who has a single address is led on by a machine outside of it.
  requireGateway({ IP, Router }, { pointer: "/Router", places: ["inside", "apart"] });
  const home = overlapping(`${Router}/32`, config.dhcp.TinyNets);
  if (home !== undefined && gatewayPlace({ address: IP, router: Router }) === "apart") {
    throw invalid("/Router", `The gateway ${Router} is in the home network ${home}`);
  }
}

/** Throws Problem 400 for what leads nowhere from an address. */
function requireGateway(
  { IP, Router }: Pick<Interface, "IP" | "Router">,
  { pointer, places }: {
    readonly pointer: string;
    readonly places: readonly ReturnType<typeof gatewayPlace>[];
  },
): void {
  if (places.includes(gatewayPlace({ address: IP, router: Router }))) return;
  if (Router === IP.split("/")[0]) {
    throw invalid(pointer, "The gateway is another machine than the router itself");
  }
  const range = parseRange4(IP)!, gateway = parseIpv4(Router)!;
  throw inRange4(range, gateway) || isNobodys(gateway)
    ? invalid(pointer, "This names the network itself or everyone in it, not one machine")
    : invalid(pointer, `The gateway ${Router} lies outside the network of ${IP}`);
}

/** A further address is not at home, stands once, and has its gateway in its own network. */
function requireFurther(
  config: Config,
  { IP, Router }: Interface["AdditionalIPs"][number],
  { at, next }: { readonly at: number; readonly next: Interface },
): void {
  const pointer = `/AdditionalIPs/${at}`;
  const home = overlapping(IP, config.dhcp.TinyNets);
  if (home !== undefined) {
    throw invalid(`${pointer}/IP`, `${IP} overlaps the home network ${home}; choose another`);
  }
  const host = (text: string): string => text.split("/")[0]!;
  const earlier = [next.IP, ...next.AdditionalIPs.slice(0, at).map((one) => one.IP)];
  if (earlier.some((one) => host(one) === host(IP))) {
    throw invalid(`${pointer}/IP`, `${host(IP)} stands here twice`);
  }
  refuseTaken(config, next, IP, `${pointer}/IP`);
  if (Router === "") return;
  requireGateway({ IP, Router }, { pointer: `${pointer}/Router`, places: ["inside"] });
}

/** A fixed network may be neither one of home nor one that another link has. */
function refuseClash(config: Config, next: Interface, pointer: string): void {
  if (next.IP === "") return;
  const home = overlapping(next.IP, config.dhcp.TinyNets);
  if (home !== undefined) {
    throw invalid(pointer, `${next.IP} overlaps the home network ${home}; choose another`);
  }
  refuseTaken(config, next, next.IP, pointer);
}

/**
 * No two links have one address. A network of an uplink is on no other kind of link: its machines
 * would be looked for on the wrong side of the router.
 */
function refuseTaken(config: Config, next: Interface, address: string, pointer: string): void {
  const host = address.split("/")[0], range = parseRange4(address)!;
  for (const other of config.interfaces) {
    if (other.Name === next.Name) continue;
    for (const theirs of fixedAddresses(other)) {
      if (theirs.split("/")[0] === host) {
        throw invalid(pointer, `${other.Name} has the address ${host} already`);
      }
      const sides = (next.Type === "Uplink") !== (other.Type === "Uplink");
      if (sides && overlaps4(range, parseRange4(theirs)!)) {
        throw invalid(pointer, `${address} overlaps ${theirs} of ${other.Name}; choose another`);
      }
    }
  }
}

/** What the interface of links shows: fields that say nothing are left out. */
export function interfaceEntry(link: Interface): InterfaceEntry {
  const { Name, Type, Subtype, Enabled, ...rest } = link;
  const { RandomMAC: _, ...shown } = rest;
  const said = Object.entries(shown).filter(([, value]) =>
    value !== "" && value !== false && value !== null && value !== undefined &&
    !(Array.isArray(value) && value.length === 0)
  );
  return { Name, Type, Subtype, Enabled, ...Object.fromEntries(said) };
}
