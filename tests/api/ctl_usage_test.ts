import assert from "node:assert/strict";
import { testRouter } from "../kit/router.ts";

const ROOT = new URL("../../", import.meta.url).pathname;

Deno.test("every call that ctl shows as an example is one that the API has", async () => {
  await using router = await testRouter();
  const { paths } = await router.json<{ paths: Record<string, Record<string, unknown>> }>(
    "GET",
    "/openapi.json",
  );
  const { code, stderr } = await new Deno.Command(Deno.execPath(), {
    args: ["run", "-q", "-A", "routes/ctl.ts"],
    cwd: ROOT,
    stdin: "null",
  }).output();
  assert.equal(code, 64);
  const usage = new TextDecoder().decode(stderr);
  const examples = [...usage.matchAll(/ctl (GET|PUT|DELETE) '?(\/[^\s'?]*)/g)];
  assert.ok(examples.length >= 4, usage);
  for (const [example, method = "", path = ""] of examples) {
    assert.ok(paths[path]?.[method.toLowerCase()] !== undefined, example);
  }
});
