import assert from "node:assert/strict";
import type { BusEvent } from "../../../../system/core/events/bus.ts";
import { sockets } from "../../../../system/processes.ts";
import { relayQueryEvents } from "../../../../system/dns/log/live/event_relay.ts";
import { DEFAULT_LOG_CONFIG, type LogEntry } from "../../../../system/dns/log/schema.ts";
import { runDnsLog } from "../../../kit/dns/query_log.ts";
import { query } from "../../../kit/dns/query.ts";
import { type TestRouter, testRouter } from "../../../kit/router.ts";

const LOG = "/plugins/dns/log";
const DEVICE = "02:00:00:00:0a:01";

async function status(router: TestRouter, ...ask: Parameters<TestRouter["ask"]>): Promise<number> {
  const answer = await router.ask(...ask);
  await answer.body?.cancel();
  return answer.status;
}

Deno.test("the log config is an array of single-key objects, and accepted as that or as an object", async () => {
  await using router = await testRouter();
  const read = () => router.json("GET", `${LOG}/config`);
  assert.deepEqual(await read(), [{ HostPrivacyIPList: [] }, { DomainIgnoreList: [] }]);
  const list = [{ HostPrivacyIPList: ["192.168.2.6"] }, { DomainIgnoreList: ["a.example."] }];
  assert.deepEqual(await router.json("PUT", `${LOG}/config`, { body: list }), list);
  assert.deepEqual(await read(), list);
  const object = { hostprivacyiplist: ["192.168.2.10"], StoreLocalMemory: false };
  assert.deepEqual(await router.json("PUT", `${LOG}/config`, { body: object }), [
    { HostPrivacyIPList: ["192.168.2.10"] },
    { DomainIgnoreList: ["a.example."] },
  ]);
  assert.deepEqual(await router.json("GET", `${LOG}/settings`), {
    ...DEFAULT_LOG_CONFIG,
    HostPrivacyIPList: ["192.168.2.10"],
    DomainIgnoreList: ["a.example."],
    StoreLocalMemory: false,
  });
});

Deno.test("invalid log settings are rejected and not stored", async () => {
  await using router = await testRouter();
  const bad: [string, unknown][] = [
    ["config", [{ HostPrivacyIPList: ["nobody"] }]],
    ["config", { DomainIgnoreList: ["a b"] }],
    ["config", "all"],
    ["config", [[]]],
    ["settings", { RetentionDays: 0 }],
    ["settings", { RetentionDays: 400 }],
    ["settings", { RetentionMegabytes: 1 }],
    ["settings", { StoreLocalMemory: "yes" }],
    ["host_privacy_list", ["192.168.2.6", "192.168.2"]],
    ["host_privacy_list", { list: [] }],
  ];
  for (const [path, body] of bad) {
    assert.equal(
      await status(router, "PUT", `${LOG}/${path}`, { body }),
      400,
      `${path} ${JSON.stringify(body)}`,
    );
  }
  assert.deepEqual(await router.json("GET", `${LOG}/settings`), DEFAULT_LOG_CONFIG);
});

