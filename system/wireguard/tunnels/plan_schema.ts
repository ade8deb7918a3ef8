import * as z from "zod";
import { InterfaceName, WireguardKey } from "../../core/net/grammar.ts";
import { orBlank } from "../../devices/schema.ts";
import { RemoteEndpoint } from "../endpoint.ts";
import { Keepalive, SecretKey } from "../schema.ts";

/** A peer as a tunnel is to have it. */
export const PlannedPeer = z.object({
  publicKey: WireguardKey,
  presharedKey: orBlank(SecretKey),
  allowedIps: z.array(z.string().max(18)),
  /** Where the tunnel is opened to; "" where the peer opens it. */
  endpoint: orBlank(RemoteEndpoint),
  keepalive: Keepalive,
});
export type PlannedPeer = z.output<typeof PlannedPeer>;

/** A tunnel as it is to run. */
export const PlannedTunnel = z.object({
  name: InterfaceName,
  privateKey: SecretKey,
  /** 0: whichever is free. */
  listenPort: z.int().min(0).max(65535),
  peers: z.array(PlannedPeer),
});
export type PlannedTunnel = z.output<typeof PlannedTunnel>;

/** What the process `wireguard` works from. */
export const TunnelPlan = z.object({
  tag: z.string(),
  decided: z.boolean(),
  tunnels: z.array(PlannedTunnel),
}).meta({ id: "TunnelPlan" });
export type TunnelPlan = z.output<typeof TunnelPlan>;

/** What carries a tunnel: the kernel, or the program for kernels without WireGuard; "" for none. */
export const Backend = z.enum(["kernel", "wireguard-go", ""]);
export type Backend = z.output<typeof Backend>;

/** A peer as a tunnel has it. */
export const PeerReport = z.object({
  publicKey: WireguardKey,
  /** Source of its last packet; "" before. */
  endpoint: z.string().max(64),
  /** Unix seconds; 0 never. */
  latestHandshake: z.int().min(0),
  /** What it may send from. */
  allowedIps: z.array(z.string().max(43)).default([]),
  rx: z.int().min(0),
  tx: z.int().min(0),
});
export type PeerReport = z.output<typeof PeerReport>;

/** A tunnel as it runs. */
export const TunnelState = z.object({
  name: InterfaceName,
  backend: Backend,
  /** Why it does not run as planned, for people; "" otherwise. */
  problem: z.string().max(400),
  listenPort: z.int().min(0).max(65535),
  publicKey: z.string().max(44),
  peers: z.array(PeerReport),
});
export type TunnelState = z.output<typeof TunnelState>;

/** Every tunnel of the plan, and how it runs. */
export const TunnelReport = z.object({
  /** Of the plan that they were brought to. */
  tag: z.string().max(64).default(""),
  items: z.array(TunnelState),
}).meta({ id: "TunnelReport" });
export type TunnelReport = z.output<typeof TunnelReport>;
