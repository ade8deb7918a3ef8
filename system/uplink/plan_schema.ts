import * as z from "zod";
import { hasControl, InterfaceName, Ipv4, PATTERNS } from "../core/net/grammar.ts";
import { isUnroutable, parseIpv4, parseRange4 } from "../core/net/net.ts";

/** A DHCP client to keep running. */
const DhcpClient = z.object({
  /** The uplink's name in the configuration. */
  name: InterfaceName,
  link: InterfaceName,
  /** Kernel index: distinguishes an interface from an earlier one of the same name. */
  index: z.int(),
  /** It has a carrier. */
  running: z.boolean(),
  /** Carrier changes to up (`carrier_up_count`); null where unknown, as from an older api. */
  carrierUps: z.int().nullable().default(null),
  /** Configured MAC address; "" for its own. */
  mac: z.string(),
  /** The last leased address, without prefix; "" for none. */
  lastAddress: z.string(),
});
export type DhcpClient = z.output<typeof DhcpClient>;

/** A PPPoE connection to keep up. */
const PppoeConnection = z.object({
  name: InterfaceName,
  /** The interface below, a VLAN interface where the account uses a VLAN. */
  link: InterfaceName,
  pppLink: InterfaceName,
  username: z.string(),
  secret: z.string(),
  /** "" for pppd's default. */
  mtu: z.string(),
});
export type PppoeConnection = z.output<typeof PppoeConnection>;

/** An uplink to run health checks on. */
const ProbedUplink = z.object({
  name: InterfaceName,
  link: InterfaceName,
  targets: z.array(Ipv4),
});
export type ProbedUplink = z.output<typeof ProbedUplink>;

/** A requested speed test. */
const SpeedTestRequest = z.object({ id: z.string(), link: InterfaceName, url: z.string() });
export type SpeedTestRequest = z.output<typeof SpeedTestRequest>;

/** An uplink on which a page is requested, since its network may have a captive portal. */
const PortalCheck = z.object({
  name: InterfaceName,
  link: InterfaceName,
  url: z.string(),
  /** The router's address there: a new one is checked at once. */
  address: z.string(),
});
export type PortalCheck = z.output<typeof PortalCheck>;

/** What a check found (`PUT /portal`). */
export const PortalReport = z.object({
  name: InterfaceName,
  state: z.enum(["open", "portal", "unknown"]),
  /** Printable ASCII: it is shown to people. */
  url: z.string().max(300).regex(/^[\x21-\x7e]*$/),
}).meta({ examples: [{ name: "wlan1", state: "portal", url: "http://portal.example/login" }] });
export type PortalReport = z.output<typeof PortalReport>;

/** The plan of uplinkd. */
export const UplinkPlan = z.object({
  tag: z.string(),
  /** False while the plan is not yet known, as at a start of the api: the current one stays active. */
  decided: z.boolean(),
  dhcp: z.array(DhcpClient),
  ppp: z.array(PppoeConnection),
  probes: z.array(ProbedUplink),
  intervalSeconds: z.int(),
  /** None from an older api. */
  portals: z.array(PortalCheck).default([]),
  speed: SpeedTestRequest.nullable(),
});
export type UplinkPlan = z.output<typeof UplinkPlan>;

/** A host address with the prefix length of its network. */
const LeasedAddress = z.string().refine((text) => {
  const range = text.includes("/") ? parseRange4(text) : null;
  const value = parseIpv4(text.split("/")[0] ?? "");
  return range !== null && value !== null && range.prefix > 0 && !isUnroutable(value) &&
    (range.prefix > 30 || (value !== range.first && value !== range.last));
}, { error: "This is not a host address" }).meta(PATTERNS.host4);

const HostAddress = z.string().refine((text) => {
  const value = parseIpv4(text);
  return value !== null && !isUnroutable(value);
}, { error: "This is not a host address" }).meta({
  ...PATTERNS.ipv4,
  examples: ["203.0.113.1"],
});

/** Maximum routes of a lease. */
export const MAX_ROUTES = 64;

/** A route of a lease; null gateway: on-link (RFC 3442). */
const LeasedRoute = z.object({
  destination: z.string().refine((text) => text.includes("/") && parseRange4(text) !== null, {
    error: "Use a network such as 198.51.100.0/24",
  }).meta({ ...PATTERNS.host4, examples: ["198.51.100.0/24"] }),
  via: HostAddress.nullable().default(null),
});

/** Maximum search domains of a lease. */
export const MAX_SEARCH_DOMAINS = 6;
/** Longest domain name (RFC 1035 2.3.4). */
const MAX_DOMAIN_LENGTH = 253;
/** A search domain of a lease. */
export const Domain = z.string().max(MAX_DOMAIN_LENGTH)
  .regex(/^[A-Za-z0-9_][A-Za-z0-9_-]{0,62}(\.[A-Za-z0-9_-]{1,63})*$/, {
    error: "Use a domain name",
  });

/** The lease of an uplink; null: it ended. A body's null counts as missing. */
export const LeaseReport = z.object({
  name: InterfaceName,
  lease: z.object({
    address: LeasedAddress,
    router: HostAddress.nullable().default(null),
    dns: z.array(HostAddress).max(8),
    search: z.array(Domain).max(MAX_SEARCH_DOMAINS).default([]),
    routes: z.array(LeasedRoute).max(MAX_ROUTES).default([]),
    mtu: z.int().min(1).max(65535).nullable().default(null),
    /** Seconds from now; null for an infinite lease. */
    seconds: z.int().min(1).nullable().default(null),
  }).nullable().default(null),
});
export type LeaseReport = z.output<typeof LeaseReport>;

/** Result of one round of health checks. */
export const ProbeReport = z.object({
  items: z.array(z.object({
    name: InterfaceName,
    /** Milliseconds of the fastest reply; null for none. */
    latency: z.number().min(0).max(60_000).nullable().default(null),
  })).max(64),
});
export type ProbeReport = z.output<typeof ProbeReport>;

/** Longest detail of a problem. */
const MAX_DETAIL = 2000;

/** A problem of an uplink; an empty detail ends it. */
export const ProblemReport = z.object({
  name: InterfaceName,
  detail: z.string().max(MAX_DETAIL).refine((text) => !hasControl(text)),
});
export type ProblemReport = z.output<typeof ProblemReport>;

/** A tool's output as the detail of a {@link ProblemReport}: one line. */
export function problemDetail(text: string): string {
  const line = [...text.toWellFormed()].map((one) => hasControl(one) ? " " : one).join("");
  return line.replaceAll(/ +/g, " ").trim().slice(0, MAX_DETAIL).toWellFormed();
}

/** Result of a speed test. */
export const SpeedReport = z.object({
  id: z.string().max(128),
  /** A terabyte is more than any test downloads. */
  bytes: z.number().min(0).max(2 ** 40),
  seconds: z.number().min(0).max(3600),
  /** "" on success. */
  error: z.string().max(500).refine((text) => !hasControl(text)),
});
export type SpeedReport = z.output<typeof SpeedReport>;
