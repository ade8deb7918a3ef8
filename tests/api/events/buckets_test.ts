import assert from "node:assert/strict";
import type { HistoryServerState } from "../../../system/events/server/state_schema.ts";
import { eventually } from "../../kit/eventually.ts";
import { startHranaServer } from "../../kit/fakes/hrana_server.ts";
import { otpOf } from "../../kit/otp.ts";
import { testRouter } from "../../kit/router.ts";

const DB = "/plugins/db";

Deno.test("what is published is found in its bucket, by time and value, newest first", async () => {
  await using router = await testRouter();
  for (const Iface of ["wan0", "wan1", "wan2"]) router.bus.publish("wan:uplink:up", { Iface });
  const items = await router.json<{ Iface: string; time: string }[]>(
    "GET",
    `${DB}/items/wan:uplink:up`,
  );
  assert.deepEqual(items.map(({ Iface }) => Iface), ["wan2", "wan1", "wan0"]);
  assert.match(items[0]!.time, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{9}Z$/);
  assert.equal(new Set(items.map(({ time }) => time)).size, 3);
  const found = async (query: string): Promise<string[] | null> => {
    const path = `${DB}/items/wan:uplink:up?${query}`;
    const list = await router.json<{ Iface: string }[] | null>("GET", path);
    return list && list.map(({ Iface }) => Iface);
  };
  const filter = (text: string) => `filter=${encodeURIComponent(text)}`;
  assert.deepEqual(await found("num=1"), ["wan2"]);
  assert.deepEqual(await found("num=none"), ["wan2", "wan1", "wan0"]);
  assert.deepEqual(await found("order=asc&num=2"), ["wan0", "wan1"]);
  assert.deepEqual(await found(filter('$[?(@.Iface=="wan1")]')), ["wan1"]);
  assert.deepEqual(await found(filter('$[?(@.Iface=~"[02]$")]')), ["wan2", "wan0"]);
  assert.equal(await found(filter('$[?(@.Iface=="none")]')), null);
  assert.equal(await found(filter("$[")), null);
  assert.deepEqual(await found(`min=${items[1]!.time}`), ["wan2", "wan1"]);
  assert.deepEqual(await found(`max=${items[1]!.time}`), ["wan1", "wan0"]);
  assert.deepEqual(await found(`strict=1&max=${items[1]!.time}`), ["wan0"]);
  assert.deepEqual(await found(`strict=1&order=asc&max=${items[1]!.time}`), ["wan0", "wan1"]);
  assert.equal(await found("strict=1&max=2999-01-01T00:00:00Z"), null);
  assert.equal(await found("strict=1&min=yesterday"), null);
  assert.equal(await found("max=2001-01-01T00:00:00Z"), null);
  assert.equal((await router.ask("GET", `${DB}/items/nothing`)).status, 404);
});

