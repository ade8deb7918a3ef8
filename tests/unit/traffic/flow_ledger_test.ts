import assert from "node:assert/strict";
import fc from "fast-check";
import type { RawFlow } from "../../../system/host/netlink/conntrack/dump.ts";
import { eachFlow } from "../../../system/host/netlink/conntrack/dump.ts";
import { FlowLedger } from "../../../system/host/netlink/conntrack/flow_ledger.ts";
import { pageOf } from "../../../system/host/netlink/conntrack/followed_flows.ts";
import { TrafficBatches } from "../../../system/host/netlink/conntrack/traffic_batches.ts";

const DEVICE = 0xc0a80206, REMOTE = 0xc6336407, ROUTER = 0xcb007102;

function flow(sport: number, bytes?: number): RawFlow {
  const ports = { protocol: 6, sport, dport: 443, id: 0 };
  return {
    original: { ...ports, source: DEVICE, destination: REMOTE },
    reply: { ...ports, source: REMOTE, destination: ROUTER },
    ...(bytes === undefined ? {} : { counts: [1, bytes, 0, 0] as const }),
  };
}

/** What happens in a kernel of four connections, and when netd looks. */
const happening = fc.array(
  fc.oneof(
    fc.record({ kind: fc.constantFrom("open", "close"), port: fc.nat(3) }),
    fc.record({
      kind: fc.constant("send"),
      port: fc.nat(3),
      bytes: fc.integer({ min: 1, max: 9 }),
    }),
    fc.constant({ kind: "poll" as const }),
    fc.constant({ kind: "dump" as const }),
    fc.constant({ kind: "take" as const }),
  ),
  { maxLength: 60 },
);

Deno.test("each byte of a connection is counted once, whatever comes between events and dumps", () => {
  fc.assert(fc.property(happening, happening, (before, after) => {
    const kernel = new Map<number, number>();
    let events: (() => void)[] = [];
    let ledger: FlowLedger | null = null;
    let sent = 0, counted = 0, now = 0;
    const poll = () => {
      events.forEach((event) => event());
      events = [];
    };
    const dump = () => {
      const began = now;
      ledger?.startDump();
      for (const [port, bytes] of kernel) ledger?.listed(flow(port, bytes));
      poll();
      ledger?.endDump(began);
    };
    const take = () => {
      for (const [source, destination, via, , bytes] of ledger?.take() ?? []) {
        assert.deepEqual([source, destination, via], [
          "192.168.2.6",
          "198.51.100.7",
          "203.0.113.2",
        ]);
        counted += bytes;
      }
    };
    const run = (step: { kind: string; port?: number; bytes?: number }) => {
      now++;
      const { kind, port = 0, bytes = 0 } = step;
      const at = now;
      if (kind === "open" && !kernel.has(port)) {
        kernel.set(port, 0);
        events.push(() => ledger?.begin(flow(port), at));
      } else if (kind === "send" && kernel.has(port)) {
        kernel.set(port, kernel.get(port)! + bytes);
        if (ledger !== null) sent += bytes;
      } else if (kind === "close" && kernel.has(port)) {
        const last = kernel.get(port)!;
        kernel.delete(port);
        events.push(() => ledger?.end(flow(port, last)));
      } else if (kind === "poll") poll();
      else if (kind === "dump") dump();
      else if (kind === "take") take();
    };
    before.forEach(run);
    events = [];
    ledger = new FlowLedger();
    dump();
    after.forEach(run);
    dump();
    take();
    assert.equal(counted, sent);
    assert.equal(ledger.size, kernel.size);
  }));
});

Deno.test("a connection that a dump lists before its first event is counted once", () => {
  const ledger = new FlowLedger();
  ledger.startDump();
  ledger.endDump(0);
  ledger.startDump();
  ledger.listed(flow(1, 100));
  ledger.begin(flow(1), 5);
  ledger.end(flow(1, 120));
  ledger.endDump(4);
  assert.equal(ledger.take()[0]?.[4], 120);
  assert.equal(ledger.size, 0);
});

