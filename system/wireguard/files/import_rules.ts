import type * as z from "zod";
import type { Config } from "../../config.ts";
import { invalid, Problem } from "../../core/errors/problem.ts";
import { parseIpv4, parseRange4 } from "../../core/net/net.ts";
import { RemoteEndpoint } from "../endpoint.ts";
import { hostName } from "../../dhcp/leases/lease_rules.ts";
import { isDeviceAddress, poolsOf } from "../../dhcp/tiny_net.ts";
import {
  atLine,
  type ConfigFile,
  parseConfigFile,
  type Section,
  type Setting,
} from "./config_file.ts";
import { publicKeyOf } from "../keys.ts";
import { LeftOut } from "./left_out.ts";
import { type MadeKeys, PeerDraft } from "../peers/peer_draft.ts";
import {
  Keepalive,
  PrivateKey,
  SecretKey,
  SiteAddress,
  SiteNetworks,
  TunnelMtu,
  VpnPeer,
  Wireguard,
} from "../schema.ts";
import { refuseSitePort, requireFreePort, withWireguard } from "../server_rules.ts";
import { type MadeSiteKeys, putSite, type SiteSet } from "../sites/site_rules.ts";
import { NONE, type SiteImport, type SiteRequest } from "../wire.ts";

/** What an import of a server's file added. */
export interface Imported {
  readonly Peers: number;
  readonly Sites: number;
  readonly Ignored: readonly string[];
}

/** A site that was set from a file. */
export interface SiteImported extends SiteSet {
  /** What of the file has no effect here. */
  readonly ignored: readonly string[];
}

/** What an import needs beside the file. */
export interface ImportSources {
  readonly made: MadeKeys & MadeSiteKeys;
  readonly others: readonly string[];
}

/**
 * Takes over the file of another WireGuard server: its key and port, so that its clients need no new
 * configuration, and its peers as devices that may do nothing yet. Their addresses must be those of
 * devices in a LAN subnet. In small steps. Throws Problem 400 with the line, 409.
 */
export function* importServer(
  config: Config,
  text: string,
  { made }: ImportSources,
): Generator<void, [Config, Imported]> {
  const file = parseConfigFile(text);
  yield;
  const key = setting(file.tunnel, "privatekey");
  if (key === undefined) {
    throw atLine(
      file.tunnel.line,
      "The section has no PrivateKey; without it clients would not know this router again",
    );
  }
  const ownKey = valid(PrivateKey, key.text, key);
  if (config.wireguard.Peers.length > 0 && config.wireguard.PrivateKey !== ownKey) {
    throw invalid(
      "/Config",
      "This router has VPN peers already, which know it by another key; delete them first, or add " +
        "the peers of the file one by one",
    );
  }
  const port = setting(file.tunnel, "listenport");
  const ListenPort = port === undefined
    ? config.wireguard.ListenPort
    : valid(Wireguard.shape.ListenPort, numberOf(port), port);
  refuseSitePort(config.wireguard, ListenPort, "/Config");
  requireFreePort(config, ListenPort, "/Config");
  const other = config.wireguard.Sites.find((one) => one.PeerPublicKey === publicKeyOf(ownKey));
  if (other !== undefined) {
    throw atLine(key.line, `This is the key of the site ${other.Name}, which is another router`);
  }
  const draft = new PeerDraft(withWireguard(config, {
    ...config.wireguard,
    PrivateKey: ownKey,
    ListenPort,
    Enabled: true,
    MTU: mtuOf(file),
  }));
  const seen = new Map<string, number>();
  const pools = poolsOf(config.dhcp.TinyNets);
  const left = new LeftOut(file);
  for (const text of left.ipv4(setting(file.tunnel, "address"), "Address")) {
    const address = parseIpv4(text.split("/")[0]!);
    const isOurs = pools.some(({ first }) => address === first + 1);
    if (!isOurs) left.part(text, "Address", setting(file.tunnel, "address")!.line);
  }
  left.setting(file.tunnel, "DNS");
  for (const peer of file.peers) {
    const { entry, address } = serverPeer(peer, { config, pools, left });
    const before = seen.get(entry.PublicKey);
    if (before !== undefined) {
      throw atLine(peer.line, `This peer has the same key as that of line ${before}`);
    }
    seen.set(entry.PublicKey, peer.line);
    inSection(peer, () =>
      draft.put({
        key: entry.PublicKey,
        request: {
          ...entry,
          // Its client has none either.
          PresharedKey: entry.PresharedKey || NONE,
          AllowedIPs: address,
          Name: hostName(peer.name),
        },
        made,
        reserved: [],
      }));
    yield;
  }
  return [draft.config(), { Peers: file.peers.length, Sites: 0, Ignored: left.items }];
}

