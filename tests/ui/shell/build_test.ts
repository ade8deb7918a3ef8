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
