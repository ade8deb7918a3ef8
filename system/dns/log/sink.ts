import type { Verdict } from "./schema.ts";

/** A query that was answered, as the resolver hands it over. */
export interface QueryRecord {
  /** Unix milliseconds. */
  readonly at: number;
  /** Canonical address that asked, and its port. */
  readonly client: string;
  readonly clientPort: number;
  /** Identity of the device; "" when the address is nobody's. */
  readonly identity: string;
  /** Address that was asked, and its port. */
  readonly local: string;
  readonly localPort: number;
  /** Name of the question with its final dot. */
  readonly name: string;
  readonly qtype: number;
  readonly qclass: number;
  readonly verdict: Verdict;
  /** The list, override or host name that decided; "" when none did. */
  readonly by: string;
  /** Categories of the lists that hold the name, also of those that only annotate. */
  readonly categories?: readonly string[];
  /** Address of the resolver that was asked; "" for an answer from memory or from home. */
  readonly upstream: string;
  /** Milliseconds until it was answered. */
  readonly ms: number;
  /** The answer as it was sent, or without its additional records. Copied before {@link QueryLog.record} returns. */
  readonly message: Uint8Array;
  /** The address at home that an outside name pointed to, for the verdict `rebind`. */
  readonly rebound?: string;
}

/** Where the resolver leaves what it answered. */
export interface QueryLog {
  /** Takes a query in without waiting for anything; never throws. */
  record(query: QueryRecord): void;
  /** Queries that were not written down since the start, because more came than could be written. */
  readonly dropped: number;
}
