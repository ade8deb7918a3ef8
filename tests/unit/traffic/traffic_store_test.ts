import assert from "node:assert/strict";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import fc from "fast-check";
import type { NamedTraffic } from "../../../system/traffic/store/messages.ts";
import { TrafficStore } from "../../../system/traffic/store/traffic_store.ts";
import type { HistoryFilter } from "../../../system/traffic/insights/history.ts";
import {
  DeviceInsight,
  InsightsNames,
  InsightsOverview,
  TrafficHistory,
} from "../../../system/traffic/schema.ts";

const WRITER = fileURLToPath(new URL("../../kit/programs/traffic_writer.ts", import.meta.url));
const HOUR = 3_600_000, DAY = 24 * HOUR;
const NOW = Date.UTC(2026, 5, 15, 10, 30);

async function withStore(work: (open: () => Promise<TrafficStore>) => Promise<void>) {
  const folder = await Deno.makeTempDir();
  const opened: TrafficStore[] = [];
  try {
    await work(async () => {
      opened.pop()?.close();
      const store = await TrafficStore.open(join(folder, "traffic.db"));
      opened.push(store);
      return store;
    });
  } finally {
    opened.pop()?.close();
    await Deno.remove(folder, { recursive: true });
  }
}

function last(minutes: number, to = NOW) {
  return { from: to - minutes * 60_000, to };
}

function traffic(part: Partial<NamedTraffic>): NamedTraffic {
  return {
    ...{ device: "192.168.2.6", remote: "198.51.100.7", domain: "www.example.org" },
    ...{ asn: 64500, network: "Example Net", country: "DE", in: 1000, out: 10 },
    ...part,
  };
}

async function overview(
  store: TrafficStore,
  minutes: number,
  now = NOW,
  containers: string[] = [],
) {
  return InsightsOverview.parse(
    JSON.parse(await store.overview({ ...last(minutes, now), containers })),
  );
}

async function destinations(store: TrafficStore, address: string, minutes: number, now = NOW) {
  return DeviceInsight.parse(JSON.parse(await store.device({ address, ...last(minutes, now) })));
}

async function history(
  store: TrafficStore,
  minutes: number,
  filter: Partial<HistoryFilter> = {},
) {
  const all = { country: null, asn: null, device: null };
  return TrafficHistory.parse(
    JSON.parse(await store.history({ ...last(minutes), ...all, ...filter })),
  );
}

Deno.test("an overview says who exchanged what with which country and network", () =>
  withStore(async (open) => {
    const store = await open();
    await store.add("a.1", NOW, [
      traffic({}),
      traffic({ device: "192.168.2.10", in: 5000 }),
      traffic({ remote: "198.51.100.8", asn: 64501, network: "Other", country: "US", in: 9000 }),
      traffic({ remote: "10.9.9.9", asn: 0, network: "", country: "", domain: "", in: 1, out: 0 }),
    ]);
    const found = await overview(store, 60, NOW, ["172.17.0.0/16"]);
    assert.deepEqual([found.TotalIn, found.TotalOut], [15_001, 30]);
    assert.deepEqual(found.ContainerNets, ["172.17.0.0/16"]);
    assert.deepEqual(found.Countries.map((one) => [one.Country, one.BytesIn, one.ASNs.length]), [
      ["US", 9000, 1],
      ["DE", 6000, 1],
      ["", 1, 1],
    ]);
    assert.deepEqual(found.Countries[1]?.Devices, [
      { IP: "192.168.2.10", BytesIn: 5000, BytesOut: 10 },
      { IP: "192.168.2.6", BytesIn: 1000, BytesOut: 10 },
    ]);
    assert.deepEqual(found.ASNs.map(({ ASN, Name, Country }) => [ASN, Name, Country]), [
      [64501, "Other", "US"],
      [64500, "Example Net", "DE"],
    ]);
    const device = await destinations(store, "192.168.2.6", 60);
    assert.deepEqual(
      device.Destinations.map((one) => [one.IP, one.Domain, one.ASN, one.Country, one.BytesIn]),
      [
        ["198.51.100.8", "www.example.org", 64501, "US", 9000],
        ["198.51.100.7", "www.example.org", 64500, "DE", 1000],
        ["10.9.9.9", "", 0, undefined, 1],
      ],
    );
    const none = await destinations(store, "192.168.2.99", 60);
    assert.deepEqual([none.BytesIn, none.BytesOut, none.Destinations], [0, 0, []]);
  }));

