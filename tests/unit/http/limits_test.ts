import assert from "node:assert/strict";
import { Hono } from "hono";
import { errorAnswer } from "../../../routes/http/answer.ts";
import { requestLimit } from "../../../routes/http/limits.ts";
import type { Peer } from "../../../routes/http/peer.ts";

Deno.test("the concurrent requests of one source are limited, without affecting others", async () => {
  const gate = Promise.withResolvers<void>();
  const app = new Hono();
  app.onError((error) => errorAnswer(error, () => {}));
  app.use(requestLimit({ atOnce: 2 }));
  app.get("/fail", () => {
    throw new Error("inside");
  });
  app.get("/", async (c) => {
    await gate.promise;
    return c.text("done");
  });
  const ask = async (source: string, path = "/") => {
    const peer: Peer = { source, port: 1, local: null, tls: false };
    return (await app.request(path, undefined, { peer })).status;
  };
  const running = [ask("192.0.2.1"), ask("192.0.2.1")];
  assert.equal(await ask("192.0.2.1"), 429);
  const other = ask("192.0.2.2");
  gate.resolve();
  assert.deepEqual(await Promise.all([...running, other]), [200, 200, 200]);
  for (let i = 0; i < 5; i++) assert.equal(await ask("192.0.2.1", "/fail"), 500);
  assert.equal(await ask("192.0.2.1"), 200);
});
