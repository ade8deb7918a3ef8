import type { QueryRecord } from "./sink.ts";

/** A query whose answer lies in the memory of its batch. */
type Packed = Omit<QueryRecord, "message"> & {
  readonly message: null;
  readonly from: number;
  readonly to: number;
};

/** Queries on their way to the thread of the log: one piece of memory for all answers is quick to hand over. */
export interface PackedBatch {
  readonly queries: readonly Packed[];
  readonly bytes: Uint8Array<ArrayBuffer>;
}

/** Bytes that a batch has room for at first. */
const ROOM = 64 * 1024;

/** Gathers queries, each with a copy of its answer. */
export class QueryBatch {
  #queries: Packed[] = [];
  #bytes: Uint8Array<ArrayBuffer> = new Uint8Array(ROOM);
  #used = 0;

  get size(): number {
    return this.#queries.length;
  }

  add(query: QueryRecord): void {
    const { message } = query;
    const from = this.#used, to = from + message.length;
    if (to > this.#bytes.length) this.#grow(to);
    this.#bytes.set(message, from);
    this.#used = to;
    this.#queries.push({ ...query, message: null, from, to });
  }

  /** Leaves out the queries that are not to be kept. */
  drop(gone: (query: Omit<QueryRecord, "message">) => boolean): void {
    this.#queries = this.#queries.filter((query) => !gone(query));
  }

  /** Takes everything out, to be handed over with its memory. */
  take(): PackedBatch {
    const batch = { queries: this.#queries, bytes: this.#bytes };
    this.#queries = [];
    this.#bytes = new Uint8Array(ROOM);
    this.#used = 0;
    return batch;
  }

  #grow(least: number): void {
    const larger = new Uint8Array(Math.max(2 * this.#bytes.length, least));
    larger.set(this.#bytes.subarray(0, this.#used));
    this.#bytes = larger;
  }
}

/** The queries of a batch with their answers. */
export function unpacked({ queries, bytes }: PackedBatch): readonly QueryRecord[] {
  return queries.map(({ from, to, ...query }) => ({ ...query, message: bytes.subarray(from, to) }));
}