Deno.test("clients have buckets and items of their own, by name or time", async () => {
  await using router = await testRouter();
  const put = (path: string, body: unknown) => router.json("PUT", `${DB}/${path}`, { body });
  assert.equal(
    (await router.ask("PUT", `${DB}/buckets`, { body: { name: " notes " } })).status,
    200,
  );
  assert.equal((await router.ask("PUT", `${DB}/buckets`, { body: { name: "notes" } })).status, 409);
  assert.deepEqual(await router.json("GET", `${DB}/items/notes`), null);
  assert.deepEqual(await put("bucket/notes", { key: "first", value: { a: 1 } }), { a: 1 });
  const time = "2026-01-31T12:00:00.123456789Z";
  await put("bucket/notes", { time, text: "timed" });
  await put(`bucket/notes/timekey:2026-01-31T12:00:00.1Z`, { text: "earlier" });
  await put("bucket/notes/first", { a: 2 });
  assert.deepEqual(await router.json("GET", `${DB}/bucket/notes/first`), { a: 2 });
  assert.deepEqual(await router.json("GET", `${DB}/bucket/notes/timekey:${time}`), {
    time,
    text: "timed",
  });
  const list = await router.json<{ Key: string; Value: unknown }[]>("GET", `${DB}/bucket/notes`);
  assert.deepEqual(list.map(({ Key }) => Key), ["2026-01-31T12:00:00.100000000Z", time, "first"]);
  const full = await router.json<{ name: string }[]>("GET", `${DB}/buckets?full=1`);
  assert.deepEqual(full.find(({ name }) => name === "notes"), { name: "notes", items: list });
  assert.deepEqual(await router.json("GET", `${DB}/stats/notes`), { KeyN: 3 });
  for (const key of ["first", `timekey:${time}`, "not-there"]) {
    assert.equal((await router.ask("DELETE", `${DB}/bucket/notes/${key}`)).status, 200);
  }
  assert.deepEqual(await router.json("GET", `${DB}/stats/notes`), { KeyN: 1 });
  assert.equal((await router.ask("GET", `${DB}/bucket/notes/first`)).status, 404);
  assert.equal((await router.ask("DELETE", `${DB}/bucket/notes`)).status, 200);
  assert.equal((await router.ask("DELETE", `${DB}/bucket/notes`)).status, 404);
  for (
    const [path, body, status] of [
      ["buckets", {}, 400],
      ["bucket/notes", [], 400],
      ["bucket/notes", { key: 1, value: 2 }, 400],
      ["bucket/notes/timekey:soon", {}, 400],
      ["bucket/notes", { text: "x".repeat(300_000) }, 413],
    ] as const
  ) {
    const response = await router.ask("PUT", `${DB}/${path}`, { body });
    assert.equal(response.status, status, path);
    await response.body?.cancel();
  }
});

Deno.test("an alert is resolved by sending it back, and none is forged", async () => {
  await using router = await testRouter();
  await router.notices.open("dhcp-pool", "It is full");
  const [alert] = await router.json<{ time: string; State: string }[]>(
    "GET",
    `${DB}/items/alert:dhcp-pool`,
  );
  const item = `${DB}/bucket/alert:dhcp-pool/timekey:${alert!.time}`;
  await router.json("PUT", item, { body: { ...alert, State: "Resolved" } });
  const [again, ...others] = await router.json<{ State: string }[]>(
    "GET",
    `${DB}/items/alert:dhcp-pool`,
  );
  assert.deepEqual([again!.State, others.length], ["Resolved", 0]);
  for (
    const [path, status] of [
      ["bucket/alert:dhcp-pool", 404],
      ["bucket/alert:dhcp-pool/timekey:2026-01-31T12:00:00Z", 404],
      ["bucket/auth:failure", 403],
      ["bucket/audit/first", 403],
    ] as const
  ) {
    const response = await router.ask("PUT", `${DB}/${path}`, { body: { Title: "forged" } });
    assert.equal(response.status, status, path);
    await response.body?.cancel();
  }
});

Deno.test("a scoped token finds the topics that it may read, and deletes nothing of the router", async () => {
  await using router = await testRouter();
  const { Token } = await router.json<{ Token: string }>("PUT", "/tokens", {
    body: { Name: "reader", ScopedPaths: [DB, "/wan/status:r"] },
    headers: await otpOf(router),
  });
  const as = `Bearer ${Token}`;
  router.bus.publish("wan:uplink:up", { Iface: "wan0" });
  router.bus.publish("notices", { id: "1", kind: "x", resolved: false });
  assert.deepEqual(await router.json("GET", `${DB}/buckets`, { as }), ["wan:uplink:up"]);
  assert.deepEqual(await router.json("GET", `${DB}/topics`, { as }), ["wan:uplink:up"]);
  for (const path of ["items/notices", "bucket/notices", "stats/notices", "bucket/notices/x"]) {
    const response = await router.ask("GET", `${DB}/${path}`, { as });
    assert.equal(response.status, 403, path);
    await response.body?.cancel();
  }
  const refused = await router.ask("DELETE", `${DB}/bucket/wan:uplink:up`, { as });
  assert.equal(refused.status, 403);
  assert.equal((await router.ask("DELETE", `${DB}/bucket/wan:uplink:up`)).status, 200);
});

