import assert from "node:assert/strict";
import { join } from "node:path";
import { importCircles, importsOf } from "../lint/import_circles.ts";
import { crowdedFolders, slivers, unusedExports } from "../lint/layout.ts";

const ROOT = join(import.meta.dirname ?? "", "../..");

/** Modules that no import names: entries that are run, loaded by a computed name or mapped to. */
const ENTRIES = /^(?:routes\/services\/|system\/core\/timing_safe_equal\.ts )/;

async function filesBelow(folder: string): Promise<readonly string[]> {
  const found: string[] = [];
  for await (const { name, isDirectory } of Deno.readDir(join(ROOT, folder))) {
    const path = `${folder}/${name}`;
    if (isDirectory) {
      found.push(
        .../^(ui\/dist(\.\d+)?|tests\/artifacts)$/.test(path) ? [] : await filesBelow(path),
      );
    } else found.push(path);
  }
  return found;
}

/** The modules of the program and its tests, by path. */
async function modules(): Promise<ReadonlyMap<string, string>> {
  const paths = ["main.ts", "program.ts", "build.ts"];
  for (const folder of ["system", "routes", "ui", "tests"]) paths.push(...await filesBelow(folder));
  const sources = paths.filter((path) => /\.tsx?$/.test(path));
  return new Map(
    await Promise.all(
      sources.map(async (path) => [path, await Deno.readTextFile(join(ROOT, path))] as const),
    ),
  );
}

function textsOf(texts: Readonly<Record<string, string>>): ReadonlyMap<string, string> {
  return new Map(Object.entries(texts));
}

Deno.test("no module imports itself by way of others, not even its types", async () => {
  const files = new Map(
    [...await modules()].map(([path, text]) => [path, importsOf(path, text)] as const),
  );
  assert.ok([...files.values()].flat().length > 3 * files.size, "imports were found");
  assert.deepEqual(importCircles(files), []);
});

Deno.test("folders can be looked over, nothing is exported in vain, and slivers join their only user", async () => {
  const all: string[] = [];
  for (const folder of ["system", "routes", "ui", "tests"]) all.push(...await filesBelow(folder));
  assert.deepEqual(crowdedFolders(all), []);
  const files = await modules();
  const unused = unusedExports(files).filter((one) =>
    !one.startsWith("tests/") && !ENTRIES.test(one)
  );
  assert.deepEqual(unused, []);
  assert.deepEqual(slivers(files), []);
});

Deno.test("import circles are found through other files and by types, not by what is loaded later", () => {
  const texts = {
    "a/one.ts": `import { two } from "./two.ts";\nimport type { Out } from "../b/out.ts";`,
    "a/two.ts": `export type { Three } from "../b/three.ts";`,
    "b/three.ts": `let one: typeof import("../a/one.ts");`,
    "b/later.ts": `const out = await import("./out.ts");`,
    "b/out.ts": `import * as z from "zod";\nimport "./three.ts";\nimport "./later.ts";`,
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

Deno.test("exports that nobody names are found, but for shapes and modules that are loaded whole", () => {
  const files = textsOf({
    "a/lib.ts":
      `export function used() {}\nexport async function lost() {}\nexport const gone = 1;`,
    "a/shape.ts": `export const Shape = z.string();\nexport type Shape = string;`,
    "a/page.ts": `export const Page = 1;`,
    "a/star.ts": `export class Star {}`,
    "b/user.ts": `import {\n  type used as other,\n} from "../a/lib.ts";\n` +
      `const page = await import("../a/page.ts");\nimport * as star from "../a/star.ts";`,
  });
  assert.deepEqual(unusedExports(files), ["a/lib.ts lost", "a/lib.ts gone"]);
});

Deno.test("a sliver has one user, beside it, that has room for it, and no test", () => {
  const user = (name: string) => `import { x } from "./${name}.ts";`;
  const files = textsOf({
    "a/sliver.ts": "x",
    "a/user.ts": user("sliver"),
    "b/tested.ts": "x",
    "b/user.ts": user("tested"),
    "t/b_test.ts": `import { x } from "../b/tested.ts";`,
    "c/schema.ts": "x",
    "c/user.ts": user("schema"),
    "d/long.ts": "x\n".repeat(40),
    "d/user.ts": user("long"),
    "e/sliver.ts": "x",
    "e/full.ts": user("sliver") + "x\n".repeat(400),
    "f/sliver.ts": "x",
    "g/far.ts": `import { x } from "../f/sliver.ts";`,
  });
  assert.deepEqual(slivers(files), ["a/sliver.ts, of a/user.ts"]);
});

Deno.test("a folder is crowded by its own files, not by those of its folders", () => {
  const many = (folder: string, count: number) =>
    Array.from({ length: count }, (_, i) => `${folder}/${i}.ts`);
  assert.deepEqual(crowdedFolders([...many("a", 25), ...many("a/b", 26)]), ["a/b: 26 files"]);
});
