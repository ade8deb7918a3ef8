import { inRange4, parseAddress, parseIpv4, parseRange4, type Range4 } from "../core/net/net.ts";

/** Milliseconds of a day. */
const DAY_MS = 86_400_000;
/** Validity of the CA and of a certificate, in days; browsers accept at most 398 for the latter. */
export const CA_DAYS = 3650;
export const CERTIFICATE_DAYS = 397;
/** Days before expiry at which a certificate is renewed. */
const RENEW_DAYS = 30;
/** Maximum number of names, and of addresses, in a certificate. */
const MAX_NAMES = 64;

/**
 * A clock that was never set says 1970: certificates issued then must still be valid once it is right.
 * 2026-01-01.
 */
const EARLIEST_MS = 1_767_225_600_000;

/** Validity period, in unix milliseconds. */
export interface Validity {
  readonly from: number;
  readonly to: number;
}

/**
 * Days before now from which a certificate is valid: a router may trust it whose clock is wrong by a day,
 * and a bit for the time that the two take.
 */
const CLOCK_MARGIN_DAYS = 2;

/** A validity of so many days from before yesterday on, since clocks differ. */
export function validFor(days: number, now: number): Validity {
  const from = Math.max(now, EARLIEST_MS) - CLOCK_MARGIN_DAYS * DAY_MS;
  return { from, to: from + days * DAY_MS };
}

/** Sources of the router's names and addresses. */
export interface NameSources {
  /** DNS names in lower case; one may begin with `*.`. */
  readonly names: Iterable<string>;
  /** LAN address pools: the router has the first address of each. */
  readonly pools: readonly string[];
  /** Static addresses of interfaces, with or without a prefix; "" for none. */
  readonly fixed: readonly string[];
  /** Current addresses of the machine. */
  readonly machine: readonly string[];
}

/** Names and addresses of a certificate. */
export interface CertificateNames {
  readonly dns: readonly string[];
  readonly ip: readonly string[];
}

/** The names and addresses that the router's certificate is made for, in order, each once. */
export function wantedNames(sources: NameSources): CertificateNames {
  const pools = sources.pools.flatMap((pool) => parseRange4(pool) ?? []);
  const first = pools.map((pool) => dotted(pool.first + 1));
  const fixed = sources.fixed.map((address) => address.split("/")[0]!).filter((one) => one !== "");
  // The router's address in a device's subnet is not used by others.
  const machine = sources.machine.filter((address) => isReachable(address, pools));
  const ip = unique([...first, ...fixed, ...machine.toSorted(), "127.0.0.1", "::1"])
    .filter((address) => parseAddress(address) !== null);
  // The first is the common name; every machine is called localhost.
  const names = [...sources.names].filter((name) => name !== "localhost");
  const dns = unique([...names, "localhost"]).filter((name) => parseAddress(name) === null);
  return { dns: dns.slice(0, MAX_NAMES), ip: ip.slice(0, MAX_NAMES) };
}

/** Parsed facts of an installed certificate. */
export interface CertificateFacts extends Validity, CertificateNames {
  /** True when issued by the local CA; others are never replaced. */
  readonly own: boolean;
}

/** Why a certificate must be renewed; null while it is good, and for one of another issuer. */
export function renewalReason(
  facts: CertificateFacts,
  wanted: CertificateNames,
  now: number,
): "names" | "age" | null {
  if (!facts.own) return null;
  const at = Math.max(now, EARLIEST_MS);
  if (at < facts.from || at > facts.to - RENEW_DAYS * DAY_MS) return "age";
  const known = new Set([...facts.dns, ...facts.ip]);
  return [...wanted.dns, ...wanted.ip].every((name) => known.has(name)) ? null : "names";
}

/** True when the time is within the validity period. */
export function isWithin({ from, to }: Validity, now: number): boolean {
  return now >= from && now <= to;
}

function isReachable(address: string, pools: readonly Range4[]): boolean {
  const value = parseIpv4(address);
  if (value === null) {
    return parseAddress(address) !== null && !/^(fe[89ab]|ff)/i.test(address) && address !== "::1";
  }
  return value >>> 24 !== 127 && !pools.some((pool) => inRange4(pool, value));
}

function dotted(value: number): string {
  return [24, 16, 8, 0].map((shift) => value >>> shift & 255).join(".");
}

function unique(list: Iterable<string>): readonly string[] {
  return [...new Set(list)];
}
