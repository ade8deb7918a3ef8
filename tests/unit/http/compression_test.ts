import assert from "node:assert/strict";
import { gunzipSync } from "node:zlib";
import { Hono } from "hono";
import * as z from "zod";
import { mount } from "../../../routes/http/mount.ts";
import { type Route, route } from "../../../routes/http/route.ts";

const words = (amount: number) => Array.from({ length: amount }, (_, index) => `word ${index}`);

function listing(path: string, amount: number, compresses: boolean): Route {
  return route({
    method: "GET",
    path,
    summary: "",
    description: "",
    tag: "API",
    access: "public",
    compresses,
    response: z.array(z.string()),
  }, () => words(amount));
}

const app = new Hono();
mount(app, [
  listing("/large", 2000, true),
  listing("/small", 20, true),
  listing("/secret", 2000, false),
], {
  authorize: () => ({ by: "admin", from: null, connection: null }),
  log: (error) => {
    throw error;
  },
});

function ask(path: string, accepted: string, source = "192.168.2.10", method = "GET") {
  const peer = { source, port: 40000, local: null, tls: true };
  return app.request(path, { method, headers: { "accept-encoding": accepted } }, { peer });
}

Deno.test("a large answer is compressed where its route says so and the client takes gzip", async () => {
  const packed = await ask("/large", "br, gzip;q=0.8");
  assert.equal(packed.headers.get("content-encoding"), "gzip");
  assert.equal(packed.headers.get("vary"), "accept-encoding");
  assert.equal(packed.headers.get("content-type"), "application/json");
  const bytes = new Uint8Array(await packed.arrayBuffer());
  assert.deepEqual(JSON.parse(gunzipSync(bytes).toString()), words(2000));
  assert.ok(bytes.length < 8000, `${bytes.length} bytes`);
});

Deno.test("an answer is left as it is where compressing is of no use or of harm", async () => {
  const cases = [
    ["/secret", "gzip", "192.168.2.10"],
    ["/small", "gzip", "192.168.2.10"],
    ["/large", "gzip", "127.0.0.1"],
    ["/large", "gzip", "::1"],
    ["/large", "br", "192.168.2.10"],
    ["/large", "gzip;q=0", "192.168.2.10"],
    ["/large", "gzip; q=0.000, br", "192.168.2.10"],
    ["/large", "", "192.168.2.10"],
  ] as const;
  for (const [path, accepted, source] of cases) {
    const plain = await ask(path, accepted, source);
    assert.equal(plain.headers.get("content-encoding"), null, `${path} ${accepted} ${source}`);
    assert.deepEqual(await plain.json(), words(path === "/small" ? 20 : 2000));
  }
  assert.equal((await ask("/large", "gzip", "192.168.2.10", "HEAD")).status, 200);
});
