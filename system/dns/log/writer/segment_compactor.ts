import { RecordBlock } from "../segments/record_segment.ts";
import { mayMerge, merged } from "../segments/segment_copy.ts";
import { PER_MILLISECOND } from "../segments/format.ts";
import { deletion, type LogTable } from "./segment_table.ts";

/** Bytes from which on queries make a block of their own in the file: some six hundred queries. */
const FULL = 64 * 1024;
/** Blocks that are put together at most. */
const MOST_LOOSE = 256;
/** Ids of an hour: a block spans no more, so that what is too old goes in time. */
const HOUR = 3_600_000 * PER_MILLISECOND;

/** What became of queries that were to be written down. */
export interface Outcome {
  readonly written: number;
  readonly lost: number;
  /** Why they were lost; null when none was. */
  readonly error: unknown;
}

/**
 * Writes queries down. Those of a busy time are a block at once; of a quiet time each moment's are
 * written for themselves, so that a crash loses little, and put together when they are enough.
 */
export class BlockKeeper {
  readonly #table: LogTable;
  readonly #stamp: () => number;
  #pending: RecordBlock[] = [];
  #pendingBytes = 0;
  /** Blocks of few queries that the file has already. */
  #loose: RecordBlock[] = [];
  /** When the latest of them was written. */
  #written = 0;

  private constructor(table: LogTable, stamp: () => number) {
    this.#table = table;
    this.#stamp = stamp;
  }

  /** Goes on with what an earlier one left loose. `stamp`: unix milliseconds of what is written. */
  static async open(table: LogTable, stamp: () => number): Promise<BlockKeeper> {
    const keeper = new BlockKeeper(table, stamp);
    for (const { id, entries, written } of await table.loose()) {
      if (entries instanceof RecordBlock) keeper.#beLoose(entries, written);
      else await table.replace(id, null);
    }
    return keeper;
  }

  /** Queries that are not written down yet. */
  get pending(): number {
    return this.#pending.reduce((sum, { size }) => sum + size, 0);
  }

  /** True when there is enough to write it down at once. */
  get isFull(): boolean {
    return this.#pendingBytes >= FULL;
  }

  /** Takes queries in, to be written down with the next {@link flush}. */
  add(block: RecordBlock): void {
    this.#pending.push(block);
    this.#pendingBytes += block.bytes.length;
  }

  /** Leaves out queries that are not written down yet. */
  drop(gone: (block: RecordBlock, place: number) => boolean): void {
    const pending = this.#pending;
    this.#pending = [];
    this.#pendingBytes = 0;
    for (const block of pending) {
      const left = block.without((place) => gone(block, place));
      if (left !== null) this.add(left);
    }
  }

  /** Forgets what is not written down yet, and what is loose in a file that is cleared. */
  clear(): void {
    this.#pending = [];
    this.#pendingBytes = 0;
    this.#loose = [];
  }

  /** Writes down what waits; answers the bytes that it takes in the file, too. Never throws. */
  async flush(): Promise<Outcome & { readonly bytes: number }> {
    const pending = this.#pending;
    this.#pending = [];
    this.#pendingBytes = 0;
    let written = 0, lost = 0, bytes = 0, error: unknown = null;
    for (const block of together(pending)) {
      try {
        bytes += await this.#write(block);
        written += block.size;
      } catch (fault) {
        lost += block.size;
        error = fault;
      }
    }
    return { written, lost, error, bytes };
  }

  /** Puts together what is loose. */
  async pack(): Promise<void> {
    const loose = this.#loose;
    if (loose.length === 0) return;
    const block = loose.length === 1 ? loose[0]! : RecordBlock.read(merged(loose))!;
    await this.#table.write(block, {
      loose: false,
      written: this.#written,
      deletions: loose.map((one) => deletion(one.id(0))),
    });
    this.#loose = [];
  }

  async #write(block: RecordBlock): Promise<number> {
    const first = this.#loose[0];
    if (first !== undefined) {
      const spans = block.last - first.id(0);
      if (spans > HOUR || !mayMerge([...this.#loose, block])) await this.pack();
    }
    const run = [...this.#loose, block];
    const enough = run.length > MOST_LOOSE ||
      run.reduce((sum, { bytes }) => sum + bytes.length, 0) >= FULL;
    if (!enough) {
      const written = this.#stamp();
      const bytes = await this.#table.write(block, { loose: true, written });
      this.#beLoose(block, written);
      return bytes;
    }
    const whole = run.length === 1 ? block : RecordBlock.read(merged(run))!;
    const bytes = await this.#table.write(whole, {
      loose: false,
      written: this.#stamp(),
      deletions: this.#loose.map((one) => deletion(one.id(0))),
    });
    this.#loose = [];
    return bytes;
  }

  #beLoose(block: RecordBlock, written: number): void {
    this.#written = this.#loose.length === 0 ? written : Math.max(this.#written, written);
    this.#loose.push(block);
  }
}

/** Small blocks of one moment as one. */
function together(blocks: readonly RecordBlock[]): readonly RecordBlock[] {
  const spans = blocks.length < 2 ? 0 : blocks.at(-1)!.last - blocks[0]!.id(0);
  if (blocks.length < 2 || spans > HOUR || !mayMerge(blocks)) return blocks;
  return [RecordBlock.read(merged(blocks))!];
}
