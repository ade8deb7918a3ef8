import * as z from "zod";
import { PackageList } from "../install/schema.ts";

/** A change in a list, newest first. Times are unix milliseconds. */
const ChangeSummary = z.object({
  id: z.string(),
  at: z.number(),
  /** `admin`, `token:<name>`, `file`, `timer`, `dhcp`, … */
  by: z.string(),
  from: z.string().nullable(),
  kind: z.string(),
  summary: z.string(),
  state: z.enum(["pending", "committed", "written", "failed", "broken"]),
  undoes: z.string().nullable(),
  undoneBy: z.string().nullable(),
}).meta({ id: "ChangeSummary" });

/** One changed value; absent `before`: added, absent `after`: removed. Secrets read `(hidden)`. */
const PatchEntry = z.object({
  document: z.string(),
  path: z.array(z.string()),
  before: z.unknown().optional(),
  after: z.unknown().optional(),
  index: z.number().optional(),
}).meta({ id: "PatchEntry" });

/** A change in full. */
export const ChangeDetail = ChangeSummary.extend({
  patch: z.array(PatchEntry),
  /** What changed in the kernel, in nft and ip words. */
  system: z.array(z.string()),
}).meta({ id: "ChangeDetail" });

export const ChangeList = z.object({ items: z.array(ChangeSummary), next: z.string().nullable() })
  .meta({ id: "ChangeList" });

/** The open confirm window; null when none is open. `until` is unix milliseconds. */
export const WindowState = z.object({
  window: z.object({
    id: z.string(),
    until: z.number(),
    secondsLeft: z.number(),
    summary: z.string(),
  }).nullable(),
}).meta({ id: "WindowState" });

export const ChangeId = z.object({ id: z.string().min(1).max(64) });

/**
 * Query for the change history: `after` is the last ID of the previous page, `device` the identity of
 * the only device whose changes are listed.
 */
export const ChangeQuery = z.object({
  device: z.string().min(1).max(64).optional(),
  limit: z.coerce.number().int().min(1).max(500).default(50),
  after: z.string().min(1).max(64).optional(),
  /** Author: a user, `token:` and a name, or a part of the router such as `start`. */
  by: z.string().min(1).max(200).optional(),
  /** Text that the summary contains, in any case. */
  what: z.string().min(1).max(200).optional(),
});

/** A connection that a change would allow or deny. */
const AccessChange = z.object({
  /** Device identity, or `internet`, `router`. */
  from: z.string(),
  to: z.string(),
  /** `all`, or such as `tcp 443`. */
  traffic: z.string(),
  /** The words of the deciding rule. */
  reason: z.string(),
}).meta({ id: "AccessChange" });

/** Why a change would be refused, as its 409 would say it. */
const Refusal = z.object({
  kind: z.enum(["window", "guard", "lockout", "path"]),
  detail: z.string(),
  members: z.record(z.string(), z.unknown()),
}).meta({ id: "Refusal" });

/** Path of one packet through the rules. */
const PacketTrace = z.object({
  verdict: z.enum(["accept", "drop", "reject"]),
  steps: z.array(z.object({
    table: z.string(),
    chain: z.string(),
    comment: z.string(),
    /** The element that decided, for a set or map lookup. */
    element: z.object({ set: z.string(), key: z.array(z.string()) }).optional(),
    outcome: z.enum(["accept", "drop", "reject", "continue", "translate"]),
  })),
}).meta({ id: "PacketTrace" });

/** What a change would do, before it is applied. Secrets are masked. */
export const Preview = z.object({
  config: z.array(PatchEntry),
  /** What else follows from the change, one sentence each: `Port forward Web is deleted with nas`. */
  effects: z.array(z.string()),
  /** Kernel changes, one line each, in nft and ip words. */
  system: z.array(z.string()),
  /** The router's own addresses once it is applied. */
  addresses: z.array(z.string()),
  /**
   * Null unless the network of this machine is applied for the first time with it; then the Debian
   * packages that are missing.
   */
  firstApply: PackageList.pick({ items: true, installs: true }).nullable(),
  reach: z.object({
    allowed: z.array(AccessChange),
    denied: z.array(AccessChange),
    /** Entries beyond those listed. */
    more: z.int(),
    /** The caller's own connection before and after; null when there is none to judge. */
    own: z.object({ before: PacketTrace, after: PacketTrace }).nullable(),
  }),
  refusals: z.array(Refusal),
}).meta({ id: "Preview" });