Deno.test("a history has every hour of a day, of all or of a country, a network or a device", () =>
  withStore(async (open) => {
    const store = await open();
    await store.add("a.1", NOW, [traffic({}), traffic({ device: "192.168.2.10", in: 5000 })]);
    await store.add("a.2", NOW - 3 * HOUR, [
      traffic({ asn: 0, network: "", country: "", domain: "", remote: "10.9.9.9", in: 7 }),
      traffic({ remote: "198.51.100.8", asn: 64501, network: "Other", country: "US", in: 900 }),
    ]);
    const bytes = async (filter: Partial<HistoryFilter> = {}) => {
      const { Seconds, Points } = await history(store, 1440, filter);
      assert.deepEqual([Seconds, Points.length], [3600, 25]);
      assert.equal(Points.at(-1)!.Start, "2026-06-15T10:00:00.000Z");
      return [Points.at(-4)!.BytesIn, Points.at(-1)!.BytesIn];
    };
    assert.deepEqual(await bytes(), [907, 6000]);
    assert.deepEqual(await bytes({ country: "US" }), [900, 0]);
    assert.deepEqual(await bytes({ country: "" }), [7, 0]);
    assert.deepEqual(await bytes({ asn: 64500 }), [0, 6000]);
    assert.deepEqual(await bytes({ device: "192.168.2.10" }), [0, 5000]);
    assert.deepEqual(await bytes({ device: "192.168.2.6", country: "DE" }), [0, 1000]);
    for (const none of [{ device: "192.168.2.99" }, { country: "FR" }, { asn: 1 }]) {
      assert.deepEqual(await bytes(none), [0, 0]);
    }
  }));

Deno.test("names are summed up over devices, and an address without one stands by itself", () =>
  withStore(async (open) => {
    const store = await open();
    await store.add("a.1", NOW, [
      traffic({}),
      traffic({ remote: "198.51.100.9", in: 50 }),
      traffic({ device: "192.168.2.10", in: 5000 }),
      traffic({ remote: "203.0.113.7", domain: "", country: "", in: 1 }),
    ]);
    const { Names } = InsightsNames.parse(
      JSON.parse(await store.names(last(60))),
    );
    assert.deepEqual(
      Names.map((one) => [one.Name, one.IP, one.BytesIn, one.Devices.map(({ IP }) => IP)]),
      [
        ["www.example.org", "198.51.100.7", 6050, ["192.168.2.10", "192.168.2.6"]],
        ["", "203.0.113.7", 1, ["192.168.2.6"]],
      ],
    );
  }));

Deno.test("a batch that comes again, also after a restart, is stored once", () =>
  withStore(async (open) => {
    let store = await open();
    assert.equal(await store.last(), null);
    await store.add("a.1", NOW, [traffic({})]);
    await store.add("a.1", NOW, [traffic({})]);
    store = await open();
    assert.equal(await store.last(), "a.1");
    await store.add("a.1", NOW, [traffic({})]);
    await store.add("a.2", NOW, [traffic({})]);
    await store.add("a.3", NOW, []);
    assert.equal((await overview(store, 60)).TotalIn, 2000);
    assert.equal(await store.last(), "a.3");
  }));

Deno.test("hours whose end is in the window count whole, those to come not at all", () =>
  withStore(async (open) => {
    const store = await open();
    for (const [at, hours] of [-2, -1, 0, 1, 5].entries()) {
      await store.add(`a.${at}`, NOW + hours * HOUR, [traffic({ in: 10 ** at, out: 0 })]);
    }
    assert.equal((await overview(store, 1)).TotalIn, 100);
    assert.equal((await overview(store, 29)).TotalIn, 100);
    assert.equal((await overview(store, 31)).TotalIn, 110);
    assert.equal((await overview(store, 129_600)).TotalIn, 111);
  }));

