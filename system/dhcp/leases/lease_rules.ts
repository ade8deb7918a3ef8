import type { Config } from "../../config.ts";
import { hasControl } from "../../core/net/grammar.ts";
import { formatIpv4, parseIpv4 } from "../../core/net/net.ts";
import { conflict, invalid, Problem } from "../../core/errors/problem.ts";
import { holderOf, requireAddress } from "../../devices/address.ts";
import { identityOfMac } from "../../devices/card.ts";
import { requireHomeLink } from "../../devices/link.ts";
import { appearedDevice, guestDevice, isGuestInterface, withDevice } from "../../devices/device.ts";
import type { Device } from "../../devices/schema.ts";
import { requireTag, tagOf } from "../../network/links/vlan_links.ts";
import type { Told } from "../ask_schema.ts";
import { openNets } from "../admission/unknown_devices.ts";
import type { DhcpAnswer } from "../schema.ts";
import {
  allocate,
  heldAddresses,
  isDeviceAddress,
  lanAddress,
  poolsOf,
  routerOf,
} from "../tiny_net.ts";

/** A client that asks for an address. */
export interface LeaseRequest {
  readonly mac: string;
  readonly link: string;
  /** Host name, already made fit to show; "" for none. */
  readonly name: string;
  /** Free address that was set aside for this request; null when none was left, or none needed. */
  readonly candidate: number | null;
  /** The client's own address is in use by somebody else: it gets another. */
  readonly renounced?: boolean;
  /** What speaks against a device that the router does not know; nothing unless told. */
  readonly refusal?: (config: Config) => Problem | null;
}

/** The device that a client is, and its address. */
export interface Leased {
  readonly identity: string;
  readonly address: string;
  /** True when the device was not known before. */
  readonly appeared: boolean;
}

/** Thrown when the candidate was given away meanwhile: set another aside and ask again. */
export class CandidateTaken extends Error {
  override readonly name = "CandidateTaken";
}

/**
 * Leases an address: a known device keeps its own while that lies in a pool. Throws Problem 400 on
 * an uplink, for a stranger on a guest network and for a device of another tag on a trunk, 409 when
 * no address is left, or none for a newcomer; CandidateTaken.
 */
export function lease(config: Config, request: LeaseRequest): [Config, Leased] {
  requireHomeLink(config, request.link);
  const identity = identityOfMac(config, request.mac);
  const known = config.devices[identity];
  if (known !== undefined && isGuestInterface(request.link)) requireGuest(known.Policies);
  if (known !== undefined) requireTag(config, request.link, known);
  admit(config, request, known);
  const keeps = known !== undefined && request.renounced !== true;
  const kept = keeps ? keptAddress(config, known.RecentIP) : null;
  const address = kept ?? fresh(config, request.candidate);
  const bound = known === undefined && request.refusal !== undefined;
  if (bound && !isOpenTo(config, address)) throw new CandidateTaken();
  const device = known ?? newcomer(config, request);
  const next = { ...device, RecentIP: address };
  return [withDevice(config, identity, next), {
    identity,
    address,
    appeared: known === undefined,
  }];
}

/** Throws what speaks against a device that the router does not know. */
function admit(
  config: Config,
  { refusal }: Pick<LeaseRequest, "refusal">,
  known: Device | undefined,
): void {
  const problem = known === undefined ? refusal?.(config) ?? null : null;
  if (problem !== null) throw problem;
}

/** True for an address in a network that takes one more device that nobody has decided about. */
function isOpenTo(config: Config, address: string): boolean {
  const nets = openNets(config);
  return nets.length === config.dhcp.TinyNets.length ||
    isDeviceAddress(parseIpv4(address)!, poolsOf(nets));
}

