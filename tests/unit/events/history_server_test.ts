import assert from "node:assert/strict";
import { Bus } from "../../../system/core/events/bus.ts";
import { HistoryServer } from "../../../system/events/server/history_server.ts";
import { openServer, serverAddress } from "../../../system/events/server/open.ts";
import { HistoryRelay } from "../../../system/events/server/history_relay.ts";
import { EventStore } from "../../../system/events/store/event_store.ts";
import { directLink } from "../../../system/events/store/store_link.ts";
import { STORES_ALL } from "../../kit/builders/event_settings.ts";
import { eventually } from "../../kit/eventually.ts";
import { type HranaServer, startHranaServer } from "../../kit/fakes/hrana_server.ts";

const TOKEN = "token-that-nobody-may-read";
const DAY = { min: null, max: null, num: 1000, order: "asc", strict: false, filter: null } as const;

interface Stage {
  readonly server: HranaServer;
  readonly bus: Bus;
  readonly store: EventStore;
  readonly home: string;
  readonly failures: string[];
  /** Begins to send to the server; returns what ends that. */
  relay(router?: string): { close(): Promise<void> };
  /** Numbers of the events on the server, in the order in which they were stored. */
  sent(router?: string): readonly number[];
}

async function onStage(test: (stage: Stage) => Promise<void>): Promise<void> {
  const home = await Deno.makeTempDir({ prefix: "sluice-test-" });
  await Deno.mkdir(`${home}/state/api`, { recursive: true });
  const server = startHranaServer(TOKEN);
  const bus = new Bus(() => 1_700_000_000_000);
  const failures: string[] = [];
  const store = new EventStore({
    path: `${home}/history.db`,
    bus,
    engine: STORES_ALL,
    link: () => directLink(() => 1_700_000_000_000),
    failed: (detail) => failures.push(detail),
  });
  try {
    await test({
      ...{ server, bus, store, home, failures },
      relay: (router = "one") => {
        const target = new HistoryServer({ url: server.url, token: TOKEN, router });
        const relay = new HistoryRelay({
          ...{ store, server: target, name: server.url, interval: 10, longest: 40 },
          failed: (detail) => failures.push(detail),
        });
        return {
          async close() {
            await relay.close();
            target.close();
          },
        };
      },
      sent(router = "one") {
        const made = server.db.prepare("SELECT 1 FROM sqlite_master WHERE name = 'router_events'");
        if (made.get() === undefined) return [];
        return server.db.prepare(
          "SELECT data FROM router_events WHERE router = ? ORDER BY rowid",
        ).all(router).map(({ data }) => JSON.parse(String(data)).n as number);
      },
    });
    assert.deepEqual(server.faults, [], "the protocol was kept to");
  } finally {
    await store.close();
    await server.close();
    await Deno.remove(home, { recursive: true });
  }
}

function publish(bus: Bus, from: number, count: number): void {
  for (let n = from; n < from + count; n++) bus.publish("of:tests", { n });
}

async function nothingWaits(store: EventStore, { url }: HranaServer): Promise<void> {
  await eventually("nothing waits", async () => {
    assert.equal((await store.ask({ type: "backlog", server: url })).waiting, 0);
  });
}

const upTo = (count: number): readonly number[] => Array.from({ length: count }, (_, n) => n);

Deno.test("history server: what is stored is sent in order, under the router's own id", async () => {
  await onStage(async ({ server, bus, relay, sent }) => {
    publish(bus, 0, 1200);
    const one = relay("one");
    await eventually("it is sent", () => assert.deepEqual(sent("one"), upTo(1200)));
    await one.close();
    const two = relay("two");
    publish(bus, 1200, 1);
    await eventually("it is sent", () => assert.deepEqual(sent("two"), [1200]));
    await two.close();
    assert.deepEqual([...server.tokens], [TOKEN]);
  });
});

Deno.test("history server: while it is away the store keeps what is missing, and sends it once", async () => {
  await onStage(async ({ server, bus, relay, sent, failures }) => {
    publish(bus, 0, 10);
    const first = relay();
    await eventually("it is sent", () => assert.deepEqual(sent(), upTo(10)));
    server.isAway = true;
    publish(bus, 10, 700);
    await eventually("it fails", () => assert.equal(failures.length, 1));
    // It takes them, but its answer is lost: they are sent again and stored once.
    server.losesAnswers = true;
    server.isAway = false;
    await eventually("it is stored", () => assert.ok(sent().length > 10));
    // A restart in between.
    await first.close();
    server.losesAnswers = false;
    const second = relay();
    await eventually("it is sent", () => assert.deepEqual(sent(), upTo(710)));
    await second.close();
    assert.ok(failures.length <= 3, `said once each time: ${failures.join("; ")}`);
    assert.doesNotMatch(failures.join(" "), /token-that/);
  });
});

Deno.test("history server: what was deleted before it was sent is reported, and the rest is sent", async () => {
  await onStage(async ({ server, bus, relay, sent, failures, store }) => {
    publish(bus, 0, 5);
    const first = relay();
    await eventually("it is sent", () => assert.deepEqual(sent(), upTo(5)));
    await first.close();
    server.isAway = true;
    publish(bus, 5, 3000);
    await store.flush();
    // Retention deletes the oldest.
    await store.ask({ type: "configure", retention: { days: 90, bytes: 1, topics: [] } });
    await eventually("they are deleted", async () => {
      assert.equal(await store.ask({ type: "countItems", bucket: "of:tests" }), 0);
    });
    await store.ask({ type: "configure", retention: { days: 90, bytes: 1 << 30, topics: [] } });
    publish(bus, 3005, 3);
    server.isAway = false;
    const second = relay();
    await eventually("it is sent", () => assert.deepEqual(sent().slice(-3), [3005, 3006, 3007]));
    await second.close();
    assert.match(failures.join(" "), /deleted, by size or age, before the server took them/);
    assert.equal(new Set(sent()).size, sent().length);
  });
});

