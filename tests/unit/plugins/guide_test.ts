import assert from "node:assert/strict";

const SAMPLE = new URL("../../kit/plugins/sample/", import.meta.url);
const GUIDE = new URL("../../../docs/plugins.md", import.meta.url);

Deno.test("the guide shows the sample plugin as it is tested, and its program has 30 lines at most", async () => {
  const text = await Deno.readTextFile(GUIDE);
  for (const name of ["plugin.json", "main.ts", "page.html"]) {
    const file = await Deno.readTextFile(new URL(name, SAMPLE));
    assert.ok(
      text.includes(`\n${file}\`\`\``),
      `${name} in docs/plugins.md is not that of the sample`,
    );
    if (name === "main.ts") assert.ok(file.trim().split("\n").length <= 30);
  }
});
