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

/** The part of a function's text in which a file is written, up to where it takes another's place. */
const PLACED = /[\s\S]*?Deno\.rename(?:Sync)?\((?:temporary|staged)\b/g;

Deno.test("a file is on the disk before it takes the place of another, so that a power cut leaves one of them", async () => {
  let found = 0;
  for await (const path of sources(SYSTEM)) {
    const text = await Deno.readTextFile(path);
    for (const [part] of text.matchAll(PLACED)) {
      found++;
      // Written here, or by a function of this file.
      const written = /\.write\(|writeTextFile|writeFile\(/.test(text);
      if (written) assert.match(text, /\bsync\(\)/, `${path}: ${part.slice(-300)}`);
    }
  }
  assert.ok(found >= 6, `only ${found} places`);
});
