import assert from "node:assert/strict";
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
