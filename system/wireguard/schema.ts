import * as z from "zod";
import { Cidr4, line, PATTERNS, takes, WireguardKey } from "../core/net/grammar.ts";
import { formatIpv4, isUnroutable, parseIpv4, parseRange4 } from "../core/net/net.ts";
import { POLICIES, type Policy } from "../devices/policies.ts";
import { Label, orBlank } from "../devices/schema.ts";
import { PublicEndpoint, RemoteEndpoint } from "./endpoint.ts";
import { clampedKey } from "./keys.ts";

/** The tunnel of the router's own peers. */
export const TUNNEL = "wg0";
/** UDP port of {@link TUNNEL} where none was chosen, as existing clients expect it. */
export const DEFAULT_PORT = 51280;
/** Peers that a tunnel may have: each is a device with a /30 of its own. */
export const MAX_PEERS = 4096;
/** Sites, each with an interface of its own: `site0`, `site1`, …. */
export const MAX_SITES = 64;
/** Networks of one site. */
const MAX_NETWORKS = 64;
/** Addresses and names under which the router is reached. */
const MAX_ENDPOINTS = 8;
/** Shortest prefix of a network behind a site: anything larger is most of the Internet. */
const MIN_PREFIX = 8;
/**
 * Smallest MTU of a tunnel: what IPv6 requires of every link (RFC 8200 5). The largest is that of an
 * Ethernet less what WireGuard adds over IPv4: 20 of IP, 8 of UDP, 32 of its own.
 */
export const TUNNEL_MTU = { least: 1280, most: 1440 } as const;

const PORT = "Use a port from 1 to 65535";
const KEEPALIVE = "Use seconds from 0 (off) to 65535";

/** A UDP port. */
const Port = z.int({ error: PORT }).min(1, { error: PORT }).max(65535, { error: PORT });

/** A preshared key: 32 bytes in base64, as `wg genpsk` prints it. */
export const SecretKey = z.string().regex(/^[A-Za-z0-9+/]{42}[AEIMQUYcgkosw048]=$/, {
  error: "Write a key of 32 bytes in base64, 44 characters, as wg genkey prints it",
}).refine((key) => !/^A{43}=$/.test(key), {
  error: "This key is all zeros, which WireGuard takes for none",
});

/** A private key, as `wg genkey` prints it. */
export const PrivateKey = SecretKey.overwrite(clampedKey);

/** Seconds between packets that keep a way through NAT open (wg(8)); 0: none. */
export const Keepalive = z.int({ error: KEEPALIVE }).min(0, { error: KEEPALIVE })
  .max(65535, { error: KEEPALIVE });

const MTU = `Use an MTU from ${TUNNEL_MTU.least} to ${TUNNEL_MTU.most}, or 0 to let it fit`;

/** Bytes of a packet inside the tunnel; 0: what fits the uplinks. */
export const TunnelMtu = z.int({ error: MTU }).refine(
  (mtu) => mtu === 0 || (mtu >= TUNNEL_MTU.least && mtu <= TUNNEL_MTU.most),
  { error: MTU },
);

/** A peer of the tunnel. The device with its key has its address, policies and groups. */
export const VpnPeer = z.object({
  PublicKey: WireguardKey,
  PresharedKey: orBlank(SecretKey).default(""),
  PersistentKeepalive: Keepalive.default(0),
});
export type VpnPeer = z.output<typeof VpnPeer>;

/** The policies that a network behind a site may hold. */
const SITE_POLICIES = POLICIES.filter(({ interfaces }) => (interfaces?.set ?? null) !== null)
  .map(({ name }) => name) as [Policy, ...Policy[]];

const SitePolicy = z.string().trim().toLowerCase().pipe(
  z.enum(SITE_POLICIES, { error: `Write a policy: ${SITE_POLICIES.join(", ")}` }),
);

