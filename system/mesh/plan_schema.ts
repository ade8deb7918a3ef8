import * as z from "zod";
import { Ip, WireguardKey } from "../core/net/grammar.ts";
import { publicKeyOf } from "../wireguard/keys.ts";
import { StationDisconnect, StationFailure, StationSuccess } from "../wifi/schema.ts";
import { LeafRouter, MAX_CERTIFICATE_BYTES, ParentCredentials } from "./schema.ts";

const PublicKey = z.union([WireguardKey, z.literal("")]);

/** A leaf router as the process `mesh` knows it: no private key leaves the api. */
export const LeafPeer = LeafRouter.omit({ TunnelKey: true, PeerKey: true, KeyReplaced: true })
  .extend({
    /** Public key of this router in the tunnel to the leaf; "" without one. */
    OwnKey: PublicKey.default(""),
  });
export type LeafPeer = z.output<typeof LeafPeer>;

/** A leaf router for the process `mesh`. */
export function leafPeer({ IP, APIToken, TLSCA, Link, TunnelKey, Plain }: LeafRouter): LeafPeer {
  return {
    ...{ IP, APIToken, TLSCA, Link, OwnKey: publicKeyOf(TunnelKey) },
    ...(Plain === undefined ? {} : { Plain }),
  };
}

/** The parent as the process `mesh` knows it. */
const ParentPeer = ParentCredentials.omit({ TunnelKey: true, PeerKey: true, Link: true });

/** What the process `mesh` works from. */
export const MeshPlan = z.object({
  tag: z.string(),
  decided: z.boolean(),
  leaves: z.array(LeafPeer),
  /** What every leaf is to have; `body` is JSON for `PUT /devices`. */
  devices: z.object({ count: z.int(), body: z.string(), digest: z.string() }),
  /** The certificate that leaves trust this router by; "" where it has none. */
  certificate: z.string(),
  /** The token that each leaf reports with, by its address. */
  reportTokens: z.record(z.string(), z.string()),
  /** How this leaf reaches its parent; null where it is none. */
  parent: ParentPeer.nullable(),
  /** Counts requests to send everything again. */
  refresh: z.int(),
});
export type MeshPlan = z.output<typeof MeshPlan>;

/** How a leaf router is. */
export const LeafStatusName = z.enum([
  ...["connecting", "synced", "behind", "notLeaf", "unreachable", "untrusted", "refused"] as const,
]);

/** Public keys of the tunnel between a parent and its leaf. */
export const LeafKeys = z.object({ Leaf: PublicKey, Parent: PublicKey });

/** What one contact with a leaf gave; reported by the process `mesh`. */
export const LeafReport = z.object({
  IP: Ip,
  Status: LeafStatusName,
  /** Why, in a sentence; "" where all is well. */
  Problem: z.string().max(1000),
  /** Its version; "" where it is not known. */
  Version: z.string().max(64),
  /** Seconds that its clock is ahead of ours; null where it is not known. */
  ClockAhead: z.number().nullable().default(null),
  /** Devices that it was sent last; 0 for none. */
  Devices: z.int(),
  /** Notices that are open on it: what tells one from the others while its text changes, and its text. */
  Notices: z.array(z.object({ Key: z.string().max(1000), Text: z.string().max(1000) })).max(50),
  /** Its topology, as it says; null where it does not respond. */
  Topology: z.unknown().default(null).meta({ examples: [null] }),
  /** Whether it took the link to this router; null where that is not known. */
  Linked: z.boolean().nullable().default(null),
  /** Public keys of the tunnel as the leaf has them: its own, and that of this router. */
  Keys: LeafKeys.nullable().default(null),
  /** It is a router of the existing API, as {@link Probed} has it; null where that is not known. */
  Plain: z.boolean().nullable().default(null),
  /** A certificate that it has now, and that its token proved; "" for none. */
  Certificate: z.string().max(MAX_CERTIFICATE_BYTES),
  /** Digest of the leaf by whose token that was proven. */
  Met: z.string().max(64),
});
export type LeafReport = z.output<typeof LeafReport>;

/** Milliseconds for one request to another router; a leaf with many devices computes its ruleset anew. */
export const REQUEST_TIMEOUT_MS = 30_000;
/** Requests that looking at a router takes, one after the other. */
export const PROBE_REQUESTS = 5;

/** A router that is to become a leaf. */
export const ProbeRequest = z.object({ IP: Ip, APIToken: z.string().max(512) });

/** What is known of a router before it joins. Its certificate is proven by its token. */
export const Probed = z.object({
  TLSCA: z.string(),
  Version: z.string(),
  LeafMode: z.boolean(),
  ClockAhead: z.number().nullable(),
  /** This router's address, as the leaf sees it. */
  LocalAddress: z.string(),
  /** Devices that it has of its own. */
  Devices: z.array(z.object({ Identity: z.string(), Name: z.string() })),
  /** LAN subnets that it serves; null where its version does not say, which has no encrypted link either. */
  Networks: z.array(z.string()).nullable().default(null),
  /** It is a router of the existing API, which has no links: its clients are on the cable, not encrypted. */
  Plain: z.boolean().default(false),
});
export type Probed = z.output<typeof Probed>;

/** One request to a leaf. */
export const LeafCall = z.object({
  Leaf: LeafPeer,
  Method: z.enum(["GET", "PUT", "DELETE"]),
  Path: z.string().max(2000)
    .regex(/^\/(plugins\/mesh\/[A-Za-z/]+|logs\?[A-Za-z0-9=&%.+*_-]*|update|restart)$/)
    .meta({ examples: ["/plugins/mesh/setSSID"] }),
  Body: z.unknown().optional().meta({ examples: ["home"] }),
  /**
   * Milliseconds that have passed since what the body says. The body is sent with the whole seconds until
   * then as `Seconds`.
   */
  Age: z.number().min(0).optional(),
});
export type LeafCall = z.output<typeof LeafCall>;

/** What a leaf responded. */
export const LeafResponse = z.object({
  Status: z.int(),
  Body: z.string(),
  LocalAddress: z.string(),
});
export type LeafResponse = z.output<typeof LeafResponse>;

/** What happened to a station of this leaf, for its parent. */
export const StationReport = z.discriminatedUnion("kind", [
  z.object({ kind: z.literal("connect"), body: StationSuccess }),
  z.object({ kind: z.literal("failure"), body: StationFailure }),
  z.object({ kind: z.literal("disconnect"), body: StationDisconnect }),
]);
export type StationReport = z.output<typeof StationReport>;
