import type { Verdict } from "../block/verdict/verdict.ts";
import type { DnsClient } from "./client.ts";
import type { Counters } from "./counters.ts";
import type { LookupResult } from "./lookups.ts";
import { parseQuery, QueryView } from "../codec/query.ts";
import type { ResponseDraft } from "../local/local_responses.ts";
import type { Sender } from "../../core/net/transport.ts";
import { MAX_MESSAGE_BYTES } from "../codec/constants.ts";

/** Pending queries of one client. */
const MAX_PER_CLIENT = 100;

/** Sends responses to a client. */
export interface ReplyChannel {
  /** True over TCP, where nothing is truncated. */
  readonly stream: boolean;
  /** Largest response to this query, in bytes. */
  limit(view: QueryView): number;
  /** Sends a response that was not immediate; null: there will be none. */
  send(bytes: Uint8Array | null, to: Sender): void;
}

/** The client of a query, and the verdict on it. */
export interface QueryContext {
  readonly from: Sender;
  readonly channel: ReplyChannel;
  readonly client: DnsClient | undefined;
  readonly verdict: Verdict;
  /** When it arrived: unix milliseconds, and those of the monotonic clock. */
  readonly receivedAt: number;
  readonly startedAt: number;
}

/** Starts a lookup; false when too many are running. */
export type StartLookup = (done: (found: LookupResult) => void) => boolean;

/** Writes the response to what was found; returns its length, 0 when it waits for more itself. */
export type WriteResponse = (found: LookupResult, draft: ResponseDraft) => number;

/** Queries that wait for an upstream response, a limited number of each client. */
export class PendingQueries {
  readonly #counters: Counters;
  readonly #countByClient = new Map<string, number>();
  readonly #view = new QueryView();
  readonly #out = new Uint8Array(MAX_MESSAGE_BYTES);

  constructor(counters: Counters) {
    this.#counters = counters;
  }

  /** Returns the length of an immediate response, 0 for a later one or none. */
  add(
    draft: ResponseDraft,
    context: QueryContext,
    start: StartLookup,
    write: WriteResponse,
  ): number {
    const { address } = context.from;
    const count = this.#countByClient.get(address) ?? 0;
    if (count >= MAX_PER_CLIENT) return this.#shed(context);
    const query = draft.query.slice();
    let isPending = false, written = -1;
    const started = start((found) => {
      if (isPending) this.#resume(query, context, found, write);
      else written = write(found, draft);
    });
    if (written >= 0) return written;
    if (!started) return this.#shed(context);
    isPending = true;
    this.#countByClient.set(address, count + 1);
    return 0;
  }

  #resume(
    query: Uint8Array,
    { from, channel }: QueryContext,
    found: LookupResult,
    write: WriteResponse,
  ): void {
    const left = (this.#countByClient.get(from.address) ?? 1) - 1;
    if (left > 0) this.#countByClient.set(from.address, left);
    else this.#countByClient.delete(from.address);
    const view = this.#view, out = this.#out;
    parseQuery(query, view);
    const length = write(found, { query, view, out, limit: channel.limit(view) });
    if (length > 0) channel.send(out.subarray(0, length), from);
  }

  #shed({ channel, from }: QueryContext): number {
    this.#counters.shed++;
    if (channel.stream) channel.send(null, from);
    return 0;
  }
}