/** A network behind another router. */
const SiteNetwork = Cidr4.refine((text) => {
  const range = parseRange4(text);
  return range === null || (range.prefix >= MIN_PREFIX && !isUnroutable(range.first));
}, {
  error: "Write a network behind the other router, such as 192.168.7.0/24, of at most a /8",
});

/** An address of the router's own in a tunnel to a site, with its prefix. */
export const SiteAddress = takes(
  z.string().trim().transform((text, context) => {
    if (text === "") return "";
    const [host = "", prefix = "32"] = text.split("/");
    const value = parseIpv4(host), range = parseRange4(`${host}/${prefix}`);
    const isNetwork = range !== null && range.prefix >= MIN_PREFIX;
    if (value !== null && isNetwork && !isUnroutable(value)) {
      return `${formatIpv4(value)}/${range.prefix}`;
    }
    context.addIssue({
      code: "custom",
      message: "Write an IPv4 address with its prefix, such as 10.9.0.2/32, of at most a /8",
    });
    return z.NEVER;
  }),
  z.union([z.string().meta(PATTERNS.range4), z.literal("")]),
);

const unique = <T>(list: readonly T[]): T[] => [...new Set(list)];

/** What the networks behind a site may do here. */
export const SitePolicies = z.array(SitePolicy).transform(unique);

/** Groups of a site: their devices reach its networks, and are reached from there. */
export const SiteGroups = z.array(Label).max(64, { error: "List at most 64 groups" })
  .transform(unique);

/** Networks behind a site. */
export const SiteNetworks = z.array(SiteNetwork).min(1, { error: "Write at least one network" })
  .max(MAX_NETWORKS, { error: `List at most ${MAX_NETWORKS} networks` }).transform(unique);

/** Name of a site, which no other has. */
export const SiteName = line(64).pipe(z.string().min(1, { error: "Write a name" }));

/** Another router whose networks are joined with ours. */
export const Site = z.object({
  Name: SiteName,
  /** The interface of its tunnel; chosen by Sluice. */
  Interface: z.string().regex(/^site([0-9]|[1-5][0-9]|6[0-3])$/, {
    error: "Write an interface from site0 to site63",
  }),
  Enabled: z.boolean().default(true),
  PrivateKey,
  /** UDP port; 0: whichever is free, where this router opens the tunnel. */
  ListenPort: Port.or(z.literal(0)).default(0),
  Address: SiteAddress.default(""),
  MTU: TunnelMtu.default(0),
  PeerPublicKey: WireguardKey,
  PresharedKey: orBlank(SecretKey).default(""),
  /** Where the other router is reached; "" where it opens the tunnel. */
  Endpoint: orBlank(RemoteEndpoint).default(""),
  PersistentKeepalive: Keepalive.default(25),
  Networks: SiteNetworks,
  Policies: SitePolicies.default([]),
  Groups: SiteGroups.default([]),
});
export type Site = z.output<typeof Site>;

/** Addresses and names under which peers reach this router, the first before the others. */
export const Endpoints = z.array(PublicEndpoint)
  .max(MAX_ENDPOINTS, { error: `List at most ${MAX_ENDPOINTS} endpoints` }).transform(unique);

/** `configs/wireguard/wireguard.json`. */
export const Wireguard = z.object({
  Enabled: z.boolean(),
  ListenPort: Port,
  /** "" until the tunnel is used for the first time. */
  PrivateKey: orBlank(PrivateKey),
  MTU: TunnelMtu,
  Endpoints,
  Peers: z.array(VpnPeer).max(MAX_PEERS),
  Sites: z.array(Site).max(MAX_SITES),
});
export type Wireguard = z.output<typeof Wireguard>;

/** The tunnel before its first use. */
export const DEFAULT_WIREGUARD: Wireguard = {
  Enabled: false,
  ListenPort: DEFAULT_PORT,
  PrivateKey: "",
  MTU: 0,
  Endpoints: [],
  Peers: [],
  Sites: [],
};
