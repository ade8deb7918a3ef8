import { type ListedTable, parseListing } from "./listing.ts";

/** How the outline of a ruleset is read. */
interface OutlineSource {
  /** The text of `nft list ruleset` without elements. */
  readonly read: () => Promise<string>;
  /** The number of the ruleset's generation, which each transaction raises. */
  readonly generation: () => number;
}

/** The tables of the kernel without elements, read again only once a transaction has changed them. */
export class KeptOutline {
  readonly #source: OutlineSource;
  #kept: { readonly generation: number; readonly tables: readonly ListedTable[] } | null = null;

  constructor(source: OutlineSource) {
    this.#source = source;
  }

  async tables(): Promise<readonly ListedTable[]> {
    const { read, generation } = this.#source;
    const before = generation();
    if (this.#kept?.generation === before) return this.#kept.tables;
    const tables = parseListing(await read());
    // One that changed while it was read is either state, and read again by the next call.
    if (generation() === before) this.#kept = { generation: before, tables };
    return tables;
  }
}
