import assert from "node:assert/strict";
import { Hono } from "hono";
import * as z from "zod";
import { batchRoutes } from "../../../routes/http/batch.ts";
import { mount } from "../../../routes/http/mount.ts";
import { type Route, route } from "../../../routes/http/route.ts";
import { testRouter, WIRED } from "../../kit/router.ts";

interface Entry {
  readonly path: string;
  readonly status: number;
  readonly etag: string | null;
  readonly body: unknown;
}

const query = (...paths: readonly string[]): string =>
  `/batch?${new URLSearchParams(paths.map((path) => ["path", path]))}`;

const HOME = [
  ...["/devices", "/groups", "/network", "/notices", "/packages", "/changes/window"],
  ...["/changes?limit=6", "/interfacesConfiguration", "/ip/addr", "/wan/status"],
  ...["/wan/history/wan0?scale=minutes&count=60", "/traffic_rates?minutes=60"],
  ...["/traffic_insights/overview?minutes=1440", "/plugins/dns/log/status?periods=24"],
  ...["/info/resources", "/info/uptime", "/wifi/clients"],
];

Deno.test("several reads in one request are what each answers by itself", async () => {
  await using router = await testRouter({ files: { "base/interfaces.json": WIRED } });
  const entries = await router.json<readonly Entry[]>("GET", query(...HOME));
  assert.deepEqual(entries.map(({ path }) => path), HOME);
  for (const { path, status, etag, body } of entries) {
    const alone = await router.ask("GET", path);
    assert.equal(status, alone.status, path);
    assert.equal(etag, alone.headers.get("etag"), path);
    const known = await alone.json();
    // What passes in the meantime differs.
    if (!/^.(info|traffic_insights)/.test(path) && status === 200) {
      assert.deepEqual(body, known, path);
    }
  }
  assert.ok(entries.some(({ etag }) => etag !== null));
});

Deno.test("a batch refuses paths that may hold secrets, other routers, itself, and too many", async () => {
  await using router = await testRouter({});
  for (
    const path of [
      ...["/tokens", "/batch?path=/groups", "/events", "/nowhere", "//192.0.2.1/groups"],
      ...["/backup/x", "/wifi/networks", "groups", "https://192.0.2.1/groups"],
    ]
  ) {
    const answer = await router.ask("GET", query("/groups", path));
    assert.equal(answer.status, 400, path);
    await answer.body?.cancel();
  }
  for (const text of ["/batch", query(...Array.from({ length: 21 }, () => "/groups"))]) {
    const answer = await router.ask("GET", text);
    assert.equal(answer.status, 400);
    await answer.body?.cancel();
  }
});

Deno.test("each read of a batch is authorized by itself", async () => {
  await using router = await testRouter({});
  const { Token } = await router.access.tokens.create({
    ...{ Name: "reader", Expire: 0, ScopedPaths: ["/batch:r", "/groups:r"] },
  });
  const as = `Bearer ${Token}`;
  const answer = await router.ask("GET", query("/groups", "/devices"), { as });
  assert.equal(answer.status, 200, await answer.clone().text());
  const entries = await answer.json() as readonly Entry[];
  assert.deepEqual(entries.map(({ status }) => status), [200, 403]);
  const without = await router.ask("GET", query("/groups"), { as: "Bearer nothing" });
  assert.equal(without.status, 401);
  await without.body?.cancel();
});

/** Asks for these paths where `ask` answers each of them. */
async function batchOf(
  paths: readonly string[],
  ask: (path: string) => Promise<Response>,
): Promise<readonly Entry[]> {
  const described: Route[] = paths.map((path) =>
    route({
      ...{ method: "GET", path, summary: "", description: "", tag: "API", access: "public" },
      ...{ compresses: true, response: z.unknown() },
    }, () => null)
  );
  const app = new Hono();
  const routes = batchRoutes({
    ask: (_, { url }) => ask(new URL(url).pathname),
    routes: () => described,
  });
  mount(app, routes, {
    authorize: () => ({ by: "admin", source: "", connection: "" }) as never,
    log: (error) => {
      throw error;
    },
  });
  const answer = await app.request(`http://192.0.2.1${query(...paths)}`);
  assert.equal(answer.status, 200, await answer.clone().text());
  return await answer.json();
}

Deno.test("a read of a batch that fails leaves the others as they are", async () => {
  const broken = new ReadableStream({ pull: () => Promise.reject(new Error("cut off")) });
  const entries = await batchOf(["/thrown", "/page", "/cut", "/good", "/none"], async (path) => {
    await Promise.resolve();
    if (path === "/thrown") throw new Error("inside");
    if (path === "/page") return new Response("<html>");
    if (path === "/cut") return new Response(broken);
    return path === "/none" ? new Response(null) : Response.json([1]);
  });
  assert.deepEqual(entries.map(({ status }) => status), [500, 502, 500, 200, 200]);
  assert.deepEqual(entries.slice(3).map(({ body }) => body), [[1], null]);
  for (const { status, body } of entries.slice(0, 3)) {
    const problem = body as { readonly status: number; readonly detail: string };
    assert.equal(problem.status, status);
    assert.match(problem.detail, /read it by itself/);
    assert.doesNotMatch(JSON.stringify(body), /inside|cut off/);
  }
});

Deno.test("a batch reads four paths at once at most", async () => {
  let now = 0, most = 0;
  const paths = Array.from({ length: 20 }, (_, at) => `/part${at}`);
  const entries = await batchOf(paths, async (path) => {
    most = Math.max(most, ++now);
    for (let turn = 0; turn < 20; turn++) await Promise.resolve();
    now -= 1;
    return Response.json(path);
  });
  assert.equal(most, 4);
  assert.deepEqual(entries.map(({ body }) => body), paths);
});

Deno.test("the answers of a batch are bounded together, and small ones still fit", async () => {
  let cancelled = 0;
  const endless = () =>
    new Response(
      new ReadableStream({
        pull: (controller) => controller.enqueue(new Uint8Array(1 << 20).fill(0x20)),
        cancel: () => void cancelled++,
      }),
    );
  const entries = await batchOf(["/endless", "/small"], async (path) => {
    await Promise.resolve();
    return path === "/small" ? Response.json("small") : endless();
  });
  assert.deepEqual(entries.map(({ status }) => status), [413, 200]);
  assert.equal(cancelled, 1);
  const text = "x".repeat(1 << 20);
  const paths = Array.from({ length: 8 }, (_, at) => `/part${at}`);
  const eight = await batchOf(paths, () => Promise.resolve(Response.json(text)));
  const whole = eight.filter(({ status }) => status === 200);
  assert.ok(whole.length > 0 && whole.length < 4, `${whole.length} of a MiB each`);
  assert.ok(eight.every(({ status }) => status === 200 || status === 413));
});
