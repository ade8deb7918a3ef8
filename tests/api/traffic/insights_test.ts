import assert from "node:assert/strict";
import type { PairTraffic } from "../../../system/core/kernel/host.ts";
import type {
  DeviceInsight,
  InsightsNames,
  InsightsOverview,
  TrafficHistory,
} from "../../../system/traffic/schema.ts";
import { type TestRouter, testRouter } from "../../kit/router.ts";
import { resolvedQuery } from "../../kit/dns/query_log.ts";

const HOUR = 3_600_000;

/** A router whose kernel has counted these pairs, as the batch with this id. */
function counts(router: TestRouter, id: string, ...pairs: readonly PairTraffic[]): void {
  router.host.counted = { counters: {}, flows: { id, pairs } };
}

const PAIR: PairTraffic = ["192.168.2.6", "198.51.100.7", "203.0.113.2", 3, 300, 5, 5000];

async function totals(router: TestRouter, query = ""): Promise<readonly number[]> {
  const found = await router.json<InsightsOverview>("GET", `/traffic_insights/overview${query}`);
  return [found.TotalIn, found.TotalOut];
}

Deno.test("traffic is reported by destination, with the name that the device resolved", async () => {
  await using router = await testRouter({ steady: () => 0 });
  router.bus.publish(
    "dns:serve:192.168.2.6",
    resolvedQuery("192.168.2.6", "www.example.org", "198.51.100.7"),
  );
  counts(router, "a.1", PAIR, ["192.168.2.10", "198.51.100.7", "", 1, 7, 1, 9]);
  assert.deepEqual(await totals(router), [5009, 307]);
  const device = (ip: string) =>
    router.json<DeviceInsight>("GET", `/traffic_insights/device/${ip}?minutes=60`);
  const found = await device("192.168.2.6");
  assert.deepEqual([found.BytesIn, found.BytesOut], [5000, 300]);
  assert.deepEqual(found.Destinations.map(({ IP, Domain }) => [IP, Domain]), [
    ["198.51.100.7", "www.example.org"],
  ]);
  // Another device has not resolved it.
  assert.equal((await device("192.168.2.10")).Destinations[0]?.Domain, "");
  assert.deepEqual((await device("192.168.2.99")).Destinations, []);
  const pairs = await router.json<readonly Record<string, unknown>[]>("GET", "/iptraffic");
  assert.deepEqual(
    pairs.map((one) => [one["Src"], one["Dst"], one["DstDomain"], one["Bytes"], one["Packets"]]),
    [
      ["192.168.2.6", "198.51.100.7", "www.example.org", 300, 3],
      ["198.51.100.7", "192.168.2.6", "", 5000, 5],
      ["192.168.2.10", "198.51.100.7", "", 7, 1],
      ["198.51.100.7", "192.168.2.10", "", 9, 1],
    ],
  );
  assert.equal(pairs[1]?.["SrcDomain"], "www.example.org");
});

Deno.test("a batch that comes again is counted once, through restarts of the api as well", async () => {
  let steady = 0;
  const first = await testRouter({ steady: () => steady });
  counts(first, "a.1", PAIR);
  assert.deepEqual(await totals(first), [5000, 300]);
  steady += 60_000;
  assert.deepEqual(await totals(first), [5000, 300], "netd has no report yet that it was stored");
  await using router = await first.reopen({ steady: () => steady });
  counts(router, "a.1", PAIR);
  assert.deepEqual(await totals(router), [5000, 300]);
  counts(router, "a.2", PAIR);
  steady += 60_000;
  assert.deepEqual(await totals(router), [10_000, 600]);
});

Deno.test("a clock that is set back or ahead counts nothing twice", async () => {
  let steady = 0, now = Date.UTC(2026, 5, 15, 10);
  await using router = await testRouter({ steady: () => steady, now: () => now });
  for (const [at, step] of [0, -3 * HOUR, 2 * HOUR, HOUR].entries()) {
    now += step;
    steady += 60_000;
    counts(router, `a.${at}`, PAIR);
    await totals(router);
  }
  assert.deepEqual(await totals(router, "?minutes=1440"), [20_000, 1200]);
});

Deno.test("an hour that is over is shown by itself, by country, by name and by device", async () => {
  let steady = 0, now = Date.UTC(2026, 5, 15, 10, 59);
  await using router = await testRouter({ steady: () => steady, now: () => now });
  counts(router, "a.1", PAIR);
  await totals(router);
  now += 60_000;
  steady += 60_000;
  counts(router, "a.2", PAIR, PAIR);
  await totals(router);
  const until = Date.UTC(2026, 5, 15, 11);
  assert.deepEqual(await totals(router, `?minutes=60&until=${until}`), [5000, 300]);
  assert.deepEqual(await totals(router, `?minutes=60&until=${until + HOUR}`), [10_000, 600]);
  assert.deepEqual(await totals(router, `?minutes=60&until=${until - HOUR}`), [0, 0]);
  const device = await router.json<DeviceInsight>(
    "GET",
    `/traffic_insights/device/192.168.2.6?minutes=60&until=${until}`,
  );
  assert.equal(device.BytesIn, 5000);
  const names = await router.json<InsightsNames>(
    "GET",
    `/traffic_insights/names?minutes=60&until=${until}`,
  );
  assert.deepEqual(names.Names.map(({ IP, BytesIn }) => [IP, BytesIn]), [["198.51.100.7", 5000]]);
  const { Points } = await router.json<TrafficHistory>(
    "GET",
    "/traffic_insights/history?minutes=120&country=&device=192.168.2.6",
  );
  assert.deepEqual(Points.map(({ BytesIn }) => BytesIn), [0, 5000, 10_000]);
});

