import * as z from "zod";
import type { Config } from "../../system/config.ts";
import { WireguardKey } from "../../system/core/net/grammar.ts";
import { notFound } from "../../system/core/errors/problem.ts";
import { titleOf } from "../../system/devices/device.ts";
import { renamed } from "../../system/devices/observation.ts";
import { listedPeers } from "../../system/wireguard/answers.ts";
import { clientConfig } from "../../system/wireguard/files/client_config.ts";
import { publicKeyOf } from "../../system/wireguard/keys.ts";
import type { MadeKeys, PeerOutcome } from "../../system/wireguard/peers/peer_draft.ts";
import { deletePeer, putPeer, rotatePeer } from "../../system/wireguard/peers/peer_rules.ts";
import { deviceOfKey } from "../../system/wireguard/peers/rules.ts";
import { peerSecrets } from "../../system/wireguard/secret_paths.ts";
import {
  ClientConfig,
  ListedPeer,
  OWN_KEY,
  PeerKey,
  PeerRequest,
  PeerRotation,
  TunnelScope,
} from "../../system/wireguard/wire.ts";
import { type Route, route } from "../http/route.ts";
import {
  currentMtu,
  drawPresharedKey,
  drawPrivateKey,
  endpointOf,
  VPN,
  type WireguardDeps,
} from "./deps.ts";

/** Milliseconds that a response waits for the tunnel to have the peer. */
const PLAN_WAIT_MS = 2000;

/** What of a client's configuration the caller chose. */
interface Chosen {
  readonly endpoint: string;
  readonly scope: z.output<typeof TunnelScope>;
  /** The private key that was made; null where the peer has its own. */
  readonly privateKey: string | null;
}

