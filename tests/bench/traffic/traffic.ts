import process from "node:process";
import { DatabaseSync } from "node:sqlite";
import { FlowLedger } from "../../../system/host/netlink/conntrack/flow_ledger.ts";
import { pageOf } from "../../../system/host/netlink/conntrack/followed_flows.ts";
import { writeDestinations } from "../../../system/traffic/insights/destination_list.ts";
import { writeNetworks } from "../../../system/traffic/insights/network_list.ts";
import type { NamedTraffic } from "../../../system/traffic/store/messages.ts";
import { TrafficStore } from "../../../system/traffic/store/traffic_store.ts";
import { median, type Row } from "../table.ts";

const DEVICES = 500, DAYS = 90, NETWORKS = 1000, REMOTES = 20_000;
/** Networks of a device in an hour and in a day, and addresses of it. */
const HOUR = { networks: 8, remotes: 20 }, DAY = { networks: 20, remotes: 64 };
const FLOWS = 50_000;
const NOW = Date.UTC(2026, 5, 15, 12);

/** Traffic by destination of 500 devices over 90 days, and a list of 50,000 connections. */
export async function traffic(): Promise<readonly Row[]> {
  const folder = await Deno.makeTempDir({ prefix: "sluice-bench-traffic-" });
  const path = `${folder}/traffic.db`;
  try {
    (await TrafficStore.open(path)).close();
    const rows = fill(path);
    const store = await TrafficStore.open(path);
    // Time of the processor: what else runs on the machine is not in it.
    const timed = async (work: () => Promise<unknown>): Promise<number> => {
      const times: number[] = [];
      for (let n = 0; n < 9; n++) {
        const before = process.cpuUsage();
        await work();
        const { user, system } = process.cpuUsage(before);
        times.push((user + system) / 1000);
      }
      return median(times);
    };
    const overview = (minutes: number) =>
      timed(() => store.overview({ ...last(minutes), containers: [] }));
    const found = [
      {
        what: `overview of ${DAYS} days × ${DEVICES} devices, processor`,
        ours: await overview(DAYS * 1440),
        baseline: 50,
        unit: "ms",
        beside: "what it may take",
        aim: 1,
      },
      {
        what: `overview of a day × ${DEVICES} devices, processor`,
        ours: await overview(1440),
        baseline: 50,
        unit: "ms",
        beside: "what it may take",
        aim: 1,
      },
      {
        what: `destinations of a device over ${DAYS} days, processor`,
        ours: await timed(() => store.device({ address: address(0, 1), ...last(DAYS * 1440) })),
        baseline: 50,
        unit: "ms",
        beside: "what it may take",
        aim: 1,
      },
      {
        what: `history by day over ${DAYS} days, processor`,
        ours: await timed(() =>
          store.history({ ...last(DAYS * 1440), country: "AF", asn: null, device: null })
        ),
        baseline: 50,
        unit: "ms",
        beside: "what it may take",
        aim: 1,
      },
      {
        what: `names of 7 days × ${DEVICES} devices, processor`,
        ours: await timed(() => store.names(last(7 * 1440))),
        baseline: 1000,
        unit: "ms",
        beside: "what it may take",
        aim: 1,
      },
      await inserted(store),
      {
        what: `bytes of ${DAYS} days × ${DEVICES} devices`,
        ours: Deno.statSync(path).size / 1e6,
        baseline: rows * 32 / 1e6,
        unit: "MB",
        beside: "as many rows of 32 bytes",
        aim: 1,
      },
      listed(),
    ] satisfies Row[];
    store.close();
    return found;
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

function last(minutes: number): { readonly from: number; readonly to: number } {
  return { from: NOW - minutes * 60_000, to: NOW };
}

function address(kind: number, n: number): string {
  return `${10 + kind}.${n >> 16 & 255}.${n >> 8 & 255}.${n & 255}`;
}

/** Fills a store with days, and with hours of the last two; answers the number of entries. */
function fill(path: string): number {
  const db = new DatabaseSync(path);
  db.exec("PRAGMA synchronous=OFF; BEGIN");
  const device = db.prepare("INSERT INTO devices VALUES (?, ?)");
  for (let n = 1; n <= DEVICES; n++) device.run(n, address(0, n));
  const network = db.prepare("INSERT INTO networks VALUES (?, ?, ?, ?)");
  for (let n = 1; n <= NETWORKS; n++) {
    network.run(n, n, `${"ABCDE"[n % 5]}${"FGHIJ"[n % 7 % 5]}`, `Net ${n}`);
  }
  const remote = db.prepare("INSERT INTO remotes VALUES (?, ?, ?, ?)");
  for (let n = 1; n <= REMOTES; n++) remote.run(n, address(1, n), 1 + n % NETWORKS, 20_000);
  const bucket = db.prepare("INSERT INTO buckets (device, start, hours, data) VALUES (?, ?, ?, ?)");
  let entries = 0;
  const write = (start: number, hours: number, of: typeof HOUR): void => {
    const all = [];
    for (let n = 1; n <= DEVICES; n++) {
      // Some networks are everybody's, most are few ones'.
      const own = spread(
        of.networks,
        (at) => at < 5 ? 1 + at : 1 + (n * 31 + at * 97 + start) % NETWORKS,
      );
      for (const one of own) {
        all.push({ network: one, device: n, in: 1_000_000 + one * n, out: 50_000 + n });
      }
      const destinations = spread(
        of.remotes,
        (at) => 1 + (n * 131 + at * 397 + start * 7) % REMOTES,
      )
        .map((one) => ({
          remote: one,
          name: 0,
          in: 400_000 + one,
          out: 9000,
          seen: start * 3600 + 99,
        }));
      entries += destinations.length;
      bucket.run(n, start, hours, writeDestinations(destinations, start * 3600));
    }
    all.sort((a, b) => a.network - b.network || a.device - b.device);
    entries += all.length;
    bucket.run(0, start, hours, writeNetworks(all));
  };
  const hour = NOW / 3_600_000, today = hour - hour % 24;
  for (let at = today - 24; at <= hour; at++) write(at, 1, HOUR);
  for (let day = 2; day < DAYS; day++) write(today - day * 24, 24, DAY);
  db.exec("COMMIT; PRAGMA wal_checkpoint(TRUNCATE)");
  db.close();
  return entries;
}

function spread(count: number, of: (at: number) => number): readonly number[] {
  return [...new Set(Array.from({ length: count }, (_, at) => of(at)))].sort((a, b) => a - b);
}

/** Minutes of 500 devices with ten addresses each. */
async function inserted(store: TrafficStore): Promise<Row> {
  const rows = Array.from({ length: DEVICES * 10 }, (_, n): NamedTraffic => ({
    device: address(0, 1 + n % DEVICES),
    remote: address(1, 1 + n * 37 % REMOTES),
    ...{
      domain: `host${n % 800}.example.org`,
      asn: 1 + n % NETWORKS,
      network: "Net",
      country: "AF",
    },
    ...{ in: 5000, out: 600 },
  }));
  const start = performance.now();
  for (let n = 0; n < 5; n++) await store.add(`bench.${n}`, NOW, rows);
  return {
    what: "pairs of device and address stored",
    ours: 5 * rows.length / (performance.now() - start) * 1000,
    baseline: rows.length / 60,
    unit: "/s",
    beside: `${rows.length} a minute`,
  };
}

/** A page of the connections that netd follows, as it is answered. */
function listed(): Row {
  const ledger = new FlowLedger();
  for (let n = 0; n < FLOWS; n++) {
    const ports = { protocol: 6, sport: n & 65535, dport: 443, id: 0 };
    const ends = { source: 0xc0a80200 + n % DEVICES, destination: 0x0b000000 + n };
    const original = { ...ports, ...ends };
    const reply = { ...ports, source: ends.destination, destination: 0xcb007102 };
    ledger.begin({ original, reply }, n);
  }
  const start = performance.now();
  const query = {
    addresses: null,
    remotes: null,
    order: "bytes",
    before: null,
    limit: 200,
  } as const;
  JSON.stringify(pageOf(ledger.flows(), query, FLOWS));
  return {
    what: `a page of ${FLOWS} connections, the busiest first`,
    ours: performance.now() - start,
    baseline: 1000,
    unit: "ms",
    beside: "what it may take",
    aim: 1,
  };
}