Deno.test("the settings say which topics are stored, at once and across restarts", async () => {
  const router = await testRouter();
  const settings = await router.json<Record<string, unknown>>("GET", `${DB}/config`);
  assert.equal(settings["MaxSize"], 262144000);
  const SaveEvents = ["wan:", "auth:failure:"];
  await router.json("PUT", `${DB}/config`, { body: { ...settings, SaveEvents, Days: 7 } });
  const publish = (): void => {
    router.bus.publish("wan:uplink:up", { Iface: "wan0" });
    router.bus.publish("notices", { id: "1", kind: "x", resolved: false });
    router.bus.publish("auth:failure", {
      ...{ type: "user", name: "", reason: "bad password", ip: "", addr: "" },
    });
  };
  const before = await router.json<string[]>("GET", `${DB}/buckets`);
  publish();
  assert.deepEqual(await router.json("GET", `${DB}/stats/wan:uplink:up`), { KeyN: 1 });
  assert.deepEqual(
    await router.json("GET", `${DB}/buckets`),
    [...before, "auth:failure", "wan:uplink:up"].sort(),
  );
  const { Size, Topics } = await router.json<{ Size: number; Topics: string[] }>(
    "GET",
    `${DB}/stats`,
  );
  assert.ok(Size > 4096 && Topics.includes("wan:"));
  await using again = await router.reopen();
  assert.deepEqual(await again.json("GET", `${DB}/config`), { ...settings, SaveEvents, Days: 7 });
  assert.deepEqual(await again.json("GET", `${DB}/stats/wan:uplink:up`), { KeyN: 1 });
});

Deno.test("a change is an audit event with its author and values, secrets masked", async () => {
  await using router = await testRouter();
  const card = "02:00:00:00:0a:01";
  await router.json("PUT", `/device?identity=${card}`, {
    body: { Name: "card", PSKEntry: { Type: "wpa2", Psk: "a secret password" } },
  });
  const audit = await router.json<{ by: string; kind: string }[]>("GET", `${DB}/items/audit`);
  const entry = audit.find(({ by }) => by === "admin")!;
  assert.ok(JSON.stringify(entry).includes("card"));
  assert.doesNotMatch(JSON.stringify(audit), /a secret password/);
});

Deno.test("a search on the history server is refused where there is none", async () => {
  await using router = await testRouter();
  const answer = await router.ask("GET", "/plugins/db/items/leases?source=server");
  assert.equal(answer.status, 400);
  assert.match(await answer.text(), /SLUICE_DATABASE/);
  const state = await router.json("GET", "/plugins/db/server");
  const none = { host: "", waiting: 0, oldestAt: 0, sentAt: 0, failedAt: 0, problem: "" };
  assert.deepEqual(state, none);
});

Deno.test("what waits for the history server, and why, is in the API and in the metrics", async () => {
  const server = startHranaServer("secret-token");
  try {
    await using router = await testRouter({
      history: { url: server.url, token: "secret-token" },
    });
    const state = () => router.json<HistoryServerState>("GET", "/plugins/db/server");
    await eventually("everything is sent", async () => {
      const { waiting, sentAt, host } = await state();
      assert.deepEqual([waiting, sentAt > 0, host], [0, true, new URL(server.url).host]);
    });
    server.isAway = true;
    router.bus.publish("wan:uplink:up", { Iface: "wan0" });
    await eventually("it waits", async () => {
      const { waiting, oldestAt, problem, failedAt } = await state();
      assert.ok(waiting > 0 && oldestAt > 0 && failedAt > 0);
      assert.match(problem, /503/);
      assert.doesNotMatch(problem, /secret-token/);
    });
    const metrics = await (await router.ask("GET", "/metrics")).text();
    assert.match(metrics, /^sluice_history_server_up 0$/m);
    assert.match(metrics, /^sluice_history_events_waiting [1-9]/m);
  } finally {
    await server.close();
  }
});