/** Records an address that a client was given elsewhere. Throws Problem 400, 409. */
export function recordLease(
  config: Config,
  request: Omit<LeaseRequest, "candidate"> & { readonly ip: string; readonly router: string },
): [Config, Leased] {
  requireHomeLink(config, request.link);
  const identity = identityOfMac(config, request.mac);
  const known = config.devices[identity];
  if (known !== undefined && isGuestInterface(request.link)) requireGuest(known.Policies);
  if (known !== undefined) requireTag(config, request.link, known);
  admit(config, request, known);
  if (known === undefined && request.refusal !== undefined && !isOpenTo(config, request.ip)) {
    throw conflict(`The rest of the network of ${request.ip} is kept for devices that are known`);
  }
  if (known?.RecentIP !== request.ip) {
    requireAddress(config, { identity, address: request.ip, pointer: "/IP" });
  }
  const router = formatIpv4(routerOf(parseIpv4(request.ip)!));
  if (request.router !== "" && request.router !== router) {
    throw invalid("/Router", `The router of ${request.ip} is ${router}`);
  }
  const device = known ?? newcomer(config, request);
  return [withDevice(config, identity, { ...device, RecentIP: request.ip }), {
    identity,
    address: request.ip,
    appeared: known === undefined,
  }];
}

/** A free address for a lease to come, or null; `promised` are not free. */
export function freeAddress(
  config: Pick<Config, "devices" | "dhcp">,
  promised: Iterable<number>,
): number | null {
  return allocate(
    poolsOf(config.dhcp.TinyNets),
    [...heldAddresses(config.devices), ...promised],
  );
}

/** True for the device address of a /30 of a pool that no device has. */
export function isFree(config: Config, address: number): boolean {
  const text = formatIpv4(address);
  return keptAddress(config, text) !== null && holderOf(config, text, null) === null;
}

/** The address of a device that has the device address of a /30 of a pool, else null. */
export function keptAddress(config: Pick<Config, "dhcp">, recent: string): string | null {
  const address = parseIpv4(recent);
  if (address === null) return null;
  return isDeviceAddress(address, poolsOf(config.dhcp.TinyNets)) ? recent : null;
}

/** What a client is told of its address. */
export function leaseAnswer(
  config: Pick<Config, "dhcp">,
  identifier: string,
  address: string,
): DhcpAnswer {
  const lan = lanAddress(poolsOf(config.dhcp.TinyNets));
  return {
    Identifier: identifier,
    IP: address,
    RouterIP: formatIpv4(routerOf(parseIpv4(address)!)),
    DNSIP: lan === null ? "" : formatIpv4(lan),
    LeaseTime: config.dhcp.LeaseTime,
  };
}

/** What the DHCP server is to tell a client beside its address. `name` is the device's. */
export function toldOf(config: Pick<Config, "dhcp">, answer: DhcpAnswer, name: string): Told {
  return { ...answer, name, ntp: config.dhcp.NTPServers ?? [] };
}

/** What the DHCP server sends where a client gave no host name. */
const NO_NAME = "DefaultMissingName";

/** A host name as a device's name: one line, at most 63 characters (RFC 1035 label); "" for none. */
export function hostName(text: string): string {
  if (text === NO_NAME) return "";
  return [...text].filter((character) => !hasControl(character)).join("").trim().slice(0, 63)
    .trim();
}

/** No pool has an address left. */
export function exhausted(config: Pick<Config, "dhcp">): Problem {
  return conflict(
    `No address is left in ${config.dhcp.TinyNets.join(", ")}; add a network or delete devices`,
  );
}

function fresh(config: Config, candidate: number | null): string {
  if (candidate === null) {
    throw freeAddress(config, []) === null ? exhausted(config) : new CandidateTaken();
  }
  const address = formatIpv4(candidate);
  if (!isFree(config, candidate)) {
    throw new CandidateTaken();
  }
  return address;
}

/** A stranger; one that appears on a trunk's link has its tag from then on. */
function newcomer(
  config: Pick<Config, "interfaces">,
  request: Pick<LeaseRequest, "mac" | "link" | "name">,
): Device {
  const device = isGuestInterface(request.link)
    ? guestDevice(request.mac, request.name)
    : appearedDevice(request.mac, request.name);
  return { ...device, VLANTag: tagOf(config, request.link) };
}

function requireGuest(policies: readonly string[]): void {
  if (policies.includes("guestonly")) return;
  throw invalid("/Iface", "This device has no place on the guest network");
}
