import * as z from "zod";
import { serverAnswer, serverFile, tunnelStatus } from "../../system/wireguard/answers.ts";
import { importServer } from "../../system/wireguard/files/import_rules.ts";
import { leftOutEffects } from "../../system/wireguard/files/left_out.ts";
import { publicKeyOf } from "../../system/wireguard/keys.ts";
import { atOnce } from "../../system/core/time/slices.ts";
import type { Config } from "../../system/config.ts";
import { serverSecrets } from "../../system/wireguard/secret_paths.ts";
import { judgeReachable, Reachable } from "../../system/wireguard/reachable.ts";
import { Endpoints, TUNNEL } from "../../system/wireguard/schema.ts";
import { setEnabled, setServer } from "../../system/wireguard/server_rules.ts";
import {
  ImportRequest,
  ImportResult,
  KeyPair,
  ServerAnswer,
  ServerUpdate,
  TunnelStatus,
} from "../../system/wireguard/wire.ts";
import { type Route, route } from "../http/route.ts";
import {
  currentMtu,
  drawPresharedKey,
  drawPrivateKey,
  endpointOf,
  otherAddresses,
  uplinkAddresses,
  VPN,
  type WireguardDeps,
} from "./deps.ts";

/** The tunnel of the VPN's peers. */
export function serverRoutes(deps: WireguardDeps): Route[] {
  const { engine, tunnels } = deps;

  function answer(): z.output<typeof ServerAnswer> {
    const { config } = engine;
    return serverAnswer(config, tunnels, currentMtu(deps, config.wireguard.MTU));
  }

  function toggle(enabled: boolean): Route {
    return route(
      {
        method: "PUT",
        path: `/plugins/wireguard/${enabled ? "up" : "down"}`,
        ...VPN,
        summary: enabled ? "Turn the VPN on" : "Turn the VPN off",
        description: enabled
          ? "Opens the port on the WAN and brings the tunnel up with all peers. The router's key pair " +
            "is made at the first time."
          : "Takes the tunnel down and closes its port. Peers and their devices stay for the next time.",
        response: z.literal(true),
        errors: [409, 412],
      },
      ({ decide }) => {
        const made = drawPrivateKey(deps);
        return decide({
          kind: enabled ? "wireguard.up" : "wireguard.down",
          summary: enabled ? "Turned the VPN on" : "Turned the VPN off",
          reduce: (config) => setEnabled(config, enabled, made),
        }, () => true as const);
      },
    );
  }

  const endpoints = { path: "/plugins/wireguard/endpoints", ...VPN } as const;
  const settings = {
    path: "/plugins/wireguard/settings",
    ...VPN,
    response: ServerAnswer,
  } as const;
  return [
    route({
      method: "GET",
      ...settings,
      summary: "Settings of the VPN, and how it runs",
      description:
        "`Backend` says who carries the tunnel: the kernel where it can, else the program " +
        "`wireguard-go`.",
    }, answer),
    route({
      method: "PUT",
      ...settings,
      summary: "Change settings of the VPN",
      description:
        "What is missing stays. A new port is open at once; clients need it in their configuration.",
      body: ServerUpdate,
      errors: [409, 412],
    }, (call) => {
      const made = drawPrivateKey(deps);
      return call.decide({
        kind: "wireguard.settings",
        summary: call.body.NewKey === true
          ? "Gave the VPN a new key"
          : "Changed the settings of the VPN",
        reduce: (config) => setServer(config, call.body, made),
      }, answer);
    }),
    route({
      method: "GET",
      path: "/plugins/wireguard/status",
      ...VPN,
      summary: "VPN tunnels as they run",
      description:
        "By interface: `wg0` for peers, `site0`, … for sites. An interface that is missing is down. " +
        "Private keys are never shown.",
      response: z.record(z.string(), TunnelStatus),
    }, () => tunnelStatus(engine.config, tunnels)),
    route({
      method: "GET",
      path: "/plugins/wireguard/config",
      ...VPN,
      summary: "Configuration of the VPN as text",
      description:
        "A JSON string in the format of `wg showconf`; the private key reads `<PRIVATE KEY>`, " +
        "preshared keys `**`.",
      response: z.string(),
    }, () => serverFile(engine.config)),
    route({
      method: "GET",
      path: "/plugins/wireguard/genkey",
      tag: VPN.tag,
      access: VPN.access,
      summary: "New key pair",
      description: "Makes a key pair for a peer or a site. Nothing of it is stored here.",
      response: KeyPair,
    }, () => {
      const PrivateKey = drawPrivateKey(deps);
      return { PrivateKey, PublicKey: publicKeyOf(PrivateKey) };
    }),
    toggle(true),
    toggle(false),
    route({
      method: "GET",
      ...endpoints,
      summary: "Addresses and names under which peers reach this router",
      description:
        "The first is put into the configuration of clients. Without any, the router's address on " +
        "its first uplink is.",
      response: z.array(z.string()),
    }, () => engine.config.wireguard.Endpoints),
    route({
      method: "PUT",
      ...endpoints,
      summary: "Set the addresses and names of this router",
      description: "Replaces the whole list. A port may follow a colon; IPv6 stands in brackets.",
      body: Endpoints,
      errors: [409, 412],
    }, ({ body, decide }) =>
      decide({
        kind: "wireguard.endpoints",
        summary: "Changed the endpoints of the VPN",
        reduce: (config) => {
          const [next] = setServer(config, { Endpoints: body }, "");
          return [next, undefined];
        },
      })),
    route({
      method: "GET",
      path: "/plugins/wireguard/reachable",
      tag: VPN.tag,
      access: VPN.access,
      summary: "Whether peers can reach this router from outside",
      description:
        "Goes by what the router knows, and sends nothing. Behind another router it says which port " +
        "to forward there.",
      response: Reachable,
    }, () => {
      const { Enabled, ListenPort } = engine.config.wireguard;
      const state = tunnels.find(TUNNEL);
      return judgeReachable({
        enabled: Enabled,
        running: (state?.backend ?? "") !== "",
        problem: state?.problem ?? "",
        addresses: uplinkAddresses(deps),
        port: ListenPort,
        endpoint: endpointOf(deps, ListenPort),
        lastHandshake: Math.max(0, ...state?.peers.map((peer) => peer.latestHandshake) ?? []),
      });
    }),
    route({
      method: "PUT",
      path: "/plugins/wireguard/import",
      ...VPN,
      summary: "Take over another WireGuard server",
      description:
        "Reads its configuration file: its key and port become those of this VPN, so that clients " +
        "keep their configuration, and its peers become devices that may do nothing yet. Commands " +
        "such as `PostUp` are refused with their line.",
      body: ImportRequest,
      response: ImportResult,
      errors: [409, 412],
    }, (call) => {
      const keys = {
        presharedKey: drawPresharedKey(deps),
        serverKey: drawPrivateKey(deps),
        privateKey: drawPrivateKey(deps),
        peerPrivateKey: drawPrivateKey(deps),
      };
      const steps = (config: Config) =>
        importServer(config, call.body.Config, { made: keys, others: otherAddresses(deps) });
      return call.decide({
        kind: "wireguard.import",
        summary: "Took over the peers of another WireGuard server",
        secrets: serverSecrets,
        reduce: (config) => atOnce(steps(config)),
        reduceSteps: steps,
        effects: ({ Ignored }) => leftOutEffects(Ignored),
      }, (result) => result);
    }),
  ];
}
