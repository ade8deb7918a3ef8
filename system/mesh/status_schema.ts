import * as z from "zod";
import { Ip } from "../core/net/grammar.ts";
import { LogQuery } from "../machine/logs/schema.ts";
import { MeshLink } from "./schema.ts";
import { LeafStatusName } from "./plan_schema.ts";

/** A Wi-Fi client of a leaf router. */
const LeafStation = z.object({
  MAC: z.string(),
  Name: z.string(),
  Iface: z.string().describe("Of the leaf"),
  SSID: z.string(),
  RSSI: z.int().nullable().describe("dBm"),
});

/** The link to the clients of a leaf router. */
const LeafLinkState = z.object({
  Kind: MeshLink.shape.Kind,
  Interface: z.string().describe("Of this router"),
  State: z.enum(["connected", "waiting", "away"]).describe(
    "connected: the leaf has its end, and their tunnel stands where the link has one; waiting: not yet; " +
      "away: the leaf does not respond",
  ),
  Problem: z.string().describe("Why the tunnel of the link does not run; empty where it does"),
});

/** A leaf router as the parent sees it. */
export const LeafState = z.object({
  IP: z.string(),
  Name: z.string().describe("Of the device with this address; empty where there is none"),
  Status: LeafStatusName.describe(
    "synced: it has the devices of now; behind: it has yet to take them; notLeaf: it is not in leaf " +
      "mode; untrusted: it shows another certificate; refused: it refuses the token",
  ),
  Problem: z.string().describe("Why, in a sentence; empty where all is well"),
  Version: z.string(),
  Relation: z.enum(["same", "older", "newer", "unknown"]).describe("Its version beside ours"),
  ClockAhead: z.number().nullable().describe("Seconds; null where it is not known"),
  Devices: z.int().describe("Devices that it has of this router"),
  Notices: z.array(z.string()).describe("What needs attention on it"),
  Stations: z.array(LeafStation),
  Link: LeafLinkState.nullable().describe(
    "How its clients are on the network of this router; null where they have one of the leaf's own",
  ),
  Plain: z.boolean().describe(
    "It is a router of the existing API: its clients are on the network of this router by the cable, not " +
      "encrypted",
  ),
  Fingerprint: z.string().describe("SHA-256 of the certificate that it is trusted by"),
  ContactAt: z.int().describe("Unix milliseconds of the last contact; 0 before the first"),
}).meta({ id: "LeafState" });
export type LeafState = z.output<typeof LeafState>;

/** How this router stands in a mesh. */
export const MeshStatus = z.object({
  Role: z.enum(["off", "parent", "leaf"]),
  TLS: z.boolean().describe("Whether HTTPS is on, which a mesh needs"),
  Fingerprint: z.string().describe("SHA-256 of the certificate that others trust this router by"),
  HasLeafToken: z.boolean().describe("Whether a parent could add this router with its token"),
  ParentIP: z.string(),
  SyncedAt: z.int().describe(
    "Unix milliseconds at which the parent last sent devices; 0 for never",
  ),
  SyncedDevices: z.int(),
  Leaves: z.array(LeafState),
}).meta({ id: "MeshStatus" });
export type MeshStatus = z.output<typeof MeshStatus>;

/** What is shown of a router before it becomes a leaf. */
export const ProbeAnswer = z.object({
  IP: z.string(),
  Fingerprint: z.string().describe("SHA-256 of its certificate, which its token proved"),
  Version: z.string(),
  Relation: z.enum(["same", "older", "newer", "unknown"]),
  LeafMode: z.boolean(),
  ClockAhead: z.number().nullable().describe("Seconds"),
  Lost: z.array(z.object({ Identity: z.string(), Name: z.string() }))
    .describe("Devices that it has and this router does not: they go when it joins"),
  Overlaps: z.array(z.string()).describe(
    "LAN subnets that it serves and that overlap those of this router: it needs others until it has joined",
  ),
  Plain: z.boolean().describe(
    "It is a router of the existing API, which has no links: its clients come to this network by the cable, " +
      "not encrypted",
  ),
}).meta({ id: "LeafProbe" });
export type ProbeAnswer = z.output<typeof ProbeAnswer>;

/** Token by which a parent adds this router, shown once. */
export const LeafTokenAnswer = z.object({ Token: z.string(), Fingerprint: z.string() }).meta({
  id: "LeafToken",
});

/** What a leaf is sent of one-time passwords. Without a body a parent sends its own to every leaf. */
export const OtpSyncResult = z.object({
  Leaves: z.array(z.object({ IP: z.string(), Problem: z.string() })),
}).meta({ id: "MeshPushResult" });

/** Names a leaf router, and which of its log entries are wanted. */
export const LeafLogQuery = LogQuery.safeExtend({ IP: Ip });

/** What a leaf router said to a request for its update. */
export const LeafUpdateAnswer = z.object({
  IP: z.string(),
  Text: z.string().describe("How its release is installed; empty where it runs already"),
}).meta({ id: "LeafUpdate" });
