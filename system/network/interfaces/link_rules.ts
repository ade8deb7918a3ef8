import { maskNamed } from "../../core/engine/journal/secrets.ts";
import type { Config } from "../../config.ts";
import { inRange4, isUnroutable, overlaps4, parseIpv4, parseRange4 } from "../../core/net/net.ts";
import { invalid, notFound, sentence } from "../../core/errors/problem.ts";
import { overlapping } from "../../dhcp/subnet_rules.ts";
import { overlapWith, siteNetworks } from "../../wireguard/sites/networks.ts";
import { gatewayPosition } from "../routing/gateway.ts";
import { LAN_LINK } from "../plan.ts";
import { fixedAddresses, Interface, WIFI_UPLINK } from "./schema.ts";
import { TRUNK } from "./vlan_links.ts";
import { MASK } from "../../devices/schema.ts";
import type { InterfaceEntry, LinkUpdate, UplinkUpdate } from "./update_schema.ts";

/** Subtypes that can be set directly; the others come with a feature, such as a PPPoE account. */
const SETTABLE_SUBTYPES = ["", "ethernet"];

/** Interfaces of the router itself. */
const OWN_INTERFACES = ["lo", LAN_LINK];

/** The configuration with an interface, which is added or takes the place of the one of its name. */
function withLink(config: Config, next: Interface): Config {
  const old = config.interfaces.find(({ Name }) => Name === next.Name);
  if (old && JSON.stringify(old) === JSON.stringify(next)) return config;
  const interfaces = old
    ? config.interfaces.map((one) => one === old ? next : one)
    : [...config.interfaces, next];
  return { ...config, interfaces };
}

/** Throws Problem 400 for an interface of the router itself or of a PPPoE account. */
export function refuseOwnInterface(
  config: Pick<Config, "ppp">,
  name: string,
  pointer: string,
): void {
  if (OWN_INTERFACES.includes(name)) {
    throw invalid(
      pointer,
      sentence("{name} belongs to the router itself and cannot be set", { name }),
    );
  }
  if (config.ppp.some(({ PPPIface }) => PPPIface === name)) {
    throw invalid(
      pointer,
      sentence("{name} is created by a PPPoE account; configure the interface below it", { name }),
    );
  }
}

/** The random MAC address: kept for as long as the setting is the same. */
function randomMacOf(old: Interface, next: Interface, random: string): string {
  if (!next.MACRandomize) return "";
  const same = old.MACRandomize && old.MACCloak === next.MACCloak && old.RandomMAC !== "";
  return same ? old.RandomMAC : random;
}

/** The subtype after a change of type: one that does not fit is dropped. */
function fittingSubtype(type: Interface["Type"], subtype: string): string {
  if ((subtype === "pppup" || subtype === WIFI_UPLINK) && type !== "Uplink") return "";
  return subtype === TRUNK && type !== "Downlink" ? "" : subtype;
}

/**
 * Sets the role of an interface; one that is not listed yet is added. `random`: a random MAC address,
 * in case one is needed. Throws Problem 400.
 */
export function setLink(config: Config, update: LinkUpdate, random = ""): [Config, void] {
  const next = linkWith(config, update, random);
  if (next.Type === "Uplink") refuseClash(config, next, "/Type");
  return [withLink(config, next), undefined];
}

/** As {@link setLink}, of an interface whose address is set next: the one that it has is not looked at. */
export function setRole(config: Config, update: LinkUpdate, random = ""): [Config, void] {
  return [withLink(config, linkWith(config, update, random)), undefined];
}

