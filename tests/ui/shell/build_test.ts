import assert from "node:assert/strict";
import { buildUi } from "../../../ui/build.ts";
import { gatheredImports } from "../../../ui/build/shared_chunks.ts";
import { formRulesModule } from "../../../ui/build/form_rules.ts";

const UI = new URL("../../../ui/", import.meta.url);

Deno.test("the committed form rules are those of the schemas", async () => {
  const committed = await Deno.readTextFile(new URL("generated/form_rules.ts", UI));
  assert.equal(committed, formRulesModule());
});

Deno.test("a first visit loads at most 28 KB of script and 6 KB of style", async () => {
  const { script, style } = await buildUi({ ifChanged: true });
  assert.ok(script <= 28 * 1024, `script is ${script} bytes`);
  assert.ok(style <= 6 * 1024, `style is ${style} bytes`);
});

Deno.test("what pages share comes in few scripts", async () => {
  await buildUi({ ifChanged: true });
  const files = await Array.fromAsync(Deno.readDir(new URL("dist/assets/", UI)));
  const shared = files.filter(({ name }) => /^chunk-.*\.js$/.test(name));
  assert.ok(shared.length <= 8, shared.map(({ name }) => name).join(", "));
  for (const { name } of shared) {
    const script = await Deno.readTextFile(new URL(`dist/assets/${name}`, UI));
    assert.ok(!script.includes("@import"), `${name} has the style sheet of the first page`);
  }
});

Deno.test("files are gathered by the entries that need them", () => {
  const file = (imports: Record<string, "import-statement" | "dynamic-import">) => ({
    bytes: 1,
    imports: Object.entries(imports).map(([path, kind]) => ({ path, kind })),
  });
  const inputs = {
    "main": file({ "core": "import-statement", "a": "dynamic-import", "b": "dynamic-import" }),
    "core": file({ "node_modules/preact": "import-statement" }),
    "node_modules/preact": file({}),
    "a": file({ "shared": "import-statement", "own": "import-statement" }),
    "b": file({ "shared": "import-statement" }),
    "shared": file({ "core": "import-statement" }),
    "own": file({}),
  };
  assert.deepEqual([...gatheredImports(inputs, ["main"])], [
    ["main", ["core"]],
    ["a", ["shared", "core"]],
    ["b", ["shared", "core"]],
  ]);
});

Deno.test("what two first pages share comes with the first of all", () => {
  const inputs = Object.fromEntries(
    Object.entries({ main: [], a: ["both", "a1"], b: ["both", "b1"], both: [], a1: [], b1: [] })
      .map(([name, imports]) => [name, {
        bytes: 1,
        imports: imports.map((path) => ({ path, kind: "import-statement" as const })),
      }]),
  );
  assert.deepEqual([...gatheredImports(inputs, ["main", "a", "b"])], [
    ["main", []],
    ["a", ["both", "a1"]],
    ["b", ["both", "b1"]],
  ]);
});

Deno.test("the page has no inline script, inline style or foreign address", async () => {
  await buildUi({ ifChanged: true });
  const page = await Deno.readTextFile(new URL("dist/index.html", UI));
  assert.doesNotMatch(page, /<script(?![^>]*\bsrc=)/);
  assert.doesNotMatch(page, /style=|<style|https?:/);
});

Deno.test("the build may start nothing but the esbuild of the lock file", async () => {
  const read = async (name: string) =>
    JSON.parse(await Deno.readTextFile(new URL(`../${name}`, UI)));
  const { specifiers } = await read("deno.lock");
  const wanted = Object.keys(specifiers).find((name) => name.startsWith("npm:esbuild@"));
  const version = specifiers[wanted!];
  const path = (machine: string) =>
    `./node_modules/.deno/@esbuild+${machine}@${version}/node_modules/@esbuild/${machine}/bin/esbuild`;
  const { run } = (await read("deno.json")).permissions.build;
  assert.deepEqual(run, ["linux-x64", "linux-arm64"].map(path));
});
