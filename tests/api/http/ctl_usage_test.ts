import assert from "node:assert/strict";
import { fileURLToPath } from "node:url";
import type { Peer } from "../../../routes/http/peer.ts";
import { testRouter } from "../../kit/router.ts";

const PEER: Peer = { source: "127.0.0.1", port: 40000, local: null, tls: false };
const ROOT = fileURLToPath(new URL("../../../", import.meta.url));

Deno.test("every example in ctl's usage is an operation of the API", async () => {
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

Deno.test("ctl explains how to give a password when none is given", async () => {
  await using router = await testRouter();
  await using server = Deno.serve(
    { port: 0, hostname: "127.0.0.1", onListen() {} },
    (request) => router.external.fetch(request, { peer: PEER }),
  );
  const outputWith = async (env: Readonly<Record<string, string>>): Promise<string> => {
    const { code, stderr } = await new Deno.Command(Deno.execPath(), {
      args: ["run", "-q", "-A", "routes/ctl.ts", "GET", "/devices"],
      cwd: ROOT,
      env: {
        SLUICE_URL: `http://127.0.0.1:${server.addr.port}`,
        SLUICE_TOKEN: "",
        SLUICE_PASSWORD: "",
        ...env,
      },
      stdin: "null",
    }).output();
    assert.equal(code, 1);
    return new TextDecoder().decode(stderr);
  };
  assert.match(await outputWith({}), /answered 401\nSLUICE_PASSWORD/);
  assert.match(await outputWith({ SLUICE_PASSWORD: "wrong" }), /answered 401\n$/);
});
