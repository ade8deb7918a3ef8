import type { Config } from "../../config.ts";
import { formatIpv4, parseRange4 } from "../../core/net/net.ts";
import { isPublic } from "../../core/net/public_address.ts";
import { formatEndpoint, parseEndpoint } from "../endpoint.ts";
import { publicKeyOf } from "../keys.ts";
import type { Site, Wireguard } from "../schema.ts";
import { type ClientConfig, NONE, OWN_PRESHARED_KEY, type TunnelScope } from "../wire.ts";

/** Seconds between packets of a client that keep its way through NAT open; NAT forgets after 30 and more. */
const CLIENT_KEEPALIVE = 25;
/** What takes all of a client's traffic into the tunnel, also IPv6, which would pass beside it. */
const EVERYTHING = "0.0.0.0/0, ::/0";

/** What a client's configuration is made of. */
export interface ClientSources {
  readonly wireguard: Wireguard;
  readonly networks: Config["dhcp"]["TinyNets"];
  readonly address: string;
  /** Its private key, or what stands for it. */
  readonly privateKey: string;
  /** Its preshared key where it may be shown; null for one that was shown before; "" for none. */
  readonly presharedKey: string | null;
  /** Where it reaches this router; "" where that is not known. */
  readonly endpoint: string;
  readonly scope: TunnelScope;
  readonly mtu: number;
  readonly keepalive: number;
}

/** The configuration of a client, also as the text of its file; no problem is known of it. */
export function clientConfig(sources: ClientSources): ClientConfig {
  const { wireguard, networks, scope } = sources;
  const [pool] = networks.flatMap((net) => parseRange4(net) ?? []);
  const local = [...networks, ...wireguard.Sites.flatMap(({ Networks }) => Networks)];
  const parts = {
    Interface: {
      PrivateKey: sources.privateKey,
      Address: sources.address,
      DNS: pool === undefined ? "" : formatIpv4(pool.first + 1),
      MTU: sources.mtu,
    },
    Peer: {
      PublicKey: publicKeyOf(wireguard.PrivateKey),
      AllowedIPs: scope === "full" ? EVERYTHING : local.join(", "),
      Endpoint: sources.endpoint || NONE,
      PresharedKey: sources.presharedKey === null
        ? OWN_PRESHARED_KEY
        : sources.presharedKey || NONE,
      PersistentKeepalive: sources.keepalive || CLIENT_KEEPALIVE,
      LatestHandshake: 0,
      TransferRx: 0,
      TransferTx: 0,
    },
  };
  return { ...parts, Config: fileText(parts), Problem: "" };
}

/** A configuration file as WireGuard's own programs read it; what is not there is left out. */
function fileText({ Interface, Peer }: Pick<ClientConfig, "Interface" | "Peer">): string {
  const lines = (settings: Readonly<Record<string, string | number>>): readonly string[] =>
    Object.entries(settings).filter(([, value]) => value !== "" && value !== NONE && value !== 0)
      .map(([name, value]) => `${name} = ${value}`);
  const { PublicKey, PresharedKey, AllowedIPs, Endpoint, PersistentKeepalive } = Peer;
  const address = Interface.Address === "" || Interface.Address.includes("/")
    ? Interface.Address
    : `${Interface.Address}/32`;
  return [
    "[Interface]",
    ...lines({ ...Interface, Address: address }),
    "",
    "[Peer]",
    ...lines({ PublicKey, PresharedKey, AllowedIPs, Endpoint, PersistentKeepalive }),
    "",
  ].join("\n");
}

/** The file for the other router of a site, with the private key that was made for it. */
export function siteFile(
  { site, privateKey, networks, endpoint }: {
    readonly site: Site;
    readonly privateKey: string;
    readonly networks: Config["dhcp"]["TinyNets"];
    readonly endpoint: string;
  },
): string {
  return fileText({
    Interface: { PrivateKey: privateKey, Address: "", DNS: "", MTU: site.MTU },
    Peer: {
      PublicKey: publicKeyOf(site.PrivateKey),
      AllowedIPs: networks.join(", "),
      Endpoint: endpoint || NONE,
      PresharedKey: site.PresharedKey || NONE,
      PersistentKeepalive: CLIENT_KEEPALIVE,
      LatestHandshake: 0,
      TransferRx: 0,
      TransferTx: 0,
    },
  });
}

/**
 * Where peers reach this router: what was sent, else the first of its endpoints, else the name that
 * dynamic DNS keeps, else its first public address on an uplink, else any there; "" where it has none.
 */
export function reachedAt(
  { sent, endpoints, names, addresses, port }: {
    readonly sent: string;
    readonly endpoints: readonly string[];
    /** Names that dynamic DNS keeps. */
    readonly names: readonly string[];
    /** IPv4 addresses on uplinks, in their order. */
    readonly addresses: readonly string[];
    readonly port: number;
  },
): string {
  const known = addresses.find((address) => isPublic(address)) ?? addresses[0] ?? "";
  const chosen = sent || endpoints[0] || names[0] || known;
  const parts = parseEndpoint(chosen);
  return parts === null ? "" : formatEndpoint({ ...parts, port: parts.port ?? port });
}
