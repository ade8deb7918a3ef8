import type { Flow, LiveFlow, LiveFlows, LiveFlowsQuery } from "../../../core/kernel/host.ts";
import type { PairTraffic } from "../../../core/kernel/host.ts";
import { eachFlow, flowOf, type RawFlow } from "./dump.ts";
import { FlowLedger, type FollowedFlow } from "./flow_ledger.ts";
import { asNumbers, type FlowLister } from "./lister.ts";
import { type Netlink, openNetlink } from "../netlink.ts";

/** Groups of messages about connections (linux/netfilter/nfnetlink_compat.h). */
const CONNTRACK_NEW = 1;
const CONNTRACK_DESTROY = 3;
/** Between two reads of the kernel's events, so that its queue stays short. */
const POLL_INTERVAL_MS = 200;
/**
 * Between two reads of the whole table: the end of connections from before the subscription is not
 * reported.
 */
const REREAD_INTERVAL_MS = 10 * 60_000;
/** Age of the counters of a listed connection from which on the table is read again, for later lists. */
const MAX_COUNTER_AGE_MS = 10_000;

/** The connections of this network namespace; null where the kernel sends no events. */
export function openFollowedFlows(lister: FlowLister): FollowedFlows | null {
  const netlink = openNetlink();
  if (
    netlink.setMembership(CONNTRACK_NEW, true) && netlink.setMembership(CONNTRACK_DESTROY, true)
  ) {
    return new FollowedFlows(netlink, lister);
  }
  netlink.close();
  return null;
}

/**
 * Tracks the IPv4 connections by the kernel's events: for a list, the kernel walks its whole table, which
 * takes milliseconds however empty it is. It reports a connection as its first packet passes, so that
 * the copy is complete once these events are read.
 */
export class FollowedFlows {
  readonly #netlink: Netlink;
  readonly #lister: FlowLister;
  readonly #ledger = new FlowLedger();
  readonly #timer: ReturnType<typeof setInterval>;
  #reading: Promise<void> | null = null;
  #isComplete = false;
  #readAt = -Infinity;

  constructor(netlink: Netlink, lister: FlowLister) {
    this.#netlink = netlink;
    this.#lister = lister;
    this.#timer = setInterval(() => this.#poll(), POLL_INTERVAL_MS);
  }

  /** Connections with one of the IPv4 addresses at any end. Throws Problem 502. */
  async list(addresses: readonly string[]): Promise<readonly Flow[]> {
    this.#poll();
    const old = performance.now() - this.#readAt > REREAD_INTERVAL_MS;
    if (this.#reading !== null || !this.#isComplete || old) await this.#reread();
    // Events were lost: read the table itself.
    if (!this.#isComplete) return await this.#lister.list(addresses);
    const wanted = asNumbers(addresses);
    const flows: Flow[] = [];
    for (const raw of this.#ledger.flows()) {
      const flow = flowOf(raw, wanted);
      if (flow !== null) flows.push(flow);
    }
    return flows;
  }

  /**
   * The traffic of each pair of addresses since it was collected last, by the counters of all
   * connections now: the kernel reports them only when one ends. Throws Problem 502.
   */
  async collect(): Promise<readonly PairTraffic[]> {
    await this.#reread();
    return this.#ledger.take();
  }

  /** Connections that match, with the counters of some seconds before. Throws Problem 502. */
  async page(query: LiveFlowsQuery): Promise<LiveFlows> {
    this.#poll();
    const now = performance.now();
    if (!this.#isComplete) await this.#reread();
    else if (now - this.#readAt > MAX_COUNTER_AGE_MS) void this.#reread().catch(() => {});
    return pageOf(this.#ledger.flows(), query, now);
  }

  async close(): Promise<void> {
    clearInterval(this.#timer);
    await this.#reading?.catch(() => {});
    this.#netlink.close();
  }

  /** Applies queued events. Those that arrive while the table is read are applied after it. */
  #poll(): void {
    if (this.#reading === null) this.#apply();
  }

  #apply(): void {
    const now = performance.now();
    const whole = this.#netlink.drain((part) =>
      eachFlow(part, (flow, gone) => {
        if (gone) this.#ledger.end(flow);
        else this.#ledger.begin(flow, now);
      })
    );
    // Connections whose end was missed stay until the table is read.
    if (!whole) this.#isComplete = false;
  }

  /** Reads the whole table. Throws Problem 502. */
  #reread(): Promise<void> {
    const read = async (): Promise<void> => {
      const began = performance.now();
      this.#ledger.startDump();
      await this.#lister.each((flow: RawFlow) => this.#ledger.listed(flow));
      this.#isComplete = true;
      this.#apply();
      this.#ledger.endDump(began);
      this.#readAt = began;
    };
    return this.#reading ??= read().finally(() => this.#reading = null);
  }
}

/** The matching connections, the newest first or those with the most bytes. */
export function pageOf(
  flows: Iterable<FollowedFlow>,
  query: LiveFlowsQuery,
  now: number,
): LiveFlows {
  const ends = query.addresses === null ? null : asNumbers(query.addresses);
  const remotes = query.remotes === null ? null : asNumbers(query.remotes);
  const found: FollowedFlow[] = [];
  for (const flow of flows) {
    const { original, reply } = flow;
    if (ends !== null && !ends.has(original.source) && !ends.has(reply.source)) continue;
    if (remotes !== null && !remotes.has(original.source) && !remotes.has(reply.source)) continue;
    found.push(flow);
  }
  const items: LiveFlow[] = [];
  const take = (flow: FollowedFlow): void => {
    const shown = flowOf(flow, null);
    if (shown === null) return;
    const { id, since, counts = [0, 0, 0, 0] } = flow;
    items.push({ ...shown, id, seconds: since === null ? null : (now - since) / 1000, counts });
  };
  if (query.order === "bytes") {
    const bytes = ({ counts }: FollowedFlow): number =>
      counts === undefined ? 0 : counts[1] + counts[3];
    for (const flow of found.sort((a, b) => bytes(b) - bytes(a)).slice(0, query.limit)) take(flow);
    return { total: found.length, items };
  }
  for (let at = found.length - 1; at >= 0 && items.length < query.limit; at--) {
    if (found[at]!.id < (query.before ?? Infinity)) take(found[at]!);
  }
  return { total: found.length, items };
}