Deno.test("whatever is rolled up, trimmed, reopened or late, sums are those of a naive list", async () => {
  const event = fc.record({
    // Hours before and after now; the clock may be set back at any time.
    hours: fc.integer({ min: -5 * 24, max: 0 }),
    device: fc.constantFrom("192.168.2.6", "192.168.2.10", "192.168.2.14"),
    remote: fc.constantFrom("198.51.100.7", "198.51.100.8", "198.51.100.9"),
    in: fc.nat(10_000),
    out: fc.nat(10_000),
    then: fc.constantFrom("nothing", "trim", "reopen"),
  });
  await fc.assert(
    fc.asyncProperty(
      fc.array(event, { minLength: 1, maxLength: 15 }),
      (events) =>
        withStore(async (open) => {
          let store = await open();
          const trim = async () => {
            while (await store.trim(NOW, 90)) { /* one step after the other */ }
          };
          for (const [at, { hours, then, ...one }] of events.entries()) {
            await store.add(`a.${at}`, NOW + hours * HOUR, [traffic(one)]);
            if (then === "trim") await trim();
            if (then === "reopen") store = await open();
          }
          await trim();
          const all = await overview(store, 6 * 24 * 60);
          const sum = (field: "in" | "out", device?: string) =>
            events.filter((one) => device === undefined || one.device === device)
              .reduce((total, one) => total + one[field], 0);
          assert.deepEqual([all.TotalIn, all.TotalOut], [sum("in"), sum("out")]);
          for (const device of ["192.168.2.6", "192.168.2.10", "192.168.2.14"]) {
            const own = await destinations(store, device, 6 * 24 * 60);
            assert.deepEqual([own.BytesIn, own.BytesOut], [sum("in", device), sum("out", device)]);
          }
          for (const device of [null, "192.168.2.10"]) {
            const { Points } = await history(store, 6 * 24 * 60, { device });
            assert.deepEqual(
              Points.map((point) => [point.BytesIn, point.BytesOut]),
              Points.map(({ Start }) => {
                const [from, to] = [Date.parse(Start), Date.parse(Start) + DAY];
                const own = events.filter((one) =>
                  (device === null || one.device === device) &&
                  NOW + one.hours * HOUR >= from && NOW + one.hours * HOUR < to
                );
                return [
                  own.reduce((total, one) => total + one.in, 0),
                  own.reduce((total, one) => total + one.out, 0),
                ];
              }),
            );
          }
          const { Names } = InsightsNames.parse(JSON.parse(
            await store.names(last(6 * 24 * 60)),
          ));
          assert.equal(Names.reduce((total, one) => total + one.BytesIn, 0), sum("in"));
          // The last day is still kept by hours.
          const day = await overview(store, 24 * 60);
          const recent = events.filter(({ hours }) => hours >= -24);
          assert.equal(day.TotalIn, recent.reduce((total, one) => total + one.in, 0));
        }),
    ),
    { numRuns: 8 },
  );
});

Deno.test("a writer that is killed at the edge of an hour loses no byte and counts none twice", async () => {
  const path = join(await Deno.makeTempDir(), "traffic.db");
  let next = 0;
  for (const kept of [5, 40, 17]) {
    const writer = new Deno.Command(Deno.execPath(), {
      args: ["run", "-q", "-A", "--no-check", WRITER, path, String(next)],
      stdout: "piped",
    }).spawn();
    let stored = -1;
    const lines = writer.stdout.pipeThrough(new TextDecoderStream());
    for await (const part of lines) {
      stored = Number(part.trim().split("\n").at(-1));
      if (stored >= next + kept) break;
    }
    writer.kill("SIGKILL");
    await writer.status;
    const store = await TrafficStore.open(path);
    const last = Number((await store.last())!.slice(2));
    assert.ok(last >= stored, "what was answered is stored");
    // Netd gives the batch again whose answer it did not get.
    await store.add(`a.${last}`, NOW, [traffic({})]);
    const { TotalIn, TotalOut } = await overview(store, 1440);
    assert.deepEqual([TotalIn, TotalOut], [last + 1, 2 * (last + 1)]);
    const all = await destinations(store, "192.168.2.6", 1440);
    assert.equal(all.BytesIn, last + 1);
    store.close();
    next = last + 1;
  }
  await Deno.remove(dirname(path), { recursive: true });
});

Deno.test("what is older than the retention goes, with its addresses and names", () =>
  withStore(async (open) => {
    const store = await open();
    for (const days of [0, 2, 6, 8, 20]) {
      await store.add(`a.${days}`, NOW - days * DAY, [
        traffic({ in: 1, remote: `198.51.100.${days + 1}`, domain: `d${days}.example` }),
      ]);
    }
    while (await store.trim(NOW, 7)) { /* one step after the other */ }
    const window = 30 * 24 * 60;
    assert.equal((await overview(store, window)).TotalIn, 3);
    const { Destinations } = await destinations(store, "192.168.2.6", window);
    assert.deepEqual(Destinations.map(({ Domain }) => Domain).sort(), [
      "d0.example",
      "d2.example",
      "d6.example",
    ]);
  }));

Deno.test("a network that was known is not forgotten while the lookup is away", () =>
  withStore(async (open) => {
    const store = await open();
    await store.add("a.1", NOW, [traffic({})]);
    await store.add("a.2", NOW, [traffic({ asn: 0, network: "", country: "" })]);
    const { Destinations } = await destinations(store, "192.168.2.6", 60);
    assert.deepEqual(Destinations.map(({ ASN, Country }) => [ASN, Country]), [[64500, "DE"]]);
  }));
