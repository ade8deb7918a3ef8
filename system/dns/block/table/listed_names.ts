import type { ListedName } from "../lists/list_files.ts";
import { MAX_NAME_BYTES } from "../../codec/constants.ts";
import { writeWireName } from "../names.ts";
import { hashSuffixes, SUFFIX_WORDS } from "./name_hash.ts";
import { MARK, type MarkKind, markOf, type TableBuilder } from "./name_table.ts";

type Hash = readonly [a: number, b: number];

/** Adds the names of lists to a table. */
export class ListedNames {
  readonly #builder: TableBuilder;
  readonly #hashes = new Uint32Array(SUFFIX_WORDS);
  readonly #wire = new Uint8Array(MAX_NAME_BYTES);
  /** For each exception its list, and the hashes of the names above it, the shortest first. */
  readonly #exceptions: { readonly list: number; readonly above: readonly Hash[] }[] = [];

  constructor(builder: TableBuilder) {
    this.#builder = builder;
  }

  /** Adds a name of list number `list`. False for an invalid one, and one that is known of the list. */
  add(list: number, { name, exception, important }: ListedName): boolean {
    if (writeWireName(name, this.#wire) === 0) return false;
    const labels = hashSuffixes(this.#builder.key, this.#wire, this.#hashes);
    const a = this.#hashes[2 * labels]!, b = this.#hashes[2 * labels + 1]!;
    const plain = exception ? MARK.exception : MARK.block;
    const strong = exception ? MARK.importantException : MARK.importantBlock;
    const [kind, other] = important ? [strong, plain] : [plain, strong];
    if (!this.#builder.add(a, b, markOf(list, kind))) return false;
    if (this.#builder.has(a, b, markOf(list, other))) return false;
    if (exception) {
      const above = Array.from({ length: labels - 1 }, (_, i) => this.#hashAt(i + 1));
      this.#exceptions.push({ list, above });
    }
    return true;
  }

  /** Once all names are there: marks those that a list blocks and has an exception below. */
  markAboveExceptions(): void {
    for (const { list, above } of this.#exceptions) {
      const first = above.findIndex((hash) =>
        this.#has(hash, list, MARK.block) || this.#has(hash, list, MARK.importantBlock)
      );
      if (first < 0) continue;
      for (const hash of above.slice(first)) this.#builder.add(...hash, markOf(list, MARK.below));
    }
  }

  #has(hash: Hash, list: number, kind: MarkKind): boolean {
    return this.#builder.has(...hash, markOf(list, kind));
  }

  #hashAt(depth: number): Hash {
    return [this.#hashes[2 * depth]!, this.#hashes[2 * depth + 1]!];
  }
}
