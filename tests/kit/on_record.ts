import assert from "node:assert/strict";

const FOLDER = new URL("../unit/golden/", import.meta.url);

/** The text is that of a file of `tests/unit/golden/`; `deno task goldens` records it anew. */
export async function assertOnRecord(name: string, text: string): Promise<void> {
  const file = new URL(name, FOLDER);
  if (Deno.args.includes("--record")) await Deno.writeTextFile(file, text);
  assert.equal(text, await Deno.readTextFile(file));
}