/** Peers of the VPN: devices that reach this router through the tunnel. */
export function peerRoutes(deps: WireguardDeps): Route[] {
  const { engine, tunnels, reservations } = deps;
  const path = "/plugins/wireguard/peer";

  function made(): MadeKeys {
    return { presharedKey: drawPresharedKey(deps), serverKey: drawPrivateKey(deps) };
  }

  function titleOfPeer(config: Config, key: string): string {
    const identity = deviceOfKey(config, key);
    return identity === null ? "a VPN peer" : titleOf(identity, config.devices[identity]);
  }

  function configOf(
    { peer, address, isNew }: Pick<PeerOutcome, "peer" | "address" | "isNew">,
    { endpoint, scope, privateKey }: Chosen,
  ): z.output<typeof ClientConfig> {
    const { wireguard, dhcp } = engine.config;
    return clientConfig({
      wireguard,
      networks: dhcp.TinyNets,
      address,
      privateKey: privateKey ?? OWN_KEY,
      presharedKey: isNew || peer.PresharedKey === "" ? peer.PresharedKey : null,
      endpoint: endpointOf(deps, wireguard.ListenPort, endpoint),
      scope,
      mtu: currentMtu(deps, wireguard.MTU),
      keepalive: peer.PersistentKeepalive,
    });
  }

  return [
    route({
      method: "GET",
      path: "/plugins/wireguard/peers",
      ...VPN,
      summary: "VPN peers, with their devices and counters",
      description:
        "In the order in which they were added. `Endpoint` is the source of a peer's last packet.",
      response: z.array(ListedPeer),
    }, () => listedPeers(engine.config, tunnels)),
    route({
      method: "PUT",
      path,
      ...VPN,
      summary: "Add a VPN peer, or change one",
      description:
        "The peer becomes a device whose identity is the public key. It gets the next free address, " +
        "and the policies, groups and tags that are sent; without policies it may do nothing yet. A " +
        "device with this key or address is updated. Without `PublicKey` a key pair is made. The " +
        "private and the preshared key are shown in this response only. The first peer turns the " +
        "VPN on.",
      body: PeerRequest,
      bodyOptional: true,
      response: ClientConfig,
      errors: [409, 412],
    }, async (call) => {
      const request = call.body ?? PeerRequest.parse({});
      const privateKey = request.PublicKey === "" ? drawPrivateKey(deps) : null;
      const key = privateKey === null ? request.PublicKey : publicKeyOf(privateKey);
      const keys = made();
      const isKnown = engine.config.wireguard.Peers.some(({ PublicKey }) => PublicKey === key);
      return await call.decide({
        kind: "wireguard.peer",
        summary: isKnown
          ? `Changed the VPN access of ${titleOfPeer(engine.config, key)}`
          : `Gave ${request.Name || titleOfPeer(engine.config, key)} access by VPN`,
        secrets: () => peerSecrets(key, request),
        reduce: (config) =>
          putPeer(config, {
            key,
            request,
            made: keys,
            reserved: [
              ...reservations.reservedByOthers(key, deps.steady()),
              ...tunnels.heldByOthers(key),
            ],
          }),
      }, (outcome) => {
        reservations.release(key);
        return settled(configOf(outcome, {
          endpoint: request.Endpoint,
          scope: request.Tunnel,
          privateKey,
        }));
      });
    }),
    route({
      method: "DELETE",
      path,
      ...VPN,
      summary: "Revoke a VPN peer",
      description:
        "Ends its access at once and deletes its device; one that also has a MAC address loses only " +
        "its key. Other fields of a peer are ignored.",
      body: PeerKey,
      response: z.literal(true),
      errors: [404, 409, 412],
    }, ({ body, decide }) =>
      decide({
        kind: "wireguard.peer.delete",
        summary: `Revoked the VPN access of ${titleOfPeer(engine.config, body.PublicKey)}`,
        reduce: (config) => deletePeer(config, body.PublicKey),
      }, () => true as const)),
    route({
      method: "GET",
      path,
      ...VPN,
      summary: "Configuration of a VPN peer",
      description:
        "The configuration of a peer's client once more, without its keys: `<PRIVATE KEY>` and " +
        "`<PRESHARED KEY>` stand for what was shown when they were made.",
      query: z.object({ PublicKey: WireguardKey, Tunnel: TunnelScope }),
      response: ClientConfig,
      errors: [404],
    }, ({ query }) => {
      const { wireguard, devices } = engine.config;
      const peer = wireguard.Peers.find(({ PublicKey }) => PublicKey === query.PublicKey);
      const identity = deviceOfKey(engine.config, query.PublicKey);
      if (peer === undefined || identity === null) {
        throw notFound("There is no VPN peer with this key");
      }
      return configOf({ peer, address: devices[identity]!.RecentIP, isNew: false }, {
        endpoint: "",
        scope: query.Tunnel,
        privateKey: null,
      });
    }),
    route({
      method: "PUT",
      path: `${path}/rotate`,
      ...VPN,
      summary: "Give a VPN peer another key",
      description:
        "The old key loses its access at once. The device keeps address, policies and groups; one " +
        "without a MAC address is known by the new key from then on. A new preshared key is made. " +
        "While the process `wireguard` does not respond, the new key has no access either: `Problem` " +
        "of the response says so.",
      body: PeerRotation,
      response: ClientConfig,
      errors: [404, 409, 412],
    }, async ({ body, decide }) => {
      const privateKey = body.NewPublicKey === "" ? drawPrivateKey(deps) : null;
      const to = privateKey === null ? body.NewPublicKey : publicKeyOf(privateKey);
      const keys = made();
      let moved: Pick<PeerOutcome, "identity" | "before"> | null = null;
      const response = await decide({
        kind: "wireguard.peer.rotate",
        summary: `Gave ${titleOfPeer(engine.config, body.PublicKey)} a new VPN key`,
        reduce: (config) => {
          const [next, outcome] = rotatePeer(config, { from: body.PublicKey, to, made: keys });
          moved = outcome;
          return [next, outcome];
        },
      }, async (outcome) => {
        await followIdentity(outcome);
        return await settled(
          configOf(outcome, { endpoint: body.Endpoint, scope: body.Tunnel, privateKey }),
        );
      });
      // Where the change cuts off its own caller, the response has no body.
      if (response.status === 202) await followIdentity(moved);
      return response;
    }),
  ];

  /** The configuration once the tunnel has the peer, or with why it does not. */
  async function settled(client: z.output<typeof ClientConfig>): Promise<typeof client> {
    const Problem = await tunnels.settled(PLAN_WAIT_MS);
    return Problem === "" ? client : { ...client, Problem };
  }

  /** What was seen of a device goes along with its new identity. */
  async function followIdentity(
    moved: Pick<PeerOutcome, "identity" | "before"> | null,
  ): Promise<void> {
    const from = moved?.before ?? null;
    if (moved === null || from === null || from === moved.identity) return;
    await engine.observe((observed) => renamed(observed, from, moved.identity));
  }
}
