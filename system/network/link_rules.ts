import type { Config } from "../config.ts";
import { inRange4, parseIpv4, parseRange4 } from "../core/net.ts";
import { invalid, notFound } from "../core/problem.ts";
import { overlapping } from "../dhcp/subnet_rules.ts";
import { LAN_LINK } from "./plan.ts";
import { Interface } from "./schema.ts";
import type { InterfaceEntry, LinkUpdate, UplinkUpdate } from "./wire.ts";

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

/** Says what a link is for; a link that is not listed yet is added. Throws Problem 400. */
export function setLink(config: Config, update: LinkUpdate): [Config, void] {
  if (OWN.includes(update.Name)) {
    throw invalid("/Name", `${update.Name} belongs to the router itself and cannot be set`);
  }
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
  const next: Interface = {
    ...base,
    Type: type,
    Subtype: Subtype ?? base.Subtype,
    Enabled: update.Enabled ?? base.Enabled,
  };
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
  const next: Interface = {
    ...old,
    Enabled: update.Enabled ?? old.Enabled,
    DisableDHCP: update.DisableDHCP ?? old.DisableDHCP,
    IP: update.IP ?? old.IP,
    Router: update.Router ?? old.Router,
    VLAN: update.VLAN?.trim() ?? old.VLAN,
  };
  if (next.DisableDHCP) requireFixed(next);
  refuseClash(config, next, "/IP");
  return [put(config, old, next), undefined];
}

function requireFixed({ IP, Router }: Interface): void {
  if (IP === "") {
    throw invalid("/IP", "Without DHCP the uplink needs an address, such as 203.0.113.2/24");
  }
  if (Router === "") {
    throw invalid("/Router", "Without DHCP the uplink needs its gateway, such as 203.0.113.1");
  }
  const range = parseRange4(IP)!, gateway = parseIpv4(Router)!;
  if (!inRange4(range, gateway)) {
    throw invalid("/Router", `The gateway ${Router} lies outside the network of ${IP}`);
  }
  if (Router === IP.split("/")[0]) {
    throw invalid("/Router", "The gateway is another machine than the router itself");
  }
  if (range.prefix < 31 && (gateway === range.first || gateway === range.last)) {
    throw invalid("/Router", "This names the network itself or everyone in it, not one machine");
  }
}

/** A fixed network may be neither one of home nor another uplink's address. */
function refuseClash(config: Config, next: Interface, pointer: string): void {
  if (next.IP === "") return;
  const home = overlapping(next.IP, config.dhcp.TinyNets);
  if (home !== undefined) {
    throw invalid(pointer, `${next.IP} overlaps the home network ${home}; choose another`);
  }
  const [address] = next.IP.split("/");
  const other = config.interfaces.find(({ Name, Type, IP }) =>
    Name !== next.Name && Type === "Uplink" && IP.split("/")[0] === address
  );
  if (other) throw invalid(pointer, `${other.Name} has the address ${address} already`);
}

/** What the interface of links shows: fields that say nothing are left out. */
export function interfaceEntry(link: Interface): InterfaceEntry {
  const { Name, Type, Subtype, Enabled, ...rest } = link;
  const said = Object.entries(rest).filter(([, value]) =>
    value !== "" && value !== false && value !== null && value !== undefined &&
    !(Array.isArray(value) && value.length === 0)
  );
  return { Name, Type, Subtype, Enabled, ...Object.fromEntries(said) };
}
