import assert from "node:assert/strict";
import { Bus } from "../../../system/core/events/bus.ts";
import { SpeedReport } from "../../../system/uplink/plan_schema.ts";
import { SpeedTests, type SpeedTestsDeps } from "../../../system/uplink/health/speed_tests.ts";
import { UplinkHistory } from "../../../system/uplink/health/history.ts";
import { MemoryKeeper } from "../../kit/fakes/history_keeper.ts";
import { testRouter } from "../../kit/router.ts";
import { FILES, send } from "../../kit/lab/two_uplinks.ts";

const URL = "http://198.51.100.7/";

async function stage(
  work: (
    bed: {
      readonly tests: SpeedTests;
      readonly history: UplinkHistory;
      readonly keeper: MemoryKeeper;
      readonly bus: Bus;
      /** A second passes. */
      readonly tick: () => void;
    },
  ) => Promise<void>,
  timeoutMs = 5000,
): Promise<void> {
  const keeper = new MemoryKeeper();
  let now = 7000;
  const history = await UplinkHistory.open(keeper, 0);
  const uplink = { name: "wan0", link: "wan0", hasGateway: true, running: true };
  const engine = {
    config: {
      interfaces: [{ Name: "wan0", Type: "Uplink", Enabled: true }],
      wan: { SpeedTestURL: URL },
    },
    desired: { facts: { uplinks: [uplink] } },
    network: { state: "applied", detail: null },
  } as unknown as SpeedTestsDeps["engine"];
  const bus = new Bus(() => 7000);
  await work({
    ...{ keeper, bus },
    history,
    tests: new SpeedTests({ engine, bus, history, now: () => now, timeoutMs }),
    tick: () => now += 1000,
  });
}

function idOf(tests: SpeedTests): string {
  return tests.requested?.id ?? assert.fail("No test was requested");
}

Deno.test("a speed test ends with its own report, one at a time, and is recorded", () =>
  stage(async ({ tests, history, bus }) => {
    const published: unknown[] = [];
    bus.subscribe(({ topic, data }) => published.push([topic, data]));
    const running = tests.run("wan0");
    const id = idOf(tests);
    await assert.rejects(tests.run("wan0"), /running already/);
    tests.report({ id: "another", bytes: 1, seconds: 1, error: "" });
    assert.equal(idOf(tests), id, "the report of another test ends nothing");
    tests.report({ id, bytes: 12_500_000, seconds: 2, error: "" });
    const expected = {
      ...{ Iface: "wan0", Time: 7, DownMbps: 50, Seconds: 2, Bytes: 12_500_000, URL },
    };
    assert.deepEqual(await running, expected);
    assert.deepEqual(published, [
      ["wan:speedtest:start", { Iface: "wan0" }],
      ["wan:speedtest", expected],
    ]);
    assert.equal(tests.requested, null);
    tests.report({ id, bytes: 1, seconds: 1, error: "" });
    assert.deepEqual(history.speedTests(), [expected], "a late report adds nothing");
    const failing = tests.run("wan0");
    tests.report({ id: idOf(tests), bytes: 0, seconds: 0, error: "refused" });
    const failed = await failing;
    assert.deepEqual([failed.DownMbps, failed.Error], [0, "refused"]);
  }));

Deno.test("a speed test without a report times out, and the next one can run", () =>
  stage(async ({ tests }) => {
    await assert.rejects(tests.run("wan0"), /uplinkd did not run the speed test/);
    assert.equal(tests.requested, null);
    const next = tests.run("wan0");
    tests.report({ id: idOf(tests), bytes: 8, seconds: 1, error: "" });
    assert.equal((await next).Bytes, 8);
  }, 20));

Deno.test("whatever speed is reported, the uplink history stays readable", () =>
  stage(async ({ tests, history, keeper, tick }) => {
    history.beginOutage("wan0", 5, "health checks get no reply");
    for (const [bytes, seconds] of [[2 ** 40, 1e-300], [0.4, 0], [1e9, 1e-9], [2 ** 40, 3600]]) {
      const running = tests.run("wan0");
      const report = SpeedReport.safeParse({ id: idOf(tests), bytes, seconds, error: "" });
      tests.report(
        report.data ?? { id: idOf(tests), bytes: 0, seconds: 0, error: "refused" },
      );
      const { DownMbps, Bytes } = await running;
      tick();
      assert.ok(
        Number.isFinite(DownMbps) && Number.isSafeInteger(Bytes),
        `${bytes} in ${seconds} s`,
      );
    }
    await history.flush(9, true);
    const again = await UplinkHistory.open(keeper, 9);
    assert.equal(again.outages().length, 1);
    assert.equal(again.speedTests().length, 4);
  }));

Deno.test("an uplink history that cannot be written is reported once and written later", async () => {
  const keeper = new MemoryKeeper();
  const history = await UplinkHistory.open(keeper, 0);
  keeper.isFull = true;
  history.beginOutage("wan0", 5, "health checks get no reply");
  await assert.rejects(history.flush(9));
  await history.flush(10);
  keeper.isFull = false;
  await history.flush(9 + 600);
  assert.equal((await UplinkHistory.open(keeper, 0)).outages().length, 1);
});

Deno.test("an uplink may have the name of an Object.prototype property", () =>
  stage(({ history }) => {
    for (const name of ["constructor", "toString", "__proto__"]) {
      assert.deepEqual(history.samples(name, "minutes", 9), []);
      history.addMinute(name, 60, { LatencyMs: 1, JitterMs: 0, LossPct: 0, Up: true });
      assert.equal(history.samples(name, "minutes", 9).length, 1);
      assert.equal(history.samples(name, "hours", 9).length, 1);
    }
    return Promise.resolve();
  }));

