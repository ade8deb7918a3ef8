import type { QueryRecord } from "./sink.ts";
import type { Verdict } from "./schema.ts";

/** What few queries have. */
type Rare = Pick<QueryRecord, "categories" | "rebound">;

/**
 * Queries on their way to the thread of the log. Numbers and texts lie in one piece each, since
 * handing over an object for every query would hold up answers.
 */
export interface PackedBatch {
  /** {@link FIELDS} of each query; texts by their place in `texts`. */
  readonly numbers: Float64Array<ArrayBuffer>;
  readonly texts: readonly string[];
  readonly rare: ReadonlyMap<number, Rare>;
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly size: number;
}

/** Numbers of a query. */
const FIELDS = 15;
/** Bytes and queries that a batch has room for at first. */
const ROOM = 64 * 1024, QUERIES = 256;

/** Gathers queries, each with a copy of its answer. */
export class QueryBatch {
  #numbers: Float64Array<ArrayBuffer> = new Float64Array(FIELDS * QUERIES);
  #texts: string[] = [];
  #places = new Map<string, number>();
  #rare = new Map<number, Rare>();
  #bytes: Uint8Array<ArrayBuffer> = new Uint8Array(ROOM);
  #used = 0;
  #size = 0;

  get size(): number {
    return this.#size;
  }

  /** Bytes of answers. */
  get bytes(): number {
    return this.#used;
  }

  add(query: QueryRecord): void {
    const { message, categories, rebound } = query;
    const from = this.#used, to = from + message.length;
    if (to > this.#bytes.length) this.#bytes = grown(this.#bytes, to);
    const at = FIELDS * this.#size;
    if (at === this.#numbers.length) {
      const larger = new Float64Array(2 * at);
      larger.set(this.#numbers);
      this.#numbers = larger;
    }
    this.#bytes.set(message, from);
    this.#used = to;
    const numbers = this.#numbers;
    numbers[at] = query.at;
    numbers[at + 1] = query.clientPort;
    numbers[at + 2] = query.localPort;
    numbers[at + 3] = query.qtype;
    numbers[at + 4] = query.qclass;
    numbers[at + 5] = query.ms;
    numbers[at + 6] = from;
    numbers[at + 7] = to;
    numbers[at + 8] = this.#place(query.client);
    numbers[at + 9] = this.#place(query.identity);
    numbers[at + 10] = this.#place(query.local);
    numbers[at + 11] = this.#place(query.name);
    numbers[at + 12] = this.#place(query.verdict);
    numbers[at + 13] = this.#place(query.by);
    numbers[at + 14] = this.#place(query.upstream);
    if (categories !== undefined || rebound !== undefined) {
      this.#rare.set(this.#size, {
        ...(categories === undefined ? {} : { categories }),
        ...(rebound === undefined ? {} : { rebound }),
      });
    }
    this.#size++;
  }

  /** Leaves out the queries that are not to be kept. */
  drop(gone: (query: QueryRecord) => boolean): void {
    for (const query of unpacked(this.take())) if (!gone(query)) this.add(query);
  }

  /** Takes everything out, to be handed over with its memory. */
  take(): PackedBatch {
    const batch = {
      numbers: this.#numbers.slice(0, FIELDS * this.#size),
      texts: this.#texts,
      rare: this.#rare,
      bytes: this.#bytes.slice(0, this.#used),
      size: this.#size,
    };
    this.#texts = [];
    this.#places.clear();
    this.#rare = new Map();
    this.#used = this.#size = 0;
    // A flood leaves no large memory behind.
    if (this.#bytes.length > 16 * ROOM) this.#bytes = new Uint8Array(ROOM);
    return batch;
  }

  #place(text: string): number {
    let place = this.#places.get(text);
    if (place === undefined) this.#places.set(text, place = this.#texts.push(text) - 1);
    return place;
  }
}

/** The queries of a batch with their answers. */
export function unpacked(batch: PackedBatch): readonly QueryRecord[] {
  const { numbers, texts, rare, bytes, size } = batch;
  return Array.from({ length: size }, (_, i): QueryRecord => {
    const number = (field: number): number => numbers[FIELDS * i + field]!;
    const text = (field: number): string => texts[number(field)]!;
    return {
      at: number(0),
      clientPort: number(1),
      localPort: number(2),
      qtype: number(3),
      qclass: number(4),
      ms: number(5),
      client: text(8),
      identity: text(9),
      local: text(10),
      name: text(11),
      verdict: text(12) as Verdict,
      by: text(13),
      upstream: text(14),
      ...rare.get(i),
      message: bytes.subarray(number(6), number(7)),
    };
  });
}

function grown(bytes: Uint8Array<ArrayBuffer>, least: number): Uint8Array<ArrayBuffer> {
  const larger = new Uint8Array(Math.max(2 * bytes.length, least));
  larger.set(bytes);
  return larger;
}