function linkWith(config: Config, update: LinkUpdate, random: string): Interface {
  refuseOwnInterface(config, update.Name, "/Name");
  const old = config.interfaces.find(({ Name }) => Name === update.Name);
  const type = update.Type ?? old?.Type;
  if (type === undefined) {
    throw invalid(
      "/Type",
      sentence("{name} is new: set its type, such as Downlink", { name: update.Name }),
    );
  }
  const { Subtype } = update;
  if (Subtype !== undefined && Subtype !== old?.Subtype && !SETTABLE_SUBTYPES.includes(Subtype)) {
    throw invalid("/Subtype", "Use ethernet or nothing; other subtypes are set by their feature");
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
  return { ...chosen, RandomMAC: randomMacOf(base, chosen, random) };
}

/**
 * Sets how an uplink gets its address. Throws Problem 404 for an interface that is not listed, 400 for
 * one that is no uplink, a gateway outside the network, or a network that overlaps the LAN.
 */
export function setUplink(config: Config, update: UplinkUpdate): [Config, void] {
  const old = config.interfaces.find(({ Name }) => Name === update.Name);
  if (!old) {
    throw notFound(
      sentence("There is no interface {name}; add it as an uplink first", { name: update.Name }),
    );
  }
  if (old.Type !== "Uplink") {
    throw invalid(
      "/Name",
      sentence("{name} is no uplink; make it one first", { name: update.Name }),
    );
  }
  return setAddresses(config, old, update);
}

/**
 * Sets the addresses of any interface. Throws Problem 404 for one that is not listed, 400 for an
 * access point, a gateway on an interface that is no uplink, and as {@link setUplink}.
 */
export function setLinkAddress(config: Config, update: UplinkUpdate): [Config, void] {
  const old = config.interfaces.find(({ Name }) => Name === update.Name);
  if (!old) {
    throw notFound(
      sentence("There is no interface {name}; set its role first", { name: update.Name }),
    );
  }
  if (old.Type === "AP") {
    throw invalid(
      "/Name",
      sentence("{name} is an access point, which has no address of its own", { name: update.Name }),
    );
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
    IP: update.IP === undefined ? old.IP : withPrefix(update.IP, old.IP),
    Router: update.Router ?? old.Router,
    VLAN: update.VLAN?.trim() ?? old.VLAN,
    AdditionalIPs: update.AdditionalIPs ?? old.AdditionalIPs,
  };
  if (next.Type === "Uplink" && next.DisableDHCP) requireStatic(config, next);
  next.AdditionalIPs.forEach((one, at) => requireAdditional(config, one, { at, next }));
  refuseClash(config, next, "/IP");
  return [withLink(config, next), undefined];
}

/**
 * An address that was sent without a prefix keeps the prefix that it has; a new one is on its own, its
 * gateway outside of it.
 */
function withPrefix(address: string, before: string): string {
  if (address === "" || address.includes("/")) return address;
  return before.split("/")[0] === address ? before : `${address}/32`;
}

function requireStatic(config: Config, { IP, Router }: Interface): void {
  if (IP === "") {
    throw invalid("/IP", "Without DHCP the uplink needs an address, such as 203.0.113.2/24");
  }
  if (Router === "") {
    throw invalid("/Router", "Without DHCP the uplink needs its gateway, such as 203.0.113.1");
  }
  // The gateway of a single address (/32) is outside of it.
  requireGateway({ IP, Router }, { pointer: "/Router", allowed: ["inside", "apart"] });
  const home = overlapping(`${Router}/32`, config.dhcp.TinyNets);
  if (home !== undefined && gatewayPosition({ address: IP, router: Router }) === "apart") {
    throw invalid(
      "/Router",
      sentence("The gateway {router} is in the LAN subnet {home}", { router: Router, home }),
    );
  }
}

/** Throws Problem 400 for a gateway that is not reachable from an address. */
function requireGateway(
  { IP, Router }: Pick<Interface, "IP" | "Router">,
  { pointer, allowed }: {
    readonly pointer: string;
    readonly allowed: readonly ReturnType<typeof gatewayPosition>[];
  },
): void {
  if (allowed.includes(gatewayPosition({ address: IP, router: Router }))) return;
  if (Router === IP.split("/")[0]) {
    throw invalid(pointer, "The gateway cannot be the router itself");
  }
  const range = parseRange4(IP)!, gateway = parseIpv4(Router)!;
  throw inRange4(range, gateway) || isUnroutable(gateway)
    ? invalid(pointer, "This is the network or broadcast address; use a host address")
    : invalid(
      pointer,
      sentence("The gateway {router} is outside the network of {ip}", { router: Router, ip: IP }),
    );
}

/** An additional address is outside the LAN, listed once, and has its gateway in its own network. */
function requireAdditional(
  config: Config,
  { IP, Router }: Interface["AdditionalIPs"][number],
  { at, next }: { readonly at: number; readonly next: Interface },
): void {
  const pointer = `/AdditionalIPs/${at}`;
  const home = overlapping(IP, config.dhcp.TinyNets);
  if (home !== undefined) {
    throw invalid(
      `${pointer}/IP`,
      sentence("{ip} overlaps the LAN subnet {home}; choose another", { ip: IP, home }),
    );
  }
  const host = (text: string): string => text.split("/")[0]!;
  const earlier = [next.IP, ...next.AdditionalIPs.slice(0, at).map((one) => one.IP)];
  if (earlier.some((one) => host(one) === host(IP))) {
    throw invalid(`${pointer}/IP`, `${host(IP)} is listed twice`);
  }
  refuseTaken(config, next, IP, `${pointer}/IP`);
  if (Router === "") return;
  requireGateway({ IP, Router }, { pointer: `${pointer}/Router`, allowed: ["inside"] });
}

/** A static network may overlap neither the LAN nor a network of another interface. */
function refuseClash(config: Config, next: Interface, pointer: string): void {
  if (next.IP === "") return;
  const home = overlapping(next.IP, config.dhcp.TinyNets);
  if (home !== undefined) {
    throw invalid(
      pointer,
      sentence("{ip} overlaps the LAN subnet {home}; choose another", { ip: next.IP, home }),
    );
  }
  refuseTaken(config, next, next.IP, pointer);
}

/**
 * No two interfaces have the same address. A network of an uplink is on no other kind of interface:
 * the router would look for its hosts on the wrong side.
 */
function refuseTaken(config: Config, next: Interface, address: string, pointer: string): void {
  const host = address.split("/")[0], range = parseRange4(address)!;
  const behind = overlapWith(address, siteNetworks(config.wireguard));
  if (behind !== undefined) {
    throw invalid(pointer, `${address} overlaps ${behind.network}, which is ${behind.use}`);
  }
  for (const other of config.interfaces) {
    if (other.Name === next.Name) continue;
    for (const theirs of fixedAddresses(other)) {
      if (theirs.split("/")[0] === host) {
        throw invalid(pointer, `${other.Name} already has the address ${host}`);
      }
      const sides = (next.Type === "Uplink") !== (other.Type === "Uplink");
      if (sides && overlaps4(range, parseRange4(theirs)!)) {
        throw invalid(
          pointer,
          sentence("{address} overlaps {theirs} of {name}; choose another", {
            address,
            theirs,
            name: other.Name,
          }),
        );
      }
    }
  }
}

/** An interface as answers show it: empty fields are left out, secrets among unknown ones hidden. */
export function interfaceEntry(link: Interface): InterfaceEntry {
  const { Name, Type, Subtype, Enabled, ...rest } = link;
  const { RandomMAC: _, ExtraBSS, ...shown } = rest;
  const shownFields = Object.entries(shown).filter(([, value]) =>
    value !== "" && value !== false && value !== null && value !== undefined &&
    !(Array.isArray(value) && value.length === 0)
  );
  const fields = maskNamed(Object.fromEntries(shownFields)) as Partial<InterfaceEntry>;
  const networks = ExtraBSS.map((one) => ({
    ...one,
    GuestPassword: one.GuestPassword === "" ? "" : MASK,
  }));
  return {
    ...{ Name, Type, Subtype, Enabled, ...fields },
    ...(networks.length === 0 ? {} : { ExtraBSS: networks }),
  };
}
