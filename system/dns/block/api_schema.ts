import * as z from "zod";
import { Label } from "../../devices/schema.ts";
import { NOTHING_SKIPPED, SkipReasons } from "./lists/skipped_lines.ts";
import {
  type BlockList,
  DomainOverride,
  ListUri,
  MAX_OVERRIDES,
  OverrideListName,
  OverrideType,
  PlainIp,
} from "./schema.ts";

/** An `Expiration` from here on is unix time; a smaller one is seconds from now. */
const MIN_UNIX_TIME = 1_000_000_000;

/** Names the block list to delete; its other fields may be sent along. */
export const BlockListName = z.object({ URI: z.string().trim() }).meta({ id: "BlockListName" });

/** Names the override to delete. Without a client: the one for all clients, or the only one. */
export const OverrideName = z.object({
  Type: OverrideType,
  Domain: DomainOverride.shape.Domain,
  ClientIP: z.string().trim().transform((text) => text === "" ? "*" : text)
    .pipe(z.union([PlainIp, z.literal("*")])).optional(),
  /** Groups of the override; absent for one without groups. */
  Groups: DomainOverride.shape.Groups,
}).meta({ id: "OverrideName" });
export type OverrideName = z.output<typeof OverrideName>;

/** An override to set, and the one of the same list that it replaces, where it was edited. */
export const OverrideBody = DomainOverride.safeExtend({ Replaces: OverrideName.optional() })
  .meta({ id: "OverrideBody" });
export type OverrideBody = z.output<typeof OverrideBody>;

/** An override list to set; only `Enabled` and `Tags` of an existing one are changed. */
export const OverrideListBody = z.object({
  Name: OverrideListName,
  Enabled: z.boolean().default(true),
  Tags: z.array(Label).max(64, { error: "Enter at most 64 tags" }).default([]),
  PermitDomains: z.array(DomainOverride).max(MAX_OVERRIDES).default([]),
  BlockDomains: z.array(DomainOverride).max(MAX_OVERRIDES).default([]),
}).meta({ id: "OverrideListBody" });
export type OverrideListBody = z.output<typeof OverrideListBody>;

/** Names the override list to delete. */
export const OverrideListRef = z.object({ Name: z.string().optional() }).meta({
  id: "OverrideListRef",
});

/** Expiration in unix seconds of a sent `Expiration`. `now`: unix milliseconds. */
export function expirationOf(sent: number, now: number): number {
  if (sent === 0 || sent >= MIN_UNIX_TIME) return sent;
  return Math.floor(now / 1000) + sent;
}

/** Status of a block list. */
export const ListStatus = z.object({
  uri: z.string(),
  enabled: z.boolean(),
  /** Domains that it blocks, and its exceptions. */
  domains: z.int(),
  exceptions: z.int(),
  /** Lines, and words of hosts files, that are unsupported or invalid. */
  skipped: z.int(),
  /** All lines that are no comment, those that are skipped among them; words in hosts files. */
  lines: z.int(),
  /** `skipped` by reason. */
  reasons: SkipReasons,
  /** Size of the fetched file, in bytes. */
  bytes: z.int(),
  /** Unix milliseconds of the last successful update; 0 never. */
  fetched: z.int(),
  /** Unix milliseconds of the last check, successful or not; 0 never. */
  checked: z.int(),
  /** Unix milliseconds of the next check; null for none. */
  next: z.int().nullable(),
  /** Error of the last check; "" for none. */
  error: z.string(),
  /** `waiting`: not fetched yet; `building`: being added to the table; `ready`: active. */
  state: z.enum(["waiting", "fetching", "building", "ready", "failed", "off"]),
}).meta({ id: "BlockListStatus" });
export type ListStatus = z.output<typeof ListStatus>;

/**
 * Status of the configured lists, in their order; one that the resolver does not know yet is waiting.
 */
export function statusOfLists(
  lists: readonly BlockList[],
  reported: readonly ListStatus[],
): ListStatus[] {
  const known = new Map(reported.map((status) => [status.uri, status]));
  return lists.map(({ URI, Enabled }) => {
    const status = known.get(URI);
    if (status !== undefined && status.enabled === Enabled) return status;
    const empty = {
      ...{ domains: 0, exceptions: 0, skipped: 0, ...NOTHING_SKIPPED, bytes: 0 },
      ...{ fetched: 0, checked: 0 },
    };
    const state = Enabled ? "waiting" as const : "off" as const;
    return { ...empty, next: null, error: "", ...status, uri: URI, enabled: Enabled, state };
  });
}

/** The source of a block list to try. */
export const ListTrial = z.object({ URI: ListUri }).meta({ id: "BlockListTrial" });

/** What a trial of a block list found. */
export const ListTrialResult = z.object({
  /** Size of the file. */
  bytes: z.int(),
}).meta({ id: "BlockListTrialResult" });

/** Counters since the start of the resolver. */
export const BlockMetrics = z.object({
  TotalQueries: z.int(),
  BlockedQueries: z.int(),
  /** Domains in the active block lists. */
  BlockedDomains: z.int(),
}).meta({ id: "BlockMetrics" });
export type BlockMetrics = z.output<typeof BlockMetrics>;

/**
 * The block list, override or built-in check that decided. `bypass`: a name by which devices look for a
 * way round the router's resolver.
 */
const DecidedBy = z.union([
  z.object({ list: z.string() }),
  z.object({ builtin: z.literal("bypass") }),
  z.object({
    override: z.object({ list: z.string(), domain: z.string(), client: z.string() }),
  }),
]);

/** Why a name is answered as it is. */
export const Explanation = z.object({
  /** In ASCII, without final dot. */
  name: z.string(),
  /** In Unicode. */
  display: z.string(),
  client: z.object({ address: z.string(), identity: z.string(), name: z.string() }),
  verdict: z.enum(["pass", "block", "rewrite", "quarantine"]),
  /** The rewritten answer; "" for none. */
  answer: z.string(),
  by: DecidedBy.nullable(),
  categories: z.array(z.string()),
  /** One sentence. */
  reason: z.string(),
  /** Block lists that contain the name or a parent domain. */
  lists: z.array(z.object({
    uri: z.string(),
    /** The domain in the list. */
    domain: z.string(),
    applies: z.boolean(),
    /** Why it does not apply; "" when it does. */
    reason: z.string(),
  })),
  /** Overrides of the name or a parent domain; the one that decided is first. */
  overrides: z.array(z.object({
    type: z.enum(["permit", "block"]),
    list: z.string(),
    domain: z.string(),
    client: z.string(),
    expiration: z.int(),
    applies: z.boolean(),
    reason: z.string(),
  })),
}).meta({ id: "DnsExplanation" });
export type Explanation = z.output<typeof Explanation>;