Deno.test("an invalid entry of the uplink history does not affect the others", async () => {
  const keeper = new MemoryKeeper();
  const sample = { Time: 60, LatencyMs: 1, JitterMs: 0, LossPct: 0, Up: true };
  const outage = { Iface: "wan0", Start: 5, End: 9, Reason: "no cable is connected" };
  const speed = { Iface: "wan0", Time: 7, DownMbps: 50, Seconds: 2, Bytes: 1, URL };
  const history = {
    outages: [outage, { ...outage, End: "later" }, 7],
    minutes: { wan0: [sample, { ...sample, LatencyMs: null }], wan1: "none" },
    hours: { wan0: [sample] },
    speed: [{ ...speed, DownMbps: null }, speed],
  };
  keeper.record = history;
  const read = await UplinkHistory.open(keeper, 0);
  assert.deepEqual(read.outages(), [outage]);
  assert.deepEqual(read.samples("wan0", "minutes", 9), [sample]);
  assert.deepEqual(read.samples("wan1", "minutes", 9), []);
  assert.deepEqual(read.samples("wan0", "hours", 9), [sample]);
  assert.deepEqual(read.speedTests(), [speed]);
  for (const record of [[], null, 7, { outages: 7, speed: {} }]) {
    keeper.record = record;
    assert.deepEqual((await UplinkHistory.open(keeper, 0)).outages(), []);
  }
});

Deno.test("out-of-range speed, probe and problem reports are refused", async () => {
  await using router = await testRouter({ files: FILES });
  const speed = { id: "x", bytes: 1, seconds: 1, error: "" };
  for (
    const bad of [
      { bytes: -1 },
      { bytes: 1e300 },
      { bytes: "many" },
      { seconds: -1 },
      { seconds: 1e300 },
      { error: "x".repeat(501) },
      { error: "two\nlines" },
      { id: "x".repeat(129) },
    ]
  ) {
    assert.equal(await send(router, "/speed", { ...speed, ...bad }), 400, JSON.stringify(bad));
  }
  assert.equal(
    await send(router, "/speed", speed),
    200,
    "one that nobody requested changes nothing",
  );
  assert.deepEqual(await router.json("GET", "/wan/speedtest"), []);
  const probe = { name: "wan0", latency: 1 };
  for (
    const items of [
      [{ ...probe, latency: -1 }],
      [{ ...probe, latency: 60_001 }],
      [{ ...probe, name: "a b" }],
      Array.from({ length: 65 }, () => probe),
    ]
  ) assert.equal(await send(router, "/probes", { items }), 400, JSON.stringify(items).slice(0, 80));
  assert.equal(await send(router, "/probes", { items: [{ ...probe, name: "eth77" }] }), 200);
  assert.equal(router.engine.observed.uplinks?.["eth77"], undefined);
  assert.equal(await send(router, "/problem", { name: "wan0", detail: "x".repeat(2001) }), 400);
});

Deno.test("the UI's speed test transfers the requested bytes within the limits", async () => {
  await using router = await testRouter();
  const limit = 26_214_400;
  const exact = await router.ask("GET", "/speedtest/7-27");
  assert.deepEqual([exact.status, await exact.text()], [200, "78901234567890123456"]);
  const high = await router.ask("GET", "/speedtest/999999999990-999999999999");
  assert.deepEqual([high.status, await high.text()], [200, "012345678"]);
  const most = await router.ask("GET", `/speedtest/0-${limit - 1}`);
  assert.equal((await most.arrayBuffer()).byteLength, limit - 1);
  for (
    const range of [
      `0-${limit}`,
      "5-5",
      "9-1",
      "0-1e3",
      "-1-5",
      "0-",
      "-",
      "0-9999999999999",
      "0x0-0x9",
      "1.5-9",
      "%30-9%20",
      "0-9/..",
    ]
  ) {
    for (const method of ["GET", "PUT"]) {
      const answer = await router.ask(method, `/speedtest/${range}`);
      await answer.body?.cancel();
      assert.ok([400, 404].includes(answer.status), `${method} ${range}: ${answer.status}`);
    }
  }
});

Deno.test("the history that an earlier version kept in a file is taken over once", async () => {
  const first = await testRouter({ files: FILES });
  const file = `${first.home}/state/api/wan.json`;
  const outage = { Iface: "wan0", Start: 5, End: 9, Reason: "no cable is connected" };
  const sample = { Time: 60, LatencyMs: 1, JitterMs: 0, LossPct: 0, Up: true };
  const old = { outages: [outage], minutes: { wan0: [sample] }, hours: {}, speed: [] };
  await Deno.writeTextFile(file, JSON.stringify(old));
  const second = await first.reopen();
  const known = async (router: typeof first) => {
    const outages = await router.json<readonly { Start: number }[]>("GET", "/wan/outages");
    const samples = await router.json<readonly { Time: number }[]>("GET", "/wan/history/wan0");
    return [outages.some(({ Start }) => Start === 5), samples.some(({ Time }) => Time === 60)];
  };
  assert.deepEqual(await known(second), [true, true]);
  await assert.rejects(Deno.stat(file), Deno.errors.NotFound);
  await using third = await second.reopen();
  assert.deepEqual(await known(third), [true, true], "it is in the store now");
});
