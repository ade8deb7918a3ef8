import type { PairTraffic } from "../../../core/kernel/host.ts";
import { formatIpv4 } from "../../../core/net/net.ts";
import type { FlowCounts, RawFlow } from "./dump.ts";

/** Pairs of addresses whose traffic waits to be collected; further ones are left out. */
const MAX_PAIRS = 65_536;
/** First byte of loopback addresses (RFC 1122 3.2.1.3). */
const LOOPBACK = 127;

/** A connection that is followed. */
export interface FollowedFlow extends RawFlow {
  /** Increases with every connection that is met. */
  readonly id: number;
  /** Monotonic milliseconds of its first packet; null: before it was followed. */
  readonly since: number | null;
  /** As of the last look; absent where the kernel does not count it. */
  counts?: FlowCounts;
  /** The dump that last listed it. */
  dump: number;
  /** What a dump listed of a newer connection between the same ports, while the end of this one waits. */
  newer?: FlowCounts;
}

type Waiting = [
  sentPackets: number,
  sentBytes: number,
  receivedPackets: number,
  receivedBytes: number,
];

/**
 * Keeps the connections by what the kernel says of them: that one began or ended, and now and then a
 * dump of all. What their counters grow by is added up by the addresses at both ends, each byte once.
 */
export class FlowLedger {
  readonly #flows = new Map<string, FollowedFlow>();
  #pairs = new Map<string, Waiting>();
  #nextId = 1;
  #dump = 0;
  /** Before the first whole dump, what an unknown connection has counted is of no known time. */
  #hasBaseline = false;
  /** Counted already of connections whose beginning waits behind the end of an older one. */
  readonly #ahead = new Map<string, FlowCounts>();

  /** All connections, the oldest first. */
  flows(): IterableIterator<FollowedFlow> {
    return this.#flows.values();
  }

  get size(): number {
    return this.#flows.size;
  }

  /** A connection began; `now` in monotonic milliseconds. */
  begin(raw: RawFlow, now: number): void {
    const key = keyOf(raw);
    // One that a dump has listed meanwhile is the same: an end would have come before.
    if (this.#flows.has(key)) return;
    const counts = this.#ahead.get(key);
    this.#ahead.delete(key);
    this.#add(key, counts === undefined ? raw : { ...raw, counts }, now);
  }

  /** A connection ended, with its last counters. */
  end(raw: RawFlow): void {
    const key = keyOf(raw);
    const known = this.#flows.get(key);
    if (known !== undefined || this.#hasBaseline) {
      // With less than a dump listed: it listed a newer connection between the same ports.
      const isOlder = isLess(raw.counts, known?.counts);
      this.#count(raw, isOlder ? undefined : known?.counts);
      const newer = isOlder ? known?.counts : known?.newer;
      if (newer !== undefined) this.#ahead.set(key, newer);
    }
    this.#flows.delete(key);
  }

  /** A dump begins: all that {@link listed} passes until {@link endDump}. */
  startDump(): void {
    this.#dump++;
    this.#ahead.clear();
  }

  /** A dump lists a connection. */
  listed(raw: RawFlow): void {
    const key = keyOf(raw);
    const known = this.#flows.get(key);
    if (known === undefined) {
      if (this.#hasBaseline) this.#count(raw, undefined);
      this.#add(key, raw, null);
      return;
    }
    known.dump = this.#dump;
    if (raw.counts === undefined) return;
    const { newer } = known;
    if (newer === undefined && isLess(raw.counts, known.counts)) {
      this.#count(raw, undefined);
      known.newer = raw.counts;
      return;
    }
    // The end of the older one did not come by now: it was lost.
    this.#count(raw, newer ?? known.counts);
    known.counts = raw.counts;
    delete known.newer;
  }

  /**
   * A dump was whole, and the events until then are applied: a connection that it did not list has
   * ended. `since`: monotonic milliseconds at which it began; newer ones may not be in it yet.
   */
  endDump(since: number): void {
    this.#hasBaseline = true;
    for (const [key, flow] of this.#flows) {
      if (flow.dump !== this.#dump && (flow.since ?? -Infinity) < since) this.#flows.delete(key);
    }
  }

  /** The traffic of each pair of addresses since it was taken last. */
  take(): readonly PairTraffic[] {
    const pairs = [...this.#pairs].map(([key, counts]): PairTraffic => {
      const [source, destination, via] = key.split(" ").map(Number) as [number, number, number];
      const router = via === 0 ? "" : formatIpv4(via);
      return [formatIpv4(source), formatIpv4(destination), router, ...counts];
    });
    this.#pairs = new Map();
    return pairs;
  }

  #add(key: string, raw: RawFlow, since: number | null): void {
    const { original, reply, counts } = raw;
    const flow: FollowedFlow = { original, reply, id: this.#nextId++, since, dump: this.#dump };
    if (counts !== undefined) flow.counts = counts;
    this.#flows.set(key, flow);
  }

  #count({ original, reply, counts }: RawFlow, before: FlowCounts | undefined): void {
    if (counts === undefined || original.source >>> 24 === LOOPBACK) return;
    const grown = counts.map((now, at) => {
      const then = before?.[at] ?? 0;
      return now < then ? now : now - then;
    }) as Waiting;
    if (grown.every((value) => value === 0)) return;
    // Ends as they are without translation; between them the address by which one calls the other.
    const via = reply.destination !== original.source
      ? reply.destination
      : original.destination !== reply.source
      ? original.destination
      : 0;
    const key = `${original.source} ${reply.source} ${via}`;
    const waiting = this.#pairs.get(key);
    if (waiting !== undefined) grown.forEach((value, at) => waiting[at]! += value);
    else if (this.#pairs.size < MAX_PAIRS) this.#pairs.set(key, grown);
  }
}

/** Whether a counter is behind another reading of it, which it cannot be for the same connection. */
function isLess(counts: FlowCounts | undefined, than: FlowCounts | undefined): boolean {
  return counts !== undefined && than !== undefined && counts.some((now, at) => now < than[at]!);
}

function keyOf({ original }: RawFlow): string {
  const { protocol, source, sport, destination, dport, id } = original;
  return `${protocol} ${source} ${sport} ${destination} ${dport} ${id}`;
}
