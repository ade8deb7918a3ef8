import { z } from "zod";
import { hasControl, InterfaceName, Ipv4, PATTERNS } from "../core/net/grammar.ts";
import { isUnroutable, parseIpv4, parseRange4 } from "../core/net/net.ts";

/** A DHCP client to keep running. */
const DhcpClient = z.object({
  /** The uplink's name in the configuration. */
  name: InterfaceName,
  link: InterfaceName,
  /** Tells a link from another that had its name before. */
  index: z.int(),
  /** Its cable carries something. */
  running: z.boolean(),
  /** How often its cable was plugged in; null where nobody tells, as an older api. */
  plugs: z.int().nullable().default(null),
  /** The card's address that was chosen for it; "" its own. */
  mac: z.string(),
  /** The address that it had last, without prefix; "" none. */
  last: z.string(),
});
export type DhcpClient = z.output<typeof DhcpClient>;

/** A PPPoE connection to keep up. */
const Dialled = z.object({
  name: InterfaceName,
  /** The link below, a VLAN where the account is on one. */
  link: InterfaceName,
  pppLink: InterfaceName,
  username: z.string(),
  secret: z.string(),
  /** "" for pppd's own choice. */
  mtu: z.string(),
});
export type Dialled = z.output<typeof Dialled>;

/** An uplink to run health checks on. */
const Probed = z.object({
  name: InterfaceName,
  link: InterfaceName,
  targets: z.array(Ipv4),
});
export type Probed = z.output<typeof Probed>;

/** A speed test that was asked for. */
const SpeedAsk = z.object({ id: z.string(), link: InterfaceName, url: z.string() });
export type SpeedAsk = z.output<typeof SpeedAsk>;

/** What uplinkd is to do now. */
export const UplinkPlan = z.object({
  tag: z.string(),
  /** False while that is not known, at a start of the api among it: what is done goes on. */
  decided: z.boolean(),
  dhcp: z.array(DhcpClient),
  ppp: z.array(Dialled),
  probes: z.array(Probed),
  intervalSeconds: z.int(),
  speed: SpeedAsk.nullable(),
});
export type UplinkPlan = z.output<typeof UplinkPlan>;

/** One machine's address with the prefix of its network. */
const LeasedAddress = z.string().refine((text) => {
  const range = text.includes("/") ? parseRange4(text) : null;
  const value = parseIpv4(text.split("/")[0] ?? "");
  return range !== null && value !== null && range.prefix > 0 && !isUnroutable(value) &&
    (range.prefix > 30 || (value !== range.first && value !== range.last));
}, { error: "No machine can have this address" }).meta(PATTERNS.host4);

const Server = z.string().refine((text) => {
  const value = parseIpv4(text);
  return value !== null && !isUnroutable(value);
}, { error: "No machine can have this address" }).meta({
  ...PATTERNS.ipv4,
  examples: ["203.0.113.1"],
});

/** Most networks behind an uplink that a lease may name. */
export const MAX_ROUTES = 64;

/** A network behind an uplink, and who leads there; null: it is on the link itself (RFC 3442). */
const LeasedRoute = z.object({
  destination: z.string().refine((text) => text.includes("/") && parseRange4(text) !== null, {
    error: "Use a network such as 198.51.100.0/24",
  }).meta({ ...PATTERNS.host4, examples: ["198.51.100.0/24"] }),
  via: Server.nullable().default(null),
});

/** Domains that a lease may name, and how long each of them may be (RFC 1035 2.3.4). */
export const SEARCH = { most: 6, letters: 253 } as const;
/** A domain that a lease names. */
export const Domain = z.string().max(SEARCH.letters)
  .regex(/^[A-Za-z0-9_][A-Za-z0-9_-]{0,62}(\.[A-Za-z0-9_-]{1,63})*$/, {
    error: "Use a domain name",
  });

/** What a DHCP server gave an uplink; null lease: it is over. A body's null counts as missing. */
export const LeaseReport = z.object({
  name: InterfaceName,
  lease: z.object({
    address: LeasedAddress,
    router: Server.nullable().default(null),
    dns: z.array(Server).max(8),
    search: z.array(Domain).max(SEARCH.most).default([]),
    routes: z.array(LeasedRoute).max(MAX_ROUTES).default([]),
    mtu: z.int().min(1).max(65535).nullable().default(null),
    /** Seconds from now; null for ever. */
    seconds: z.int().min(1).nullable().default(null),
  }).nullable().default(null),
});
export type LeaseReport = z.output<typeof LeaseReport>;

/** Result of one round of health checks. */
export const ProbeReport = z.object({
  items: z.array(z.object({
    name: InterfaceName,
    /** Milliseconds until the best answer; null for none. */
    latency: z.number().min(0).max(60_000).nullable().default(null),
  })).max(64),
});
export type ProbeReport = z.output<typeof ProbeReport>;

/** Most characters of what is told. */
const MAX_DETAIL = 2000;

/** A problem of an uplink; an empty detail ends it. */
export const ProblemReport = z.object({
  name: InterfaceName,
  detail: z.string().max(MAX_DETAIL).refine((text) => !hasControl(text)),
});
export type ProblemReport = z.output<typeof ProblemReport>;

/** A tool's words as the detail of a {@link TroubleReport}: one line, whatever they hold. */
export function asDetail(words: string): string {
  const line = [...words.toWellFormed()].map((one) => hasControl(one) ? " " : one).join("");
  return line.replaceAll(/ +/g, " ").trim().slice(0, MAX_DETAIL).toWellFormed();
}

/** Result of a speed test. */
export const SpeedReport = z.object({
  id: z.string().max(128),
  /** A terabyte is more than any test loads. */
  bytes: z.number().min(0).max(2 ** 40),
  seconds: z.number().min(0).max(3600),
  /** "" where it ended well. */
  error: z.string().max(500).refine((text) => !hasControl(text)),
});
export type SpeedReport = z.output<typeof SpeedReport>;