Deno.test("addresses and domains are added and removed as by existing clients", async () => {
  await using router = await testRouter();
  const hosts = ["192.168.2.6", "192.168.2.10"];
  assert.deepEqual(await router.json("PUT", `${LOG}/host_privacy_list`, { body: hosts }), hosts);
  assert.deepEqual(await router.json("GET", `${LOG}/host_privacy_list`), hosts);
  const raw = { body: "null", headers: { "x-raw": "1", "content-type": "application/json" } };
  assert.deepEqual(await router.json("PUT", `${LOG}/host_privacy_list`, raw), []);
  const put = (domain: string) =>
    router.ask("PUT", `${LOG}/domain_ignore/${encodeURIComponent(domain)}`, { body: {} });
  assert.deepEqual(await (await put("a.example.")).json(), ["a.example."]);
  assert.deepEqual(await (await put("a.example.,b.example.")).json(), ["a.example.", "b.example."]);
  const twice = await put("A.example.");
  assert.equal(twice.status, 400);
  assert.match(await twice.text(), /already/);
  assert.deepEqual(await router.json("GET", `${LOG}/domain_ignores`), ["a.example.", "b.example."]);
  const gone = await router.json("DELETE", `${LOG}/domain_ignore/a.example.`, { body: {} });
  assert.deepEqual(gone, ["b.example."]);
  assert.deepEqual(await router.json("DELETE", `${LOG}/domain_ignore/a.example.`), ["b.example."]);
  assert.deepEqual(await (await put("BÜCHER.example,*.ä.example.")).json(), [
    "b.example.",
    "xn--bcher-kva.example",
    "*.xn--4ca.example.",
  ]);
  assert.equal((await put("xn--bcher-kva.example.")).status, 400, "it is the same name");
  const script = encodeURIComponent("bücher.example");
  assert.deepEqual(await router.json("DELETE", `${LOG}/domain_ignore/${script}`), [
    "b.example.",
    "*.xn--4ca.example.",
  ]);
});

Deno.test("without the resolver the log is 503, and its settings can still be changed", async () => {
  await using router = await testRouter();
  const away = await router.ask("GET", `${LOG}/history/192.168.2.6`);
  assert.equal(away.status, 503);
  assert.match(await away.text(), /does not run/);
  assert.equal(await status(router, "GET", `${LOG}/entries`), 503);
  assert.equal(await status(router, "DELETE", `${LOG}/history/192.168.2.6`), 503);
  const body = ["192.168.2.6"];
  assert.equal(await status(router, "PUT", `${LOG}/host_privacy_list`, { body }), 200);
});

Deno.test("the history of an address is an array, newest first, empty for an unknown one", async () => {
  await using router = await testRouter();
  await using log = await runDnsLog(router.home);
  log.store.record(query({ name: "first.example." }));
  log.store.record(query({ name: "second.example.", verdict: "block", by: "https://l.example/x" }));
  log.store.record(query({ client: "192.168.2.10" }));
  const history = await router.json<LogEntry[]>("GET", `${LOG}/history/192.168.2.6`);
  assert.deepEqual(history.map(({ Q, Type }) => [Q[0]!.Name, Type]), [
    ["second.example.", "BLOCKED"],
    ["first.example.", "NOERROR"],
  ]);
  assert.equal(history[0]!.by, "https://l.example/x");
  assert.deepEqual(await router.json("GET", `${LOG}/history/192.168.2.99`), []);
  assert.equal(await status(router, "GET", `${LOG}/history/nobody`), 400);
  assert.equal(await status(router, "DELETE", `${LOG}/history/192.168.2.6`), 200);
  assert.deepEqual(await router.json("GET", `${LOG}/history/192.168.2.6`), []);
  assert.equal((await router.json<unknown[]>("GET", `${LOG}/history/192.168.2.10`)).length, 1);
});

Deno.test("the log is read in pages, filtered by address, name and verdict", async () => {
  await using router = await testRouter();
  await using log = await runDnsLog(router.home);
  for (let i = 0; i < 30; i++) {
    log.store.record(query({ name: `n${i}.example.`, verdict: i % 3 === 0 ? "block" : "pass" }));
  }
  interface Page {
    items: LogEntry[];
    next: number | null;
  }
  const ask = (search: string) => router.json<Page>("GET", `${LOG}/entries?${search}`);
  const first = await ask("limit=20");
  assert.equal(first.items.length, 20);
  const rest = await ask(`limit=20&after=${first.next}`);
  assert.deepEqual([rest.items.length, rest.next], [10, null]);
  assert.equal((await ask("verdict=block,rebind")).items.length, 10);
  assert.equal((await ask("name=N1")).items.length, 11);
  assert.equal((await ask("client=192.168.2.10")).items.length, 0);
  const bad = ["verdict=all", "limit=501", "limit=-1", "client=x", "after=now", "limit=1&limit=2"];
  for (const search of bad) {
    assert.equal(await status(router, "GET", `${LOG}/entries?${search}`), 400, search);
  }
  const state = await router.json<{ counts: unknown; dropped: number }>("GET", `${LOG}/status`);
  assert.deepEqual([state.counts, state.dropped], [{ block: 10, pass: 20 }, 0]);
  assert.equal(await status(router, "DELETE", `${LOG}/entries`), 200);
  assert.deepEqual(await ask(""), { items: [], next: null });
});

