import assert from "node:assert/strict";
import type { NetworkStatus } from "../../../system/network/status_schema.ts";
import { memoryHost } from "../../../system/host/memory/host.ts";
import { basic, type TestRouter, testRouter } from "../../kit/router.ts";

const TABLE = { family: "inet", table: "filter" } as const;
const MAC = "02:00:00:00:00:0a";

/** A router with one device that holds `wan`, and a clock that a test turns. */
async function withDevice(
  work: (router: TestRouter, clock: { now: number }) => Promise<void>,
): Promise<void> {
  const clock = { now: 1000 };
  await using router = await testRouter({ engine: { bootClock: () => clock.now } });
  await router.inside("dhcp", "PUT", "/dhcpRequest", { MAC, Iface: "lan0", Name: "a" });
  await router.ask("PUT", `/device?identity=${MAC}`, { body: { Policies: ["wan"] } });
  clock.now += 5;
  await router.engine.tick();
  assert.deepEqual((await router.json<NetworkStatus>("GET", "/network")).drift, []);
  clock.now += 5;
  await work(router, clock);
}

const network = (router: TestRouter): Promise<NetworkStatus> => router.json("GET", "/network");

async function kinds(router: TestRouter): Promise<readonly string[]> {
  const { items } = await router.json<{ items: { kind: string }[] }>("GET", "/notices");
  return items.map(({ kind }) => kind).sort();
}

/** Elements of `internet_access` in the model. */
function wan(router: TestRouter) {
  const [filter] = router.host.ruleset().tables;
  return [...filter!.sets.find(({ name }) => name === "internet_access")!.elements.values()];
}

Deno.test("what someone took away waits as a notice, and repair puts it back", () =>
  withDevice(async (router) => {
    const elements = wan(router);
    assert.equal(elements.length, 1);
    router.host.applyForeign({
      kind: "ruleset",
      ops: [{ op: "delete-elements", ...TABLE, set: "internet_access", elements }],
    });
    await router.engine.tick();
    const found = await network(router);
    assert.equal(found.state, "model");
    assert.deepEqual(found.drift, [{
      what: "map inet filter internet_access",
      expected: '192.168.2.2 . "lan0" : accept',
      found: null,
      urgent: false,
    }]);
    assert.deepEqual(await kinds(router), ["drift"]);
    assert.deepEqual(wan(router), [], "it waits");
    const repaired = await router.json<NetworkStatus>("PUT", "/network/repair");
    assert.deepEqual(repaired.drift, []);
    assert.deepEqual(wan(router), elements);
    assert.deepEqual(await kinds(router), []);
  }));

Deno.test("what someone opened is closed at once, and reported", () =>
  withDevice(async (router) => {
    const open = { key: ["192.168.2.66", "lan0"], value: { kind: "accept" } } as const;
    router.host.applyForeign({
      kind: "ruleset",
      ops: [{ op: "add-elements", ...TABLE, set: "internet_access", elements: [open] }],
    });
    await router.engine.tick();
    assert.equal(wan(router).length, 1);
    assert.deepEqual(await kinds(router), ["drift-repaired"]);
    await router.engine.tick();
    assert.deepEqual((await network(router)).drift, []);
  }));

Deno.test("tables that another program deleted are put back, which is reported", () =>
  withDevice(async (router, clock) => {
    router.host.applyForeign({ kind: "ruleset", ops: [{ op: "delete-table", ...TABLE }] });
    clock.now += 2;
    await router.engine.tick();
    assert.equal(wan(router).length, 1, "it stands again");
    const { items } = await router.json<{ items: { kind: string; detail: string }[] }>(
      "GET",
      "/notices",
    );
    assert.deepEqual(items.map(({ kind }) => kind), ["drift-repaired"]);
    assert.match(items[0]!.detail, /table inet filter lacks "its rules"/);
  }));

Deno.test("someone who opens it again and again is answered ever more seldom", () =>
  withDevice(async (router, clock) => {
    const open = { key: ["192.168.2.66", "lan0"], value: { kind: "accept" } } as const;
    let repairs = 0;
    for (let second = 0; second < 30; second++) {
      if (wan(router).length === 1) {
        router.host.applyForeign({
          kind: "ruleset",
          ops: [{ op: "add-elements", ...TABLE, set: "internet_access", elements: [open] }],
        });
      }
      clock.now += 1;
      await router.engine.tick();
      if (wan(router).length === 1) repairs++;
    }
    assert.ok(repairs >= 4 && repairs <= 6, `${repairs} repairs in half a minute`);
  }));

Deno.test("a neighbour that is gone is put back by itself; a link that is down waits", () =>
  withDevice(async (router, clock) => {
    const neighbour = (await router.host.facts()).neighbours.find(({ permanent }) => permanent)!;
    router.host.applyForeign({
      kind: "ip",
      ops: [{ op: "delete-neighbour", address: neighbour.address, link: neighbour.link }],
    });
    clock.now += 61;
    await router.engine.tick();
    assert.equal((await router.host.facts()).neighbours.length, 1);
    router.host.applyForeign({ kind: "ip", ops: [{ op: "set-link", name: "lan1", up: false }] });
    clock.now += 2;
    await router.engine.tick();
    assert.deepEqual((await network(router)).drift, [
      { what: "link lan1", expected: "up", found: "down", urgent: false },
    ]);
    router.host.applyForeign({ kind: "ip", ops: [{ op: "set-link", name: "lan1", up: true }] });
    clock.now += 2;
    await router.engine.tick();
    assert.deepEqual((await network(router)).drift, []);
    assert.deepEqual(await kinds(router), ["drift-repaired"]);
  }));

