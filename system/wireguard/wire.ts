import * as z from "zod";
import { Ipv4, line, takes, WireguardKey } from "../core/net/grammar.ts";
import { orBlank } from "../devices/schema.ts";
import { DeviceUpdate } from "../devices/wire.ts";
import { PublicEndpoint } from "./endpoint.ts";
import {
  Endpoints,
  Keepalive,
  PrivateKey,
  SecretKey,
  Site,
  SiteGroups,
  SiteNetworks,
  SitePolicies,
  TunnelMtu,
  Wireguard,
} from "./schema.ts";

/** What stands for a value that is not there, as wg(8) prints it. */
export const NONE = "(none)";
/** What stands for a secret in every response; sent back it means "unchanged". */
export const MASK = "**";
/** What stands for a private key that only the peer itself has. */
export const OWN_KEY = "<PRIVATE KEY>";
/** What stands for a preshared key that was shown when the peer was added. */
export const OWN_PRESHARED_KEY = "<PRESHARED KEY>";

/** "" for {@link NONE}, which existing clients send back. */
function given(schema: z.ZodType<string>): z.ZodType<string, unknown> {
  const blank = (value: unknown): unknown =>
    typeof value === "string" && value.trim() === NONE ? "" : value;
  return takes(z.preprocess(blank, schema), z.string().max(262));
}

/** One IPv4 address, with or without its `/32`; "" for any free one. */
const PeerAddress = given(
  z.string().transform((text, context) => {
    const address = text.trim().replace(/\/32$/, "");
    if (address === "" || Ipv4.safeParse(address).success) return address;
    context.addIssue({
      code: "custom",
      message: "Write one IPv4 address of a LAN subnet, such as 192.168.2.14/32, or leave it out",
    });
    return z.NEVER;
  }),
);

/** A preshared key, {@link MASK} for the stored one, "" for a new one. */
const SentPresharedKey = given(
  z.string().refine(
    (text) => text === "" || text === MASK || SecretKey.safeParse(text).success,
    { error: "Write a preshared key of 32 bytes in base64, 44 characters, or leave it out" },
  ),
);

/** What a client reaches through the tunnel: everything, or the networks of this router. */
export const TunnelScope = z.enum(["full", "split"], { error: "Write full or split" }).default(
  "full",
);
export type TunnelScope = z.output<typeof TunnelScope>;

/**
 * A peer to add, or what is to be another of one (`PUT /plugins/wireguard/peer`). Without `PublicKey`
 * a key pair is made, whose private half the response shows once.
 */
export const PeerRequest = z.object({
  PublicKey: orBlank(WireguardKey).default("").describe(
    "Key of the peer; left out: a key pair is made",
  ),
  AllowedIPs: PeerAddress.default("").describe("Its address; left out: the next free one"),
  Endpoint: given(orBlank(PublicEndpoint)).default("").describe(
    "Where the peer reaches this router; left out: the first of the endpoints",
  ),
  PresharedKey: SentPresharedKey.default("").describe("Left out: one is made"),
  PersistentKeepalive: Keepalive.default(0),
  Tunnel: TunnelScope.describe("full: all its traffic; split: only the networks of this router"),
  Name: line(63).default("").describe("Name of a new device"),
  Policies: DeviceUpdate.shape.Policies.describe("Policies of the device"),
  Groups: DeviceUpdate.shape.Groups.describe("Groups of the device"),
  DeviceTags: DeviceUpdate.shape.DeviceTags.describe("Tags of the device"),
  LatestHandshake: z.int().optional().describe("Ignored, as are the counters"),
  TransferRx: z.int().optional(),
  TransferTx: z.int().optional(),
}).meta({ id: "WireguardPeerRequest" });
export type PeerRequest = z.output<typeof PeerRequest>;

/** The key of a peer to revoke; the other fields of a peer may stand beside it. */
export const PeerKey = PeerRequest.extend({ PublicKey: WireguardKey }).meta({
  id: "WireguardPeerKey",
});

