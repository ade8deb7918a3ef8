import assert from "node:assert/strict";
import { buildUi } from "../../../ui/build.ts";
import { formRulesModule } from "../../../ui/build/form_rules.ts";

const UI = new URL("../../../ui/", import.meta.url);

Deno.test("the committed form rules are those of the schemas", async () => {
  const committed = await Deno.readTextFile(new URL("generated/form_rules.ts", UI));
  assert.equal(committed, formRulesModule());
});

Deno.test("the first page loads at most 40 KB of script and 10 KB of style", async () => {
  const { script, style } = await buildUi({ ifChanged: true });
  assert.ok(script <= 40 * 1024, `script is ${script} bytes`);
  assert.ok(style <= 10 * 1024, `style is ${style} bytes`);
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
