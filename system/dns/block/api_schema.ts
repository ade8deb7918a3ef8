import { z } from "zod";
import { Label } from "../../devices/schema.ts";
import {
  type BlockList,
  DomainOverride,
  MOST_OVERRIDES,
  OverrideListName,
  OverrideType,
  PlainIp,
} from "./schema.ts";

/** Numbers from which on an `Expiration` is unix time; smaller ones are seconds from now. */
const UNIX_TIME = 1_000_000_000;

/** What a block list is deleted by; everything else of it may be sent along. */
export const BlockListName = z.object({ URI: z.string().trim() });

/** What an override is deleted by. Without a client: the one for all, or the only one there is. */
export const OverrideName = z.object({
  Type: OverrideType,
  Domain: DomainOverride.shape.Domain,
  ClientIP: z.string().trim().transform((text) => text === "" ? "*" : text)
    .pipe(z.union([PlainIp, z.literal("*")])).optional(),
});
export type OverrideName = z.output<typeof OverrideName>;

/** A list of overrides as it is set; of one that is there only `Enabled` and `Tags` are taken. */
export const OverrideListBody = z.object({
  Name: OverrideListName,
  Enabled: z.boolean().default(true),
  Tags: z.array(Label).max(64, { error: "Name at most 64 tags" }).default([]),
  PermitDomains: z.array(DomainOverride).max(MOST_OVERRIDES).default([]),
  BlockDomains: z.array(DomainOverride).max(MOST_OVERRIDES).default([]),
});
export type OverrideListBody = z.output<typeof OverrideListBody>;

/** The name of a list of overrides, sent to delete it. */
export const OverrideListRef = z.object({ Name: z.string().optional() });

/** When an override ends, in unix seconds, from what was sent. `now`: unix milliseconds. */
export function expirationOf(sent: number, now: number): number {
  if (sent === 0 || sent >= UNIX_TIME) return sent;
  return Math.floor(now / 1000) + sent;
}

/** How a list stands. */
export const ListStatus = z.object({
  uri: z.string(),
  enabled: z.boolean(),
  /** Names that it blocks, and those that it makes exceptions of. */
  names: z.int(),
  exceptions: z.int(),
  /** Lines, and words of hosts files, that say what a resolver cannot do. */
  skipped: z.int(),
  /** Size of what was fetched, in bytes. */
  bytes: z.int(),
  /** Unix milliseconds of the last time that names came; 0 never. */
  fetched: z.int(),
  /** Unix milliseconds of the last look, successful or not; 0 never. */
  checked: z.int(),
  /** Unix milliseconds of the next look; null for none. */
  next: z.int().nullable(),
  /** What went wrong at the last look, for people; "" when nothing did. */
  error: z.string(),
  /** `waiting`: to be fetched; `fetching`; `building`: on its way into the table; `ready`; `failed`; `off`. */
  state: z.enum(["waiting", "fetching", "building", "ready", "failed", "off"]),
});
export type ListStatus = z.output<typeof ListStatus>;

/**
 * How the lists of the configuration stand, in its order; one that the resolver has not heard of yet
 * waits.
 */
export function statusOfLists(
  lists: readonly BlockList[],
  told: readonly ListStatus[],
): ListStatus[] {
  const known = new Map(told.map((status) => [status.uri, status]));
  return lists.map(({ URI, Enabled }) => {
    const status = known.get(URI);
    if (status !== undefined && status.enabled === Enabled) return status;
    const nothing = { names: 0, exceptions: 0, skipped: 0, bytes: 0, fetched: 0, checked: 0 };
    const state = Enabled ? "waiting" as const : "off" as const;
    return { ...nothing, next: null, error: "", ...status, uri: URI, enabled: Enabled, state };
  });
}

/** Counters since the resolver started. */
export const BlockMetrics = z.object({
  TotalQueries: z.int(),
  BlockedQueries: z.int(),
  /** Names in the lists that are in force. */
  BlockedDomains: z.int(),
});
export type BlockMetrics = z.output<typeof BlockMetrics>;

/** Who decides, in an explanation. */
const DecidedBy = z.union([
  z.object({ list: z.string() }),
  z.object({
    override: z.object({ list: z.string(), domain: z.string(), client: z.string() }),
  }),
]);

/** Why a name is answered as it is. */
export const Explanation = z.object({
  /** In ASCII, without final dot. */
  name: z.string(),
  /** As its readers write it. */
  display: z.string(),
  client: z.object({ address: z.string(), identity: z.string(), name: z.string() }),
  verdict: z.enum(["pass", "block", "answer", "quarantine"]),
  /** What is answered instead; "" for nothing. */
  answer: z.string(),
  by: DecidedBy.nullable(),
  categories: z.array(z.string()),
  /** One sentence for people. */
  because: z.string(),
  /** Lists that hold the name or a parent of it. */
  lists: z.array(z.object({
    uri: z.string(),
    /** What stands in the list. */
    name: z.string(),
    holds: z.boolean(),
    /** Why it does not hold; "" when it does. */
    why: z.string(),
  })),
  /** Overrides of the name or a parent of it, the one that decides first. */
  overrides: z.array(z.object({
    type: z.enum(["permit", "block"]),
    list: z.string(),
    domain: z.string(),
    client: z.string(),
    expiration: z.int(),
    holds: z.boolean(),
    why: z.string(),
  })),
});
export type Explanation = z.output<typeof Explanation>;
