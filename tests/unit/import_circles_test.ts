import assert from "node:assert/strict";
import { join } from "node:path";
import { importCircles, importsOf } from "../lint/import_circles.ts";

const ROOT = join(import.meta.dirname ?? "", "../..");

async function sourcesBelow(folder: string): Promise<readonly string[]> {
  const found: string[] = [];
  for await (const { name, isDirectory } of Deno.readDir(join(ROOT, folder))) {
    const path = `${folder}/${name}`;
    if (isDirectory) found.push(...path === "ui/dist" ? [] : await sourcesBelow(path));
    else if (/\.tsx?$/.test(name)) found.push(path);
  }
  return found;
}

Deno.test("no file of system, routes and ui imports itself by way of others, not even its types", async () => {
  const files = new Map<string, readonly string[]>();
  for (const folder of ["system", "routes", "ui"]) {
    for (const path of await sourcesBelow(folder)) {
      files.set(path, importsOf(path, await Deno.readTextFile(join(ROOT, path))));
    }
  }
  assert.ok([...files.values()].flat().length > 3 * files.size, "imports were found");
  assert.deepEqual(importCircles(files), []);
});

Deno.test("import circles are found through other files and by types, not by what is loaded later", () => {
  const texts = {
    "a/one.ts": `import { two } from "./two.ts";\nimport type { Out } from "../b/out.ts";`,
    "a/two.ts": `export type { Three } from "../b/three.ts";`,
    "b/three.ts": `let one: typeof import("../a/one.ts");`,
    "b/later.ts": `const out = await import("./out.ts");`,
    "b/out.ts": `import { z } from "zod";\nimport "./three.ts";\nimport "./later.ts";`,
    "c/self.ts": `import { x } from "./self.ts";`,
    "c/open.ts": `import {\n  x,\n} from "./self.ts";`,
  };
  const files = new Map(
    Object.entries(texts).map(([path, text]) => [path, importsOf(path, text)]),
  );
  assert.deepEqual(importCircles(files), [
    ["a/one.ts", "a/two.ts", "b/out.ts", "b/three.ts"],
    ["c/self.ts"],
  ]);
});
