import * as z from "zod";
import { Ip } from "../core/net/grammar.ts";
import { StationDisconnect, StationFailure, StationSuccess } from "../wifi/schema.ts";
import { LeafRouter, MAX_CERTIFICATE_BYTES, ParentCredentials } from "./schema.ts";

/** What the process `mesh` works from. */
export const MeshPlan = z.object({
  tag: z.string(),
  decided: z.boolean(),
  leaves: z.array(LeafRouter),
  /** What every leaf is to have; `body` is JSON for `PUT /devices`. */
  devices: z.object({ count: z.int(), body: z.string(), digest: z.string() }),
  /** The certificate that leaves trust this router by; "" where it has none. */
  certificate: z.string(),
  /** The token that each leaf reports with, by its address. */
  reportTokens: z.record(z.string(), z.string()),
  /** How this leaf reaches its parent; null where it is none. */
  parent: ParentCredentials.nullable(),
  /** Counts requests to send everything again. */
  refresh: z.int(),
});
export type MeshPlan = z.output<typeof MeshPlan>;

/** How a leaf router is. */
export const LeafStatusName = z.enum([
  ...["connecting", "synced", "behind", "notLeaf", "unreachable", "untrusted", "refused"] as const,
]);

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
  /** Notices that are open on it. */
  Notices: z.array(z.string().max(1000)).max(50),
  /** Its topology, as it says; null where it does not respond. */
  Topology: z.unknown().default(null).meta({ examples: [null] }),
  /** Whether it took the link to this router; null where that is not known. */
  Linked: z.boolean().nullable().default(null),
  /** A certificate that it has now, and that its token proved; "" for none. */
  Certificate: z.string().max(MAX_CERTIFICATE_BYTES),
  /** Digest of the leaf by whose token that was proven. */
  Met: z.string().max(64),
});
export type LeafReport = z.output<typeof LeafReport>;

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
});
export type Probed = z.output<typeof Probed>;

/** One request to a leaf. */
export const LeafCall = z.object({
  Leaf: LeafRouter,
  Method: z.enum(["GET", "PUT", "DELETE"]),
  Path: z.string().regex(/^\/plugins\/mesh\/[A-Za-z/]+$/)
    .meta({ examples: ["/plugins/mesh/setSSID"] }),
  Body: z.unknown().optional().meta({ examples: ["home"] }),
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