Deno.test("history server: what clients change or delete later is changed there, also after it was away", async () => {
  await onStage(async ({ server, bus, store, relay, sent }) => {
    const at = { at: 1_700_000_000_000, nanos: 0 };
    const put = (bucket: string, name: string, n: number) =>
      store.ask({
        ...{ type: "put", bucket, key: { name } },
        item: { id: bus.reserveId(), data: JSON.stringify({ n }), at },
      });
    const there = () =>
      server.db.prepare("SELECT topic, data FROM router_events ORDER BY topic, id").all()
        .map(({ topic, data }) => `${topic} ${JSON.parse(String(data)).n}`);
    await put("of:one", "a", 1);
    await put("of:one", "b", 2);
    await put("of:two", "c", 3);
    await put("of:two", "d", 4);
    const first = relay();
    await nothingWaits(store, server);
    assert.equal(sent().length, 4);
    server.isAway = true;
    await put("of:one", "a", 10);
    await store.ask({ type: "remove", bucket: "of:one", key: { name: "b" } });
    await store.ask({ type: "deleteBucket", name: "of:two" });
    await put("of:two", "e", 5);
    const waiting = await store.ask({ type: "backlog", server: server.url });
    assert.deepEqual(waiting, { waiting: 4, oldestAt: at.at });
    await first.close();
    server.isAway = false;
    const second = relay();
    const expected = ["of:one 10", "of:two 5"];
    await eventually("it is changed", () => assert.deepEqual(there(), expected));
    await put("of:one", "a", 11);
    await eventually("it is changed", () => assert.deepEqual(there(), ["of:one 11", "of:two 5"]));
    await nothingWaits(store, server);
    await second.close();
  });
});

Deno.test("history server: what retention deletes here stays there, and changes are noted for a server alone", async () => {
  await onStage(async ({ server, bus, store, relay, sent }) => {
    const key = { name: "a" };
    const put = (n: number) =>
      store.ask({
        ...{ type: "put", bucket: "of:one", key },
        item: { id: bus.reserveId(), data: JSON.stringify({ n }), at: { at: 1, nanos: 0 } },
      });
    await put(1);
    await put(2);
    assert.deepEqual(await store.ask({ type: "corrections", rows: 10 }), []);
    const first = relay();
    await nothingWaits(store, server);
    await first.close();
    await put(3);
    assert.equal((await store.ask({ type: "corrections", rows: 10 })).length, 1);
    // Its time is long ago.
    await store.ask({ type: "configure", retention: { days: 1, bytes: 1 << 30, topics: [] } });
    await eventually("it is deleted", async () => {
      assert.equal(await store.ask({ type: "countItems", bucket: "of:one" }), 0);
    });
    const second = relay();
    await nothingWaits(store, server);
    assert.deepEqual(sent(), [2]);
    await second.close();
  });
});

Deno.test("history server: it is searched by time, number and condition, for this router alone", async () => {
  await onStage(async ({ server, bus, relay, sent }) => {
    publish(bus, 0, 20);
    const one = relay("one");
    await eventually("it is sent", () => assert.equal(sent("one").length, 20));
    await one.close();
    const target = new HistoryServer({ url: server.url, token: TOKEN, router: "one" });
    const { items: found } = await target.items("of:tests", { ...DAY, order: "desc", num: 2 });
    assert.deepEqual(found.map((item) => (item as { n: number }).n), [19, 18]);
    assert.match(String((found[0] as { time: string }).time), /^2023-11-14T22:13:20/);
    const some = await target.items("of:tests", { ...DAY, filter: "$[?(@.n>=18)]" });
    assert.equal(some.items.length, 2);
    const nothing = { items: [], stoppedAt: null };
    assert.deepEqual(await target.items("of:others", DAY), nothing);
    target.close();
    const other = new HistoryServer({ url: server.url, token: TOKEN, router: "two" });
    assert.deepEqual(await other.items("of:tests", DAY), nothing);
    other.close();
  });
});

Deno.test("history server: the token comes from its file, is in no message, and the id stays", async () => {
  await onStage(async ({ server, store, bus, home, sent, failures }) => {
    await Deno.writeTextFile(`${home}/state/api/database_token`, "wrong-token\n");
    const address = await serverAddress(home, { url: server.url, token: null });
    assert.equal(address.token, "wrong-token");
    assert.deepEqual(await serverAddress(home, { url: server.url, token: null }), address);
    const given = await serverAddress(home, { url: server.url, token: TOKEN });
    assert.deepEqual(given, { ...address, token: TOKEN }, "the environment's has precedence");
    publish(bus, 0, 1);
    const refused = openServer(address, store, (detail) => failures.push(detail));
    await eventually("it is refused", () => assert.equal(failures.length, 1));
    const { waiting, failedAt, problem, sentAt, host } = await refused.state();
    assert.deepEqual([waiting, sentAt, host], [1, 0, new URL(server.url).host]);
    assert.ok(failedAt > 0 && problem !== "");
    assert.doesNotMatch(problem, /wrong-token/);
    await refused.close();
    assert.doesNotMatch(failures.join(), /wrong-token/);
    const opened = openServer(given, store, (detail) => failures.push(detail));
    await eventually("it is sent", () => assert.deepEqual(sent(address.router), [0]));
    await eventually("nothing waits", async () => {
      const { waiting, oldestAt, problem, sentAt } = await opened.state();
      assert.deepEqual([waiting, oldestAt, problem, sentAt > 0], [0, 0, "", true]);
    });
    await opened.close();
  });
});
