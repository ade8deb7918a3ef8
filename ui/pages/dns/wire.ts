import type { LogEntry } from "../../../routes/wire.ts";

export type {
  BlockList,
  BlockSettings,
  DnsHealth,
  DnsSettings,
  DomainOverride,
  Explanation as Explained,
  HostMapping,
  ListStatus,
  LogEntry,
  LogSettings,
  OverrideList,
  QueryLogStatus as LogState,
  ResolverHealth,
} from "../../../routes/wire.ts";

/** A part of the log, newest first. */
export interface LogPart {
  readonly items: readonly LogEntry[];
  /** Where the next part begins; null at the end. */
  readonly next: number | null;
}
