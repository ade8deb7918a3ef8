import { DataError } from "./data_error.ts";
import type { RangeTable } from "./range_table.ts";

/** Largest number of rows of a table, well above that of the whole routing table. */
const MAX_ROWS = 4_000_000;
/** What registries publish has single errors; a file with more is another kind of file. */
const RANGES_PER_OVERLAP = 10_000;

/** Builds a table of ranges that come in ascending order; IPv4 has a width of one word, IPv6 of four. */
export class RangeBuilder {
  readonly #width: 1 | 4;
  readonly #end: bigint;
  #starts: Uint32Array;
  #values: Uint32Array;
  #rows = 0;
  #ranges = 0;
  #overlaps = 0;
  /** First address of the last range. */
  #first = 0n;
  /** First address behind the last range. */
  #next = 0n;

  constructor(width: 1 | 4) {
    this.#width = width;
    this.#end = width === 1 ? 1n << 32n : 1n << 128n;
    this.#starts = new Uint32Array(1024 * width);
    this.#values = new Uint32Array(1024);
  }

  /**
   * Of two ranges that overlap, the second holds from its start. Throws {@link DataError} for a range
   * that is reversed, or does not begin after an earlier one.
   */
  add(first: bigint, last: bigint, value: number): void {
    if (last < first || last >= this.#end) throw new DataError("A range ends before it begins");
    if (this.#ranges > 0 && first <= this.#first) {
      throw new DataError("The ranges are not in ascending order, or overlap");
    }
    this.#ranges++;
    if (first < this.#next) this.#overlaps++;
    this.#first = first;
    if (first > this.#next) this.#row(this.#next, 0);
    this.#row(first, value);
    this.#next = last + 1n;
  }

  /** Throws {@link DataError} where more than a few of many ranges overlap. */
  table(): RangeTable {
    if (this.#overlaps > this.#ranges / RANGES_PER_OVERLAP) {
      throw new DataError(`${this.#overlaps} ranges of the file overlap others`);
    }
    if (this.#rows > 0 && this.#next < this.#end) this.#row(this.#next, 0);
    return {
      starts: this.#starts.slice(0, this.#rows * this.#width),
      values: this.#values.slice(0, this.#rows),
    };
  }

  #row(start: bigint, value: number): void {
    if (this.#rows > 0 && this.#values[this.#rows - 1] === value) return;
    if (this.#rows >= MAX_ROWS) throw new DataError(`The file has more than ${MAX_ROWS} ranges`);
    if (this.#rows === this.#values.length) this.#grow();
    const at = this.#rows * this.#width;
    if (this.#width === 1) this.#starts[at] = Number(start);
    else {
      this.#starts[at] = Number(start >> 96n);
      this.#starts[at + 1] = Number(start >> 64n & 0xffffffffn);
      this.#starts[at + 2] = Number(start >> 32n & 0xffffffffn);
      this.#starts[at + 3] = Number(start & 0xffffffffn);
    }
    this.#values[this.#rows++] = value;
  }

  #grow(): void {
    const starts = new Uint32Array(2 * this.#starts.length);
    starts.set(this.#starts);
    const values = new Uint32Array(2 * this.#values.length);
    values.set(this.#values);
    [this.#starts, this.#values] = [starts, values];
  }
}
