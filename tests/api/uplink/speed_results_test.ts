import assert from "node:assert/strict";
import { Bus } from "../../../system/core/events/bus.ts";
import { SpeedReport } from "../../../system/uplink/plan_schema.ts";
import { SpeedTests, type SpeedTestsDeps } from "../../../system/uplink/health/speed_tests.ts";
import { UplinkHistory } from "../../../system/uplink/health/history.ts";
import { testRouter } from "../../kit/router.ts";
import { FILES, tell } from "../../kit/lab/two_uplinks.ts";

const URL = "http://198.51.100.7/";

async function stage(
  work: (
    bed: { readonly tests: SpeedTests; readonly past: UplinkHistory; readonly path: string },
  ) => Promise<void>,
  patience = 5000,
): Promise<void> {
  const folder = await Deno.makeTempDir({ prefix: "sluice-speed-" });
  const path = `${folder}/wan.json`;
  try {
    const past = await UplinkHistory.open(path, 0);
    const uplink = { name: "wan0", link: "wan0", leads: true, running: true };
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
      path,
      past,
      tests: new SpeedTests({ engine, bus, past, now: () => 7000, patience }),
    });
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

function idOf(tests: SpeedTests): string {
  return tests.waiting?.id ?? assert.fail("No test waits");
}

Deno.test("a speed test ends with its own report alone, one at a time, and is kept", () =>
  stage(async ({ tests, past }) => {
    const running = tests.run("wan0");
    const id = idOf(tests);
    await assert.rejects(tests.run("wan0"), /running already/);
    tests.report({ id: "another", bytes: 1, seconds: 1, error: "" });
    assert.equal(idOf(tests), id, "a stranger's report ends nothing");
    tests.report({ id, bytes: 12_500_000, seconds: 2, error: "" });
    const expected = {
      ...{ Iface: "wan0", Time: 7, DownMbps: 50, Seconds: 2, Bytes: 12_500_000, URL },
    };
    assert.deepEqual(await running, expected);
    assert.equal(tests.waiting, null);
    tests.report({ id, bytes: 1, seconds: 1, error: "" });
    assert.deepEqual(past.speeds(), [expected], "a late report adds nothing");
    const failing = tests.run("wan0");
    tests.report({ id: idOf(tests), bytes: 0, seconds: 0, error: "refused" });
    const failed = await failing;
    assert.deepEqual([failed.DownMbps, failed.Error], [0, "refused"]);
  }));

Deno.test("a speed test that nobody does is given up, and the next one can run", () =>
  stage(async ({ tests }) => {
    await assert.rejects(tests.run("wan0"), /uplinkd did not run the speed test/);
    assert.equal(tests.waiting, null);
    const next = tests.run("wan0");
    tests.report({ id: idOf(tests), bytes: 8, seconds: 1, error: "" });
    assert.equal((await next).Bytes, 8);
  }, 20));

Deno.test("whatever is reported of a speed, the past can be read again", () =>
  stage(async ({ tests, past, path }) => {
    past.begin("wan0", 5, "health checks get no reply");
    for (const [bytes, seconds] of [[2 ** 40, 1e-300], [0.4, 0], [1e9, 1e-9], [2 ** 40, 3600]]) {
      const running = tests.run("wan0");
      const report = SpeedReport.safeParse({ id: idOf(tests), bytes, seconds, error: "" });
      tests.report(
        report.data ?? { id: idOf(tests), bytes: 0, seconds: 0, error: "refused" },
      );
      const { DownMbps, Bytes } = await running;
      assert.ok(
        Number.isFinite(DownMbps) && Number.isSafeInteger(Bytes),
        `${bytes} in ${seconds} s`,
      );
    }
    await past.flush(9, true);
    const again = await UplinkHistory.open(path, 9);
    assert.equal(again.outages().length, 1);
    assert.equal(again.speeds().length, 4);
  }));

Deno.test("a past that could not be written is told of once, and written when the disk takes it", async () => {
  const folder = await Deno.makeTempDir({ prefix: "sluice-speed-" });
  const path = `${folder}/state/wan.json`;
  try {
    const past = await UplinkHistory.open(path, 0);
    await Deno.writeTextFile(`${folder}/state`, "no folder");
    past.begin("wan0", 5, "health checks get no reply");
    await assert.rejects(past.flush(9));
    await past.flush(10);
    await Deno.remove(`${folder}/state`);
    await past.flush(9 + 600);
    assert.equal((await UplinkHistory.open(path, 0)).outages().length, 1);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});

Deno.test("an uplink may be called as what every object has", () =>
  stage(({ past }) => {
    for (const name of ["constructor", "toString", "__proto__"]) {
      assert.deepEqual(past.samples(name, "minutes", 9), []);
      past.minute(name, 60, { LatencyMs: 1, JitterMs: 0, LossPct: 0, Up: true });
      assert.equal(past.samples(name, "minutes", 9).length, 1);
      assert.equal(past.samples(name, "hours", 9).length, 1);
    }
    return Promise.resolve();
  }));

Deno.test("one entry of the past that cannot be read costs no other", async () => {
  const folder = await Deno.makeTempDir({ prefix: "sluice-speed-" });
  const path = `${folder}/wan.json`;
  const sample = { Time: 60, LatencyMs: 1, JitterMs: 0, LossPct: 0, Up: true };
  const outage = { Iface: "wan0", Start: 5, End: 9, Reason: "no cable is connected" };
  const speed = { Iface: "wan0", Time: 7, DownMbps: 50, Seconds: 2, Bytes: 1, URL };
  try {
    const past = {
      outages: [outage, { ...outage, End: "later" }, 7],
      minutes: { wan0: [sample, { ...sample, LatencyMs: null }], wan1: "none" },
      hours: { wan0: [sample] },
      speed: [{ ...speed, DownMbps: null }, speed],
    };
    await Deno.writeTextFile(path, JSON.stringify(past));
    const read = await UplinkHistory.open(path, 0);
    assert.deepEqual(read.outages(), [outage]);
    assert.deepEqual(read.samples("wan0", "minutes", 9), [sample]);
    assert.deepEqual(read.samples("wan1", "minutes", 9), []);
    assert.deepEqual(read.samples("wan0", "hours", 9), [sample]);
    assert.deepEqual(read.speeds(), [speed]);
    for (const text of ["", "[]", "null", "7", '{"outages": 7, "speed": {}}']) {
      await Deno.writeTextFile(path, text);
      assert.deepEqual((await UplinkHistory.open(path, 0)).outages(), []);
    }
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});

Deno.test("reports of a speed, of probes and of trouble beyond all measure are refused", async () => {
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
    assert.equal(await tell(router, "/speed", { ...speed, ...bad }), 400, JSON.stringify(bad));
  }
  assert.equal(
    await tell(router, "/speed", speed),
    200,
    "one that nobody asked for changes nothing",
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
  ) assert.equal(await tell(router, "/probes", { items }), 400, JSON.stringify(items).slice(0, 80));
  assert.equal(await tell(router, "/probes", { items: [{ ...probe, name: "eth77" }] }), 200);
  assert.equal(router.engine.observed.uplinks?.["eth77"], undefined);
  assert.equal(await tell(router, "/problem", { name: "wan0", detail: "x".repeat(2001) }), 400);
});

Deno.test("speed tests of the page: what is asked for exactly, and nothing beyond the limits", async () => {
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