/** A peer that gets another key. */
export const PeerRotation = z.object({
  PublicKey: WireguardKey.describe("The key that the peer has"),
  NewPublicKey: orBlank(WireguardKey).default("").describe("Left out: a key pair is made"),
  Endpoint: given(orBlank(PublicEndpoint)).default(""),
  Tunnel: TunnelScope,
}).meta({ id: "WireguardPeerRotation" });
export type PeerRotation = z.output<typeof PeerRotation>;

/** A peer of the tunnel; counters are 0 and the endpoint `(none)` until it connected. */
export const PeerAnswer = z.object({
  PublicKey: z.string(),
  AllowedIPs: z.string().describe("Comma-separated networks; (none) without an address"),
  Endpoint: z.string().describe("Source of the last packet; (none) before"),
  PresharedKey: z.string().describe("** where there is one, else (none)"),
  PersistentKeepalive: z.int(),
  LatestHandshake: z.int().describe("Unix seconds; 0 never"),
  TransferRx: z.int().describe("Bytes received from it"),
  TransferTx: z.int().describe("Bytes sent to it"),
}).meta({ id: "WireguardPeer" });
export type PeerAnswer = z.output<typeof PeerAnswer>;

/** A peer in the list, with its device. */
export const ListedPeer = PeerAnswer.extend({
  Identity: z.string().describe("Identity of its device; empty where it has none"),
  Name: z.string(),
  Online: z.boolean().describe("A handshake within the last three minutes"),
}).meta({ id: "WireguardListedPeer" });

/** The configuration of a client. `Config` is its file, which a QR code holds as it is. */
export const ClientConfig = z.object({
  Interface: z.object({
    PrivateKey: z.string().describe("Shown once, when the key was made; else <PRIVATE KEY>"),
    Address: z.string(),
    DNS: z.string(),
    MTU: z.int(),
  }),
  Peer: PeerAnswer,
  Config: z.string(),
  Problem: z.string().describe("Why it does not connect yet; empty otherwise"),
}).meta({ id: "WireguardClientConfig" });
export type ClientConfig = z.output<typeof ClientConfig>;

/** A tunnel as it runs, by the name of its interface. */
export const TunnelStatus = z.object({
  publicKey: z.string(),
  listenPort: z.int(),
  peers: z.record(
    z.string(),
    z.object({
      presharedKey: z.string().optional().describe("**; left out without one"),
      endpoint: z.string().optional(),
      latestHandshake: z.int().optional(),
      transferRx: z.int().optional(),
      transferTx: z.int().optional(),
      persistentKeepalive: z.int().optional(),
      allowedIps: z.array(z.string()),
    }),
  ),
}).meta({ id: "WireguardTunnelStatus" });
export type TunnelStatus = z.output<typeof TunnelStatus>;

/** A key pair. */
export const KeyPair = z.object({ PrivateKey: z.string(), PublicKey: z.string() }).meta({
  id: "WireguardKeyPair",
});

/** Settings of the peers' tunnel to change; what is missing stays. */
export const ServerUpdate = z.object({
  Enabled: z.boolean().optional(),
  ListenPort: Wireguard.shape.ListenPort.optional(),
  MTU: TunnelMtu.optional(),
  Endpoints: Endpoints.optional(),
  NewKey: z.boolean().optional().describe(
    "Makes another key pair: every peer then needs a new configuration",
  ),
}).meta({ id: "WireguardServerUpdate" });
export type ServerUpdate = z.output<typeof ServerUpdate>;

