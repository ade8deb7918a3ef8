import assert from "node:assert/strict";
import { fileURLToPath } from "node:url";

const SYSTEM = fileURLToPath(new URL("../../../system", import.meta.url));

async function* sources(folder: string): AsyncGenerator<string> {
  for await (const { name, isDirectory } of Deno.readDir(folder)) {
    const path = `${folder}/${name}`;
    if (isDirectory) yield* sources(path);
    else if (name.endsWith(".ts")) yield path;
  }
}

/** Where a file that was written takes the place of another. */
const PLACED = /Deno\.rename(?:Sync)?\((?:temporary|staged)\b/;

Deno.test("a file is on the disk before it takes the place of another, so that a power cut leaves one of them", async () => {
  let found = 0;
  for await (const path of sources(SYSTEM)) {
    const text = await Deno.readTextFile(path);
    for (const part of text.split(PLACED).slice(0, -1)) {
      found++;
      // Written here, or by a function of this file.
      const written = /\.write\(|writeTextFile|writeFile\(/.test(text);
      if (written) assert.match(text, /\bsync\(\)/, `${path}: ${part.slice(-300)}`);
    }
  }
  assert.ok(found >= 6, `only ${found} places`);
});