Deno.test("a table of someone else's is taken over by an admin who means it", async () => {
  const foreign = [{ family: "inet", name: "filter", comment: null }];
  await using router = await testRouter({ host: memoryHost({ tables: foreign }) });
  const blocked = await network(router);
  assert.equal(blocked.state, "blocked");
  assert.match(blocked.detail ?? "", /table inet filter/);
  assert.equal((await router.ask("PUT", "/network/repair")).status, 409);
  const takeover = await router.ask("PUT", "/network/takeover");
  assert.equal(takeover.status, 409);
  assert.match(await takeover.text(), /inet filter.*force=true/);
  assert.equal((await network(router)).state, "blocked");
  assert.equal((await router.ask("PUT", "/network/takeover?force=true", { as: null })).status, 401);
  const taken = await router.json<NetworkStatus>("PUT", "/network/takeover?force=true");
  assert.equal(taken.state, "model");
  assert.equal((await router.ask("PUT", "/network/takeover?force=true")).status, 409);
});

Deno.test("released, nothing is applied, over restarts, until it is applied again", () =>
  withDevice(async (router) => {
    const released = await router.inside("console", "PUT", "/network/release");
    assert.equal(released.status, 200);
    const status: NetworkStatus = await released.json();
    assert.equal(status.state, "released");
    assert.deepEqual(router.host.ruleset().tables, []);
    const facts = await router.host.facts();
    assert.deepEqual(facts.neighbours, []);
    assert.equal(facts.forwarding, false);
    assert.ok(!facts.links.some(({ name }) => name === "sluice0"));
    assert.deepEqual(facts.addresses.map(({ address }) => address).sort(), [
      "127.0.0.1/8",
      "203.0.113.2/24",
    ]);
    await router.ask("PUT", `/device?identity=${MAC}`, { body: { Policies: ["wan", "dns"] } });
    assert.deepEqual(router.host.ruleset().tables, [], "a change is only kept");
    const again = await router.reopen();
    assert.equal((await network(again)).state, "released");
    await again.engine.tick();
    assert.deepEqual(again.host.ruleset().tables, []);
    assert.equal((await again.ask("PUT", "/network/repair")).status, 409);
    assert.equal((await again.ask("PUT", "/network/apply", { as: null })).status, 401);
    assert.equal((await again.json<NetworkStatus>("PUT", "/network/apply")).state, "model");
    assert.equal(wan(again).length, 1);
    const last = await again.reopen();
    assert.equal((await network(last)).state, "model");
    await last.close();
  }));

Deno.test("release is for the console alone", async () => {
  await using router = await testRouter();
  assert.equal((await router.ask("PUT", "/network/release", { as: basic() })).status, 404);
});

Deno.test("the console sees changes and undoes any of them, a password's too", () =>
  withDevice(async (router) => {
    const listed = await router.inside("console", "GET", "/changes?limit=1");
    const { items } = await listed.json();
    const undone = await router.inside("console", "PUT", `/changes/${items[0].id}/undo`);
    assert.equal(undone.status, 200, await undone.text());
    assert.deepEqual(wan(router), []);
    const { items: [newest] } = await (await router.inside("console", "GET", "/changes")).json();
    assert.equal(newest.by, "console");
  }));

Deno.test("a kernel that takes long to read is read seldom, but for what cannot wait", () =>
  withDevice(async (router, clock) => {
    const facts = router.host.facts.bind(router.host);
    let reads = 0;
    Object.assign(router.host, {
      facts: async () => {
        reads++;
        clock.now += 0.5;
        return await facts();
      },
    });
    let devices = 0x10;
    /** Whether a tick reads the kernel after a device joined, which moves addresses. */
    const isRead = async (seconds: number, event = () => {}): Promise<boolean> => {
      const joined = { MAC: `02:00:00:00:00:${(devices++).toString(16)}`, Iface: "lan0" };
      const answer = await router.inside("dhcp", "PUT", "/dhcpRequest", joined);
      assert.equal(answer.status, 200, await answer.text());
      event();
      const before = reads;
      clock.now += seconds;
      await router.engine.tick();
      return reads > before;
    };
    assert.equal(await isRead(1), true);
    assert.equal(await isRead(1), false, "it was read a moment ago, for half a second");
    assert.equal(await isRead(1), false);
    const gone = () => router.host.emit({ kind: "link", name: "lan1", gone: true });
    assert.equal(await isRead(1, gone), true, "a link that is gone");
    assert.equal(await isRead(1), false);
    assert.equal(await isRead(30), true, "time has passed");
  }));