Deno.test("settings are a change like any other, and days out of range are refused", async () => {
  let steady = 0;
  await using router = await testRouter({ steady: () => steady });
  const path = "/traffic_insights/config";
  assert.deepEqual(await router.json("GET", path), { Enabled: true, RetentionDays: 7 });
  for (const RetentionDays of [0, -1, 91, 1.5, "7", null]) {
    const { status } = await router.ask("PUT", path, { body: { Enabled: true, RetentionDays } });
    assert.equal(status, 400, String(RetentionDays));
  }
  const set = await router.ask("PUT", path, { body: { RetentionDays: 90 } });
  assert.deepEqual([set.status, await set.json()], [200, { Enabled: false, RetentionDays: 90 }]);
  assert.match(set.headers.get("change-id") ?? "", /./);
  counts(router, "a.1", PAIR);
  assert.deepEqual(await totals(router), [0, 0], "switched off");
  await router.json("PUT", path, { body: { Enabled: true, RetentionDays: 90 } });
  counts(router, "a.2", PAIR);
  steady += 60_000;
  assert.deepEqual(await totals(router), [5000, 300], "from now on only");
});

Deno.test("windows and addresses that are none are refused", async () => {
  await using router = await testRouter();
  for (const minutes of ["0", "-1", "abc", "1000000000", "129601", "1.5", "", "1e3", " 5"]) {
    const path = `/traffic_insights/overview?minutes=${encodeURIComponent(minutes)}`;
    assert.equal((await router.ask("GET", path)).status, 400, minutes);
  }
  for (
    const query of [
      ...["overview?until=", "overview?until=-1", "overview?until=now", "overview?until=1e9"],
      ...["overview?until=8640000000000001", "device/192.168.2.6?until=x", "names?until=1.5"],
      ...["names?minutes=10081", "names?minutes=0", "history?minutes=129601", "history?minutes=-5"],
      ...["history?country=usa", "history?country=U%3B", "history?asn=0", "history?asn=4294967296"],
      ...["history?device=printer", "history?device=::1"],
    ]
  ) {
    assert.equal((await router.ask("GET", `/traffic_insights/${query}`)).status, 400, query);
  }
  for (const ip of ["printer", "192.168.2", "192.168.2.6/24", "::1", "192.168.2.6%20"]) {
    const path = `/traffic_insights/device/${encodeURIComponent(ip)}`;
    assert.equal((await router.ask("GET", path)).status, 400, ip);
  }
});

Deno.test("live connections are shown as the device sees them, by page and by filter", async () => {
  await using router = await testRouter();
  const flow = (source: string, sport: number) => ({
    ...{ protocol: "tcp" as const, source, sport, destination: "198.51.100.7", dport: 443 },
    ...{ replySource: "198.51.100.7", replySport: 443 },
    ...{ replyDestination: "203.0.113.2", replyDport: sport },
  });
  router.host.track(
    flow("192.168.2.6", 40_001),
    flow("192.168.2.6", 40_002),
    flow("192.168.2.10", 1),
  );
  // From outside, through a port forward.
  router.host.track({
    ...{ protocol: "tcp", source: "198.51.100.9", sport: 5, destination: "203.0.113.2", dport: 80 },
    ...{ replySource: "192.168.2.10", replySport: 8080 },
    ...{ replyDestination: "198.51.100.9", replyDport: 5 },
  });
  interface Page {
    readonly items: readonly Record<string, unknown>[];
    readonly next: string | null;
    readonly total: number;
  }
  const page = (query: string) => router.json<Page>("GET", `/flows?${query}`);
  const first = await page("limit=2");
  assert.equal(first.total, 4);
  assert.deepEqual(
    first.items.map((one) => [one["device"], one["devicePort"], one["remote"], one["inbound"]]),
    [["192.168.2.10", 8080, "198.51.100.9", true], ["192.168.2.10", 1, "198.51.100.7", false]],
  );
  const second = await page(`limit=2&after=${first.next}`);
  assert.deepEqual(second.items.map((one) => one["devicePort"]), [40_002, 40_001]);
  assert.equal((await page("device=192.168.2.6")).total, 2);
  assert.equal((await page("name=example")).total, 0);
  router.bus.publish(
    "dns:serve:192.168.2.6",
    resolvedQuery("192.168.2.6", "www.example.org", "198.51.100.7"),
  );
  const named = await page("name=EXAMPLE&device=192.168.2.6");
  assert.deepEqual(named.items.map((one) => one["name"]), ["www.example.org", "www.example.org"]);
  for (const bad of ["device=printer", "country=usa", "country=U%3B", "asn=0", "asn=4294967296"]) {
    assert.equal((await router.ask("GET", `/flows?${bad}`)).status, 400, bad);
  }
  for (const bad of ["limit=0", "limit=501", "limit=x", "order=size", "after=-1", "name="]) {
    assert.equal((await router.ask("GET", `/flows?${bad}`)).status, 400, bad);
  }
  assert.equal((await page("country=de")).total, 0, "lower case is a country, too");
});
