import type { Reply } from "../codec/response_parser.ts";

/** An answer that is remembered. */
export interface CacheEntry {
  readonly reply: Reply;
  readonly nameLength: number;
  readonly type: number;
  readonly variant: number;
  /** The first of its addresses that is none of the Internet; null for none. */
  readonly rebinds: string | null;
  /** Address of the resolver that gave it. */
  readonly by: string;
  /** Milliseconds of the clock. */
  readonly heard: number;
  readonly expires: number;
}

/** What is looked up: a name on the wire in lower case, and what sets apart answers of one name. */
export interface CacheQuestion {
  readonly name: Uint8Array;
  readonly nameLength: number;
  readonly type: number;
  /** Group of resolvers, DO and CD as one number. */
  readonly variant: number;
}
