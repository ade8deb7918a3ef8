import type { components } from "../../generated/api.ts";

type Schemas = components["schemas"];

export type DnsSettings = Schemas["DnsSettings"];

export type DnsHealth = Schemas["DnsStatus"];

export type ResolverHealth = Schemas["UpstreamStatus"];

export type HostMapping = Schemas["HostMapping"];

export type LogEntry = Schemas["QueryLogEntry"];

export type LogSettings = Schemas["QueryLogConfig"];

export type LogState = Schemas["QueryLogStatus"];

export type BlockSettings = Schemas["BlockConfig"];

export type BlockList = Schemas["BlockList"];

export type ListStatus = Schemas["BlockListStatus"];

export type OverrideList = Schemas["OverrideList"];

export type DomainOverride = Schemas["DomainOverride"];

export type Explained = Schemas["DnsExplanation"];

/** A page of the query log, newest first. */
export interface LogPart {
  readonly items: readonly LogEntry[];
  /** Where the next page begins; null at the end. */
  readonly next: number | null;
}