/** A peer of a server's file, and its address. */
function serverPeer(
  section: Section,
  { config, pools, left }: {
    readonly config: Pick<Config, "dhcp">;
    readonly pools: ReturnType<typeof poolsOf>;
    readonly left: LeftOut;
  },
): { readonly entry: VpnPeer; readonly address: string } {
  const key = setting(section, "publickey");
  if (key === undefined) throw atLine(section.line, "This peer has no PublicKey");
  const PublicKey = valid(VpnPeer.shape.PublicKey, key.text, key);
  const allowed = setting(section, "allowedips");
  const networks = left.ipv4(allowed, "AllowedIPs");
  const [address] = networks.map((text) => text.replace(/\/32$/, ""));
  const line = allowed?.line ?? section.line;
  if (address === undefined || networks.length > 1 || address.includes("/")) {
    throw atLine(
      line,
      "A peer has one IPv4 address here. Networks behind a peer are joined as a site: take this " +
        "section out of the file and add it there",
    );
  }
  const value = parseIpv4(address);
  if (value === null || !isDeviceAddress(value, pools)) {
    throw atLine(
      line,
      `${value === null ? "This" : address} is not the device address of a /30 in ` +
        `${
          config.dhcp.TinyNets.join(", ")
        }: each device has four addresses of its own, and uses the third. Add ` +
        "the subnet of the file to the LAN subnets, or give the peer a new configuration",
    );
  }
  return {
    entry: { PublicKey, PresharedKey: presharedKey(section), PersistentKeepalive: pause(section) },
    address,
  };
}

/**
 * A site from the file that another router gave out: our key, its key, where it is reached and which
 * networks are behind it. Throws Problem 400 with the line, 409.
 */
export function importSite(
  config: Config,
  { Name, Config: text, Policies, Groups }: SiteImport,
  { made, others }: ImportSources,
): [Config, SiteImported] {
  const file = parseConfigFile(text), left = new LeftOut(file);
  const [peer, second] = file.peers;
  if (peer === undefined) throw invalid("/Config", "The file has no section [Peer]");
  if (second !== undefined) {
    throw atLine(second.line, "A site is one other router; the file has several peers");
  }
  const key = setting(file.tunnel, "privatekey");
  if (key === undefined) throw atLine(file.tunnel.line, "The section has no PrivateKey");
  const other = setting(peer, "publickey");
  if (other === undefined) throw atLine(peer.line, "This peer has no PublicKey");
  const port = setting(file.tunnel, "listenport"), endpoint = setting(peer, "endpoint");
  const request: SiteRequest = {
    Name,
    PrivateKey: valid(PrivateKey, key.text, key),
    PeerPublicKey: valid(VpnPeer.shape.PublicKey, other.text, other),
    // The other router has none either.
    PresharedKey: presharedKey(peer) || NONE,
    Endpoint: endpoint === undefined ? "" : valid(RemoteEndpoint, endpoint.text, endpoint),
    PersistentKeepalive: pause(peer),
    ListenPort: port === undefined
      ? undefined
      : valid(Wireguard.shape.ListenPort, numberOf(port), port),
    Address: valid(SiteAddress, addressOf(file, left), setting(file.tunnel, "address") ?? key),
    MTU: mtuOf(file),
    Networks: siteNetworks(peer, left),
    Policies,
    Groups,
  };
  left.setting(file.tunnel, "DNS");
  const [next, set] = inSection(peer, () => putSite(config, { request, made, others }));
  return [next, { ...set, ignored: left.items }];
}

/** The networks behind the other router. */
function siteNetworks(peer: Section, left: LeftOut): string[] {
  const allowed = setting(peer, "allowedips");
  const networks = left.ipv4(allowed, "AllowedIPs");
  if (networks.length === 0) throw atLine(peer.line, "The peer has no IPv4 network in AllowedIPs");
  if (networks.some((text) => parseRange4(text)?.prefix === 0)) {
    throw atLine(
      allowed!.line,
      "0.0.0.0/0 would take all traffic of this router; name the networks behind the other one",
    );
  }
  const whole = networks.map((text) => text.includes("/") ? text : `${text}/32`);
  return valid(SiteNetworks, whole, allowed!);
}

function setting(section: Section, name: string): Setting | undefined {
  const found = section.settings.get(name);
  return found?.text === "" || found?.text === "(none)" ? undefined : found;
}

/** The value as the schema takes it; its complaint names the line, never the value. */
function valid<T>(schema: z.ZodType<T>, value: unknown, { line }: Setting): T {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  throw atLine(line, parsed.error.issues[0]!.message);
}

function numberOf({ text }: Setting): number {
  return /^\d{1,6}$/.test(text) ? Number(text) : NaN;
}

/** A chosen MTU that a tunnel may have here; 0 lets it fit. */
function mtuOf({ tunnel }: ConfigFile): number {
  const mtu = setting(tunnel, "mtu");
  return mtu === undefined ? 0 : valid(TunnelMtu, numberOf(mtu), mtu);
}

function presharedKey(section: Section): string {
  const secret = setting(section, "presharedkey");
  return secret === undefined ? "" : valid(SecretKey, secret.text, secret);
}

function pause(section: Section): number {
  const keepalive = setting(section, "persistentkeepalive");
  if (keepalive === undefined || keepalive.text === "off") return 0;
  return valid(Keepalive, numberOf(keepalive), keepalive);
}

/** The first IPv4 address of the tunnel; "" for none. */
function addressOf({ tunnel }: ConfigFile, left: LeftOut): string {
  const found = setting(tunnel, "address");
  const [address = "", ...more] = left.ipv4(found, "Address");
  for (const text of more) left.part(text, "Address", found!.line);
  return address;
}

/** What is wrong with a section, with its line. */
function inSection<T>({ line }: Section, run: () => T): T {
  try {
    return run();
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    const message = `The peer of line ${line}: ${error.message}`;
    throw new Problem(error.status, message, { errors: [{ pointer: "/Config", message }] });
  }
}