Deno.test("a connection between the ports of one whose end was not read is counted apart", () => {
  const counted = (first: number, last: number, newer: number): number => {
    const ledger = new FlowLedger();
    ledger.startDump();
    ledger.endDump(0);
    ledger.begin(flow(1), 1);
    ledger.startDump();
    ledger.listed(flow(1, first));
    ledger.endDump(2);
    // Both have happened when the next dump begins, and are read after it.
    ledger.startDump();
    ledger.listed(flow(1, newer));
    ledger.end(flow(1, last));
    ledger.begin(flow(1), 4);
    ledger.endDump(3);
    ledger.end(flow(1, newer));
    return ledger.take().reduce((sum, [, , , , bytes]) => sum + bytes, 0);
  };
  fc.assert(fc.property(fc.nat(9), fc.nat(9), fc.nat(9), (first, more, newer) => {
    assert.equal(counted(first, first + more, newer), first + more + newer);
  }));
});

Deno.test("a batch comes again until it is acknowledged, and another netd's is not", async () => {
  let pairs = 0;
  const take = () =>
    Promise.resolve([["192.168.2.6", "198.51.100.7", "", 1, ++pairs, 0, 0]] as const);
  const batches = new TrafficBatches("one");
  const first = await batches.next(null, take);
  assert.equal(await batches.next(null, take), first);
  assert.equal(await batches.next("other.1", take), first);
  const second = await batches.next(first.id, take);
  assert.notEqual(second.id, first.id);
  assert.deepEqual(second.pairs[0]?.[4], 2);
});

Deno.test("a page goes on where the last one ended, and filters by both ends", () => {
  const ledger = new FlowLedger();
  for (let port = 1; port <= 10; port++) {
    ledger.begin(flow(port), 1000);
    ledger.listed(flow(port, port * (port % 2 === 0 ? 100 : 1)));
  }
  const query = {
    addresses: null,
    remotes: null,
    order: "newest",
    before: null,
    limit: 4,
  } as const;
  const first = pageOf(ledger.flows(), query, 3000);
  assert.deepEqual(first.items.map(({ sport }) => sport), [10, 9, 8, 7]);
  assert.deepEqual([first.total, first.items[0]?.seconds], [10, 2]);
  const next = pageOf(ledger.flows(), { ...query, before: first.items.at(-1)!.id }, 3000);
  assert.deepEqual(next.items.map(({ sport }) => sport), [6, 5, 4, 3]);
  const busy = pageOf(ledger.flows(), { ...query, order: "bytes", limit: 2 }, 3000);
  assert.deepEqual(busy.items.map(({ sport }) => sport), [10, 8]);
  const of = (addresses: readonly string[] | null, remotes: readonly string[] | null) =>
    pageOf(ledger.flows(), { ...query, addresses, remotes }, 3000).total;
  assert.deepEqual(of(["192.168.2.6"], ["198.51.100.7"]), 10);
  assert.deepEqual(of(["192.168.2.10"], null), 0);
  assert.deepEqual(of(["192.168.2.6"], []), 0);
});

Deno.test("counters of a message are read in both directions", () => {
  const u64 = (value: number) => [0, 0, 0, 0, 0, 0, value >> 8, value & 255];
  const attribute = (type: number, body: readonly number[]): number[] => [
    ...[4 + body.length & 255, 0, type & 255, type >> 8],
    ...body,
    ...Array<number>((4 - body.length % 4) % 4).fill(0),
  ];
  const tuple = (type: number) =>
    attribute(type, [
      ...attribute(1, [...attribute(1, [192, 168, 2, 6]), ...attribute(2, [198, 51, 100, 7])]),
      ...attribute(2, attribute(1, [1])),
    ]);
  const counters = (type: number, packets: number, bytes: number) =>
    attribute(type, [...attribute(1, u64(packets)), ...attribute(2, u64(bytes))]);
  const body = [
    2,
    0,
    0,
    0,
    ...tuple(1),
    ...tuple(2),
    ...counters(9, 3, 300),
    ...counters(10, 2, 515),
  ];
  const bytes = new Uint8Array(16 + body.length);
  new DataView(bytes.buffer).setUint32(0, bytes.length, true);
  new DataView(bytes.buffer).setUint16(4, 0x102, true);
  bytes.set(body, 16);
  const found: unknown[] = [];
  eachFlow(bytes, ({ counts }, gone) => found.push(counts, gone));
  assert.deepEqual(found, [[3, 300, 2, 515], true]);
});
