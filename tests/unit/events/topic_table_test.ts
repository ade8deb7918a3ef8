import assert from "node:assert/strict";
import { topicTables } from "../../../system/events/topics/table.ts";

const DOCUMENT = new URL("../../../docs/events.md", import.meta.url);

/** Cells without the blanks that align them. */
function cells(table: string): string[] {
  return table.trim().split("\n").filter((row) => !/^\|[\s|-]+\|$/.test(row)).map((row) =>
    row.replaceAll(/\s*\|\s*/g, "|")
  );
}

Deno.test("docs/events.md lists the topics as their schemas say", async () => {
  const text = await Deno.readTextFile(DOCUMENT);
  const [, table] = text.split(/<!-- topics -->\n/);
  if (Deno.args.includes("--record")) {
    await Deno.writeTextFile(DOCUMENT, text.replace(table!, `\n${topicTables()}\n\n`));
    return;
  }
  assert.deepEqual(cells(table!), cells(topicTables()));
});
