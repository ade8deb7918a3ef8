import type { Config } from "../../config.ts";
import { hasControl, oneForm } from "../../core/net/grammar.ts";
import { formatIpv4, parseIpv4 } from "../../core/net/net.ts";
import { conflict, invalid, Problem, sentence } from "../../core/errors/problem.ts";
import { holderOf, requireAddress } from "../../devices/address.ts";
import { identityOfMac } from "../../devices/mac_owner.ts";
import { requireHomeLink } from "../../devices/link.ts";
import { appearedDevice, guestDevice, isGuestInterface, withDevice } from "../../devices/device.ts";
import type { Device } from "../../devices/schema.ts";
import { namedAddresses } from "../../network/addresses/references.ts";
import { requireTag, tagOf } from "../../network/interfaces/vlan_links.ts";
import type { LeaseDecision } from "../api_schema.ts";
import { unknownPools } from "../admission/unknown_devices.ts";
import type { DhcpAnswer } from "../schema.ts";
import {
  allocate,
  heldBlocks,
  isDeviceAddress,
  lanAddress,
  poolsOf,
  routerOf,
} from "../tiny_net.ts";

/** A client's request for an address. */
export interface LeaseRequest {
  readonly mac: string;
  readonly link: string;
  /** Cleaned host name; "" for none. */
  readonly name: string;
  /** Free address reserved for this request; null when none was free, or none is needed. */
  readonly candidate: number | null;
  /** The client declined its address, which another machine uses: it gets a new one. */
  readonly declined?: boolean;
  /** Why an unknown device is refused; null or absent: it is admitted. */
  readonly refusal?: (config: Config) => Problem | null;
}

/** The device of a client and its address. */
export interface Leased {
  readonly identity: string;
  readonly address: string;
  /** True when the device is new. */
  readonly appeared: boolean;
}

/** Thrown when the candidate was leased meanwhile: reserve another one and try again. */
export class CandidateTaken extends Error {
  override readonly name = "CandidateTaken";
}

/**
 * Leases an address: a known device keeps its own while that lies in a pool. Throws Problem 400 on
 * an uplink, for a non-guest device on a guest network and for a device of another tag on a trunk, 409
 * when no address is free, or none for an unknown device; CandidateTaken.
 */
export function lease(config: Config, request: LeaseRequest): [Config, Leased] {
  const { known, ...leased } = leasedAddress(config, request);
  const device = known ?? unknownDevice(config, request);
  const next = { ...device, RecentIP: leased.address };
  return [withDevice(config, leased.identity, next), leased];
}

/** What {@link lease} would give, and the device as it is, undefined for an unknown one. Throws alike. */
export function leasedAddress(
  config: Config,
  request: LeaseRequest,
): Leased & { readonly known: Device | undefined } {
  const { identity, known } = admittedClient(config, request);
  const mayKeep = known !== undefined && request.declined !== true;
  const current = mayKeep ? validAddress(config, known.RecentIP) : null;
  const address = current ?? newAddress(config, request.candidate);
  const isLimited = known === undefined && request.refusal !== undefined;
  if (isLimited && !acceptsUnknown(config, address)) throw new CandidateTaken();
  return { identity, address, appeared: known === undefined, known };
}

/** The client's device, undefined for an unknown one. Throws the reason why it may not be here. */
function admittedClient(
  config: Config,
  { link, mac, refusal }: Pick<LeaseRequest, "link" | "mac" | "refusal">,
): { readonly identity: string; readonly known: Device | undefined } {
  requireHomeLink(config, link);
  const identity = identityOfMac(config, mac);
  const known = config.devices[identity];
  if (known !== undefined && isGuestInterface(link)) requireGuest(known.Policies);
  if (known !== undefined) requireTag(config, link, known);
  const problem = known === undefined ? refusal?.(config) ?? null : null;
  if (problem !== null) throw problem;
  return { identity, known };
}

