import { DataError } from "./data_error.ts";
import { dataLines } from "./data_lines.ts";
import { asnOf, countryOf, nameOf, parseRow } from "./data_row.ts";
import { RangeBuilder } from "./range_builder.ts";
import type { RangeTable } from "./range_table.ts";
import { textAt, type TextList, textList } from "./text_list.ts";

/** Ranges of both families, with how many the source had. */
export interface CompiledRanges {
  readonly four: RangeTable;
  readonly six: RangeTable;
  readonly rows4: number;
  readonly rows6: number;
}

/** Networks in ascending order of their numbers. */
export interface NetworkNames {
  readonly numbers: Uint32Array;
  readonly names: TextList;
}

type Content = ReadableStream<Uint8Array<ArrayBuffer>>;

/** A table with fewer ranges than this part of the one that it is to replace is taken for one that is cut off. */
const MIN_PART = 0.5;

/** Compiles tables of ranges by country. Throws {@link DataError}. */
export async function compileCountries(
  contents: readonly Content[],
  old: CompiledRanges | null,
): Promise<CompiledRanges> {
  const both = new BothFamilies();
  for (const content of contents) {
    for await (const lines of dataLines(content)) {
      for (const row of lines.map(parseRow)) both.add(row, countryOf(row));
    }
  }
  return both.compiled(old);
}

/** Compiles tables of ranges by network, with the names of networks. Throws {@link DataError}. */
export async function compileNetworks(
  contents: readonly Content[],
  old: CompiledRanges & NetworkNames | null,
): Promise<CompiledRanges & NetworkNames> {
  const both = new BothFamilies();
  const names = new Map<number, string>();
  for (const content of contents) {
    for await (const lines of dataLines(content)) {
      for (const row of lines.map(parseRow)) {
        const asn = asnOf(row);
        both.add(row, asn);
        if (asn !== 0 && !names.has(asn)) names.set(asn, nameOf(row));
      }
    }
  }
  const compiled = both.compiled(old);
  // Ranges of a family that the file does not have keep their names.
  const keeps = compiled.four === old?.four || compiled.six === old?.six;
  if (old !== null && keeps) {
    for (const [index, asn] of old.numbers.entries()) {
      if (!names.has(asn)) names.set(asn, textAt(old.names, index));
    }
  }
  const numbers = Uint32Array.from(names.keys()).sort();
  return { ...compiled, numbers, names: textList([...numbers].map((asn) => names.get(asn)!)) };
}

class BothFamilies {
  readonly #four = new RangeBuilder(1);
  readonly #six = new RangeBuilder(4);
  #rows4 = 0;
  #rows6 = 0;

  add(
    { family, first, last }: {
      readonly family: 4 | 6;
      readonly first: bigint;
      readonly last: bigint;
    },
    value: number,
  ): void {
    if (family === 4) {
      this.#four.add(first, last, value);
      this.#rows4++;
    } else {
      this.#six.add(first, last, value);
      this.#rows6++;
    }
  }

  /** What was read; a family that was not in the file stays as it was. */
  compiled(old: CompiledRanges | null): CompiledRanges {
    if (this.#rows4 + this.#rows6 === 0) throw new DataError("The file has no ranges");
    const isCutOff = (rows: number, before = 0): boolean => rows > 0 && rows < before * MIN_PART;
    if (isCutOff(this.#rows4, old?.rows4) || isCutOff(this.#rows6, old?.rows6)) {
      throw new DataError(
        `The file has ${this.#rows4 || this.#rows6} ranges, less than half of what there is now: ` +
          "it seems to be cut off",
      );
    }
    const four = this.#rows4 > 0 || old === null;
    const six = this.#rows6 > 0 || old === null;
    return {
      four: four ? this.#four.table() : old.four,
      six: six ? this.#six.table() : old.six,
      rows4: four ? this.#rows4 : old.rows4,
      rows6: six ? this.#rows6 : old.rows6,
    };
  }
}