/** Settings of the peers' tunnel, and how it runs. */
export const ServerAnswer = z.object({
  Enabled: z.boolean(),
  ListenPort: z.int(),
  MTU: z.int().describe("0: it fits the uplinks"),
  CurrentMTU: z.int().describe("The MTU that the tunnel and its clients get"),
  Endpoints: z.array(z.string()),
  PublicKey: z.string().describe("Empty until the tunnel is first used"),
  Running: z.boolean(),
  Backend: z.enum(["kernel", "wireguard-go", ""]).describe(
    "Who carries the tunnel: the kernel, or the program wireguard-go; empty while none does",
  ),
  Problem: z.string().describe("Why the tunnel does not run as set; empty otherwise"),
}).meta({ id: "WireguardServer" });

/** A site to add or change, known by its name; what is missing stays, or gets its default. */
export const SiteRequest = z.object({
  Name: Site.shape.Name,
  Enabled: z.boolean().optional(),
  PrivateKey: given(orBlank(PrivateKey)).optional().describe("Left out: kept, or made"),
  ListenPort: Site.shape.ListenPort.unwrap().optional().describe(
    "UDP port; left out: the next free one where the other router opens the tunnel, else any",
  ),
  Address: Site.shape.Address.unwrap().optional().describe("Of this router inside the tunnel"),
  MTU: TunnelMtu.optional(),
  PeerPublicKey: orBlank(WireguardKey).optional().describe(
    "Key of the other router; left out for a new site: a key pair is made for it",
  ),
  PresharedKey: SentPresharedKey.optional(),
  Endpoint: given(Site.shape.Endpoint.unwrap()).optional().describe(
    "Where the other router is reached; empty where it opens the tunnel",
  ),
  PersistentKeepalive: Keepalive.optional(),
  Networks: SiteNetworks.optional().describe("Networks behind the other router"),
  Policies: SitePolicies.optional().describe(
    "What those networks may do here",
  ),
  Groups: SiteGroups.optional().describe(
    "Groups of devices that reach them, and that they reach",
  ),
}).meta({ id: "WireguardSiteRequest" });
export type SiteRequest = z.output<typeof SiteRequest>;

/** A site to take from a configuration file that the other router gave out. */
export const SiteImport = z.object({
  Name: Site.shape.Name,
  Config: z.string().max(1 << 16),
  Policies: SiteRequest.shape.Policies,
  Groups: SiteRequest.shape.Groups,
}).meta({ id: "WireguardSiteImport" });
export type SiteImport = z.output<typeof SiteImport>;

/** A site, its secrets masked. */
export const SiteAnswer = z.object({
  ...Site.shape,
  Interface: z.string(),
  PrivateKey: z.string().describe("Always **"),
  PresharedKey: z.string().describe("** where there is one, else empty"),
  Address: z.string(),
  Endpoint: z.string(),
  PeerPublicKey: z.string(),
  Networks: z.array(z.string()),
  Policies: z.array(z.string()),
  Groups: z.array(z.string()),
  PublicKey: z.string(),
  LatestHandshake: z.int().describe("Unix seconds; 0 never"),
  TransferRx: z.int(),
  TransferTx: z.int(),
  Online: z.boolean().describe("A handshake within the last three minutes"),
  CurrentEndpoint: z.string().describe("Source of the last packet; empty before"),
  Problem: z.string(),
}).meta({ id: "WireguardSite" });

/** A site that was set, and the file for the other router where keys were made for it. */
export const SiteOutcome = z.object({
  Site: SiteAnswer,
  Config: z.string().describe(
    "Configuration file for the other router, with its private key; empty where it made its own",
  ),
  Ignored: z.array(z.string()).describe("Of an imported file: what has no effect here"),
}).meta({ id: "WireguardSiteOutcome" });

/** What an import added. */
export const ImportResult = z.object({
  Peers: z.int(),
  Sites: z.int(),
  Ignored: z.array(z.string()).describe("Settings of the file that have no effect here"),
}).meta({ id: "WireguardImport" });

/** A configuration file of another WireGuard server, to be taken over. */
export const ImportRequest = z.object({
  /** Some 4000 peers. */
  Config: z.string().max(1 << 20).describe("The text of the file"),
}).meta({ id: "WireguardImportRequest" });
