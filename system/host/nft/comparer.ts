import type { Finding } from "../../core/kernel/host.ts";
import type { Ruleset, Table } from "../../core/kernel/ruleset.ts";
import { renderLoad, renderOps } from "../../core/kernel/nft/text.ts";
import { compareTable, type IsRestrictive, LARGE_SET, SCRATCH, scratchTable } from "./compare.ts";
import { type ListedTable, parseListing } from "./listing.ts";
import type { Nft } from "./nftables.ts";

/** Options of a {@link Comparer}. */
export interface ComparerOptions {
  readonly nft: Pick<Nft, "list">;
  /** Runs a script as a transaction of Sluice. */
  readonly transact: (script: string) => Promise<void>;
  readonly isRestrictive: IsRestrictive;
}

/** Compares Sluice's tables in the kernel with the applied ones. */
export class Comparer {
  readonly #options: ComparerOptions;
  /** How the kernel prints a table's rules, until they change. */
  readonly #written = new Map<string, { readonly of: Table; readonly table: ListedTable }>();

  constructor(options: ComparerOptions) {
    this.#options = options;
  }

  /** Every difference; large sets are counted only when `thorough`. Throws Problem 502. */
  async compare(ruleset: Ruleset, thorough: boolean): Promise<readonly Finding[]> {
    const findings: Finding[] = [];
    for (const table of ruleset.tables) {
      findings.push(...compareTable({
        table,
        written: await this.#canonicalListing(table),
        listed: await this.#listed(table),
        isRestrictive: this.#options.isRestrictive,
        counts: thorough ? await this.#counts(table) : new Map<string, number>(),
      }));
    }
    return findings;
  }

  async #canonicalListing(table: Table): Promise<ListedTable> {
    const key = `${table.family} ${table.name}`;
    const known = this.#written.get(key);
    if (known !== undefined && isBuiltAlike(known.of, table)) return known.table;
    const scratch = scratchTable(table);
    const argv = ["table", scratch.family, SCRATCH];
    await this.#options.transact(renderLoad({ tables: [scratch] }));
    let text: string | null;
    try {
      text = await this.#options.nft.list(argv);
    } finally {
      const gone = { op: "delete-table", family: scratch.family, table: SCRATCH } as const;
      await this.#options.transact(renderOps([gone]));
    }
    const [written] = parseListing(text ?? "");
    if (written === undefined) {
      throw new Error(`The table ${SCRATCH} disappeared while it was read`);
    }
    this.#written.set(key, { of: table, table: written });
    return written;
  }

  async #listed(table: Table): Promise<ListedTable | null> {
    const { nft } = this.#options;
    const large = table.sets.some(isLarge);
    const text = await nft.list(["table", table.family, table.name], { terse: large });
    const [listed] = parseListing(text ?? "");
    if (listed === undefined || !large) return listed ?? null;
    const sets = new Map(listed.sets);
    for (const set of table.sets) {
      const found = isLarge(set) ? undefined : await this.#set(table, set);
      if (found !== undefined) sets.set(set.name, found);
    }
    return { ...listed, sets };
  }

  async #counts(table: Table): Promise<ReadonlyMap<string, number>> {
    const counts = new Map<string, number>();
    for (const set of table.sets) {
      if (!isLarge(set) || set.dynamic !== undefined) continue;
      counts.set(set.name, (await this.#set(table, set))?.elements.length ?? 0);
    }
    return counts;
  }

  async #set(table: Table, set: Table["sets"][number]) {
    const kind = set.value === undefined ? "set" : "map";
    const text = await this.#options.nft.list([kind, table.family, table.name, set.name]);
    return parseListing(text ?? "")[0]?.sets.get(set.name);
  }
}

/** True for a set that is listed without its elements: they are many, or the kernel's own. */
function isLarge(set: Table["sets"][number]): boolean {
  return set.dynamic !== undefined || set.elements.size > LARGE_SET;
}

/** True when two tables differ at most in the elements of their sets. */
function isBuiltAlike(a: Table, b: Table): boolean {
  const shape = (table: Table): string =>
    JSON.stringify(table.sets.map(({ elements: _, ...set }) => set));
  return a.chains.length === b.chains.length &&
    a.chains.every((chain, index) => chain.rules === b.chains[index]?.rules) &&
    shape(a) === shape(b);
}
