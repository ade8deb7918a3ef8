import type { OverrideRef } from "../../block/verdict/verdict_schema.ts";
import type { Verdict } from "../schema.ts";

/**
 * A query that was answered, as the resolver hands it over. It is lent: the next one comes in the same
 * object, so that telling of a query makes neither objects nor texts.
 */
export interface QueryRecord {
  /** Unix milliseconds. */
  readonly at: number;
  /** Canonical address that asked, and its port. */
  readonly client: string;
  readonly clientPort: number;
  /** Identity of the device; "" when the address is nobody's. */
  readonly identity: string;
  /** Address that was asked. */
  readonly local: string;
  /** Name of the question on the wire, in lower case, to its final zero. */
  readonly name: Uint8Array;
  readonly verdict: Verdict;
  /** The list by its URI, or the override that decided; "" when none did. */
  readonly by: string | OverrideRef;
  /** Categories of the lists that hold the name, also of those that only annotate. */
  readonly categories: readonly string[];
  /** Address of the resolver that was asked; "" for an answer from memory or from home. */
  readonly upstream: string;
  /** Milliseconds until it was answered. */
  readonly ms: number;
  /** The first `length` bytes are the answer as it is sent; its question tells the type and class. */
  readonly message: Uint8Array;
  readonly length: number;
  /** The address at home that an outside name pointed to, for the verdict `rebind`; else "". */
  readonly rebound: string;
}

/** Where the resolver leaves what it answered. */
export interface QueryLog {
  /** Takes a query in without waiting for anything; never throws. */
  record(query: QueryRecord): void;
  /** Queries that were not written down since the start, because more came than could be written. */
  readonly dropped: number;
}
