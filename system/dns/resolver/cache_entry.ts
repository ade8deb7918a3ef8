import type { ParsedResponse } from "../codec/response_parser.ts";

/** A cached response. */
export interface CacheEntry {
  readonly response: ParsedResponse;
  readonly nameLength: number;
  readonly type: number;
  readonly variant: number;
  /** The first private address in it; null for none. */
  readonly privateAddress: string | null;
  /** Address of the upstream resolver that sent it. */
  readonly upstream: string;
  /** Milliseconds of the clock. */
  readonly receivedAt: number;
  readonly expiresAt: number;
}

/** What an entry is found by: a wire-format name in lower case, and what sets apart responses for one name. */
export interface CacheQuery {
  readonly name: Uint8Array;
  readonly nameLength: number;
  readonly type: number;
  /** Group of resolvers, DO and CD as one number. */
  readonly variant: number;
}
