import type { TableFact } from "../core/kernel.ts";

const TABLE = /^table (\S+) (\S+) \{/;
/** A table's own comment stands one tab deep; those of its sets and chains stand deeper. */
const COMMENT = /^\tcomment "(.*)"$/;

/**
 * The tables of a ruleset as `nft -t list ruleset` prints it. The text is read because nft 1.0 leaves
 * a table's comment out of its JSON.
 */
export function parseTables(text: string): readonly TableFact[] {
  const tables: TableFact[] = [];
  for (const line of text.split("\n")) {
    const table = TABLE.exec(line);
    if (table) {
      tables.push({ family: table[1]!, name: table[2]!, comment: null });
      continue;
    }
    const comment = COMMENT.exec(line);
    const last = tables.at(-1);
    if (comment && last?.comment === null) {
      tables[tables.length - 1] = { ...last, comment: comment[1]! };
    }
  }
  return tables;
}
