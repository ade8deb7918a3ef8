/** What the API answers, as types for its pages: one source for both sides of the wire. */
import type { z } from "zod";
import type { PatchEntry } from "../system/core/engine/change.ts";
import type * as changes from "../system/changes/schema.ts";
import type * as blocking from "../system/dns/block/schema.ts";
import type * as blocked from "../system/dns/block/api_schema.ts";
import type * as queries from "../system/dns/log/search/request_schema.ts";
import type * as dnsLog from "../system/dns/log/schema.ts";
import type * as dns from "../system/dns/config/schema.ts";
import type * as resolver from "../system/dns/config/status_schema.ts";
import type * as notices from "../system/notices/schema.ts";

export type { AccessChange, PatchEntry, Preview, Refusal } from "../system/core/engine/change.ts";
export type { PacketTrace as Judgement } from "../system/core/kernel/ruleset.ts";

/** A change in a list. */
export type Change = z.output<typeof changes.ChangeSummary>;

/** A change in full. */
export interface ChangeDetail extends Change {
  readonly patch: readonly PatchEntry[];
  /** What changed in the kernel, in nft and ip words. */
  readonly system: readonly string[];
}

/** The change that undoes itself unless it is kept. */
export type ConfirmWindow = NonNullable<z.output<typeof changes.WindowState>["window"]>;

/** What is the matter until somebody has seen to it. */
export type Notice = z.output<typeof notices.Notice>;

/** Whom the resolver asks. */
export type DnsSettings = dns.DnsSettings;

/** A name that somebody gave an address at home. */
export type HostMapping = dns.HostMapping;

/** One query and what became of it. */
export type LogEntry = dnsLog.LogEntry;

/** What is kept of queries. */
export type LogSettings = dnsLog.LogConfig;

/** How much is kept, and what became of the queries of a time. */
export type QueryLogStatus = z.output<typeof queries.QueryLogStatus>;

/** What is blocked, permitted and answered otherwise. */
export type BlockSettings = blocking.BlockConfig;
export type BlockList = blocking.BlockList;
export type DomainOverride = blocking.DomainOverride;
export type OverrideList = blocking.OverrideList;

/** How a block list stands. */
export type ListStatus = blocked.ListStatus;

/** Why a name is answered as it is. */
export type Explanation = blocked.Explanation;

/** How the resolver does. */
export type DnsHealth = resolver.DnsStatus;
export type ResolverHealth = z.output<typeof resolver.UpstreamStatus>;