/** True for an address of a pool that takes one more pending device. */
function acceptsUnknown(config: Config, address: string): boolean {
  const nets = unknownPools(config);
  return nets.length === config.dhcp.TinyNets.length ||
    isDeviceAddress(parseIpv4(address)!, poolsOf(nets));
}

/** Records an address that a client was given elsewhere. Throws Problem 400, 409. */
export function recordLease(
  config: Config,
  request: Omit<LeaseRequest, "candidate"> & { readonly ip: string; readonly router: string },
): [Config, Leased] {
  const { identity, known } = admittedClient(config, request);
  if (known === undefined && request.refusal !== undefined && !acceptsUnknown(config, request.ip)) {
    throw conflict(
      sentence("The remaining addresses of the pool of {ip} are reserved for known devices", {
        ip: request.ip,
      }),
    );
  }
  if (known?.RecentIP !== request.ip) {
    requireAddress(config, { identity, address: request.ip, pointer: "/IP" });
  }
  const router = formatIpv4(routerOf(parseIpv4(request.ip)!));
  if (request.router !== "" && request.router !== router) {
    throw invalid(
      "/Router",
      sentence("Use {router}, the router of {ip}", { router, ip: request.ip }),
    );
  }
  const device = known ?? unknownDevice(config, request);
  return [withDevice(config, identity, { ...device, RecentIP: request.ip }), {
    identity,
    address: request.ip,
    appeared: known === undefined,
  }];
}

/**
 * A free address for a lease, or null; `reserved` are not free, and neither is what a rule still
 * names: the next owner would inherit the rule.
 */
export function freeAddress(config: Config, reserved: Iterable<number>): number | null {
  const named = [...namedAddresses(config)].flatMap((text) => parseIpv4(text) ?? []);
  return allocate(
    poolsOf(config.dhcp.TinyNets),
    [...reserved, ...named],
    heldBlocks(config.devices),
  );
}

/** True for the device address of a /30 of a pool that no device has and no rule names. */
export function isFree(config: Config, address: number): boolean {
  const text = formatIpv4(address);
  return validAddress(config, text) !== null && holderOf(config, text, null) === null &&
    !namedAddresses(config).has(text);
}

/** The address where it is the device address of a /30 of a pool, else null. */
export function validAddress(config: Pick<Config, "dhcp">, recent: string): string | null {
  const address = parseIpv4(recent);
  if (address === null) return null;
  return isDeviceAddress(address, poolsOf(config.dhcp.TinyNets)) ? recent : null;
}

/** The wire answer about a client's address. */
export function dhcpAnswer(
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

/** The answer with the device's name and the time servers. */
export function leaseDecision(
  config: Pick<Config, "dhcp">,
  answer: DhcpAnswer,
  name: string,
): LeaseDecision {
  return { ...answer, name, ntp: config.dhcp.NTPServers ?? [] };
}

/** What a DHCP server sends for a client without a host name. */
const MISSING_NAME = "DefaultMissingName";

/** A host name as a device's name: one line, at most 63 characters (RFC 1035 label); "" for none. */
export function hostName(text: string): string {
  if (text === MISSING_NAME) return "";
  const shown = [...text].filter((character) => !hasControl(character)).join("");
  // Half a character at the end is none.
  return oneForm(oneForm(shown).slice(0, 63).replace(/[\ud800-\udbff]$/, ""));
}

/** No pool has a free address. */
export function exhausted(config: Pick<Config, "dhcp">): Problem {
  return conflict(
    `No address is free in ${config.dhcp.TinyNets.join(", ")}; add a subnet or delete devices`,
  );
}

function newAddress(config: Config, candidate: number | null): string {
  if (candidate === null) {
    throw freeAddress(config, []) === null ? exhausted(config) : new CandidateTaken();
  }
  const address = formatIpv4(candidate);
  if (!isFree(config, candidate)) {
    throw new CandidateTaken();
  }
  return address;
}

/** A new device; on a VLAN trunk it takes over the tag. */
function unknownDevice(
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
  throw invalid("/Iface", "Only guest devices may use the guest network");
}
