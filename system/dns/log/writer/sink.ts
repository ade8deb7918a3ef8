import type { OverrideRef } from "../../block/verdict/verdict_schema.ts";
import type { LogVerdict } from "../schema.ts";

/**
 * An answered query as the resolver passes it to the log. The object is reused for the next query, so
 * that logging allocates nothing.
 */
export interface QueryRecord {
  /** Unix milliseconds. */
  readonly at: number;
  /** Canonical address of the client, and its port. */
  readonly client: string;
  readonly clientPort: number;
  /** Identity of the device; "" for an address without a device. */
  readonly identity: string;
  /** Address that received the query. */
  readonly local: string;
  /** Query name in wire format and lower case, up to its final zero. */
  readonly name: Uint8Array;
  readonly verdict: LogVerdict;
  /** The block list (by URI) or override that decided; "" for none. */
  readonly by: string | OverrideRef;
  /** Categories of the block lists that contain the name, including those that only annotate. */
  readonly categories: readonly string[];
  /** Address of the upstream resolver; "" for an answer from the cache or the local zone. */
  readonly upstream: string;
  /** Milliseconds until the answer was sent. */
  readonly ms: number;
  /** The response message is the first `length` bytes. */
  readonly message: Uint8Array;
  readonly length: number;
  /** The local address that DNS rebinding protection blocked (verdict `rebind`); else "". */
  readonly rebindAddress: string;
}

/** Where the resolver records answered queries. */
export interface QuerySink {
  /** Records a query without waiting; never throws. */
  record(query: QueryRecord): void;
  /** Queries since the start that could not be logged. */
  readonly dropped: number;
}