/** Follows the log of a router while something is done. */
async function following(router: TestRouter, work: () => Promise<void>): Promise<void> {
  const ending = new AbortController();
  const done = relayQueryEvents({
    socket: sockets(router.home).dnsLog,
    engine: router.engine,
    awaitsConfirm: () => router.engine.window.current() !== null,
    bus: router.bus,
    ending: ending.signal,
  });
  try {
    await work();
  } finally {
    ending.abort();
    await done;
  }
}

/** What comes within 20 s. */
async function soon<T>(promise: Promise<T>): Promise<T> {
  const late = Promise.withResolvers<never>();
  const timer = setTimeout(() => late.reject(new Error("Nothing came within 20 s")), 20_000);
  return await Promise.race([promise, late.promise]).finally(() => clearTimeout(timer));
}

async function addDevice(router: TestRouter): Promise<void> {
  await router.json("PUT", `/device?identity=${DEVICE}`, {
    body: { MAC: DEVICE, Name: "tablet", RecentIP: "192.168.2.6" },
  });
}

async function kept(router: TestRouter): Promise<number> {
  return (await router.json<unknown[]>("GET", `${LOG}/history/192.168.2.6`)).length;
}

async function forgotten(router: TestRouter): Promise<void> {
  for (let tries = 0; await kept(router) > 0; tries++) {
    assert.ok(tries < 300, "its log is still there");
  }
}

Deno.test("queries reach the event stream, and those of a deleted device are deleted", async () => {
  await using router = await testRouter();
  await addDevice(router);
  await using log = await runDnsLog(router.home);
  const { promise, resolve } = Promise.withResolvers<BusEvent>();
  const seen: string[] = [];
  const stop = router.bus.subscribe((event) => {
    if (!event.topic.startsWith("dns:")) return;
    seen.push(event.topic);
    if (event.topic === "dns:block:event") resolve(event);
  });
  await following(router, async () => {
    const telling = setInterval(() => log.store.record(query({ verdict: "block" })), 300);
    const { data } = await soon(promise).finally(() => clearInterval(telling));
    assert.deepEqual(data, { ClientIP: "192.168.2.6", Name: "www.example.com." });
    assert.ok(seen.includes("dns:serve:192.168.2.6"));
    assert.equal(await status(router, "DELETE", `/device?identity=${DEVICE}`), 200);
    await forgotten(router);
  });
  stop();
});

Deno.test("during a confirm window no queries are deleted", async () => {
  await using router = await testRouter();
  await addDevice(router);
  await using log = await runDnsLog(router.home);
  log.store.record(query());
  const answer = await router.ask("DELETE", `/device?identity=${DEVICE}`, {
    headers: { "confirm-within": "60" },
  });
  assert.equal(answer.status, 200, await answer.text());
  await following(router, async () => {
    // It is asked for events only after it was told the devices.
    const { promise, resolve } = Promise.withResolvers<void>();
    const telling = setInterval(() => log.store.record(query()), 300);
    const stop = router.bus.subscribe(({ topic }) => topic.startsWith("dns:") && resolve());
    await soon(promise).finally(() => clearInterval(telling));
    stop();
    assert.ok(await kept(router) > 0);
    const id = answer.headers.get("change-id");
    assert.equal(await status(router, "PUT", `/changes/${id}/confirm`), 200);
    await forgotten(router);
  });
});
