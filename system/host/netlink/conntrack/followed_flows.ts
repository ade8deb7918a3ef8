import type { Flow } from "../../../core/kernel/host.ts";
import { eachFlow, flowOf, type RawFlow } from "./dump.ts";
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
  readonly #flows = new Map<string, RawFlow>();
  readonly #timer: ReturnType<typeof setInterval>;
  #reading: Promise<void> | null = null;
  #isComplete = false;
  #readAt = 0;

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
    this.#poll();
    // Events were lost: read the table itself.
    if (!this.#isComplete) return await this.#lister.list(addresses);
    const wanted = asNumbers(addresses);
    const flows: Flow[] = [];
    for (const raw of this.#flows.values()) {
      const flow = flowOf(raw, wanted);
      if (flow !== null) flows.push(flow);
    }
    return flows;
  }

  async close(): Promise<void> {
    clearInterval(this.#timer);
    await this.#reading?.catch(() => {});
    this.#netlink.close();
  }

  /** Applies queued events. Those that arrive while the table is read are applied after it. */
  #poll(): void {
    if (this.#reading !== null) return;
    const whole = this.#netlink.drain((part) =>
      eachFlow(part, (flow, gone) => {
        if (gone) this.#flows.delete(keyOf(flow));
        else this.#flows.set(keyOf(flow), flow);
      })
    );
    if (whole) return;
    // Connections whose end was missed would stay for ever.
    this.#isComplete = false;
    this.#flows.clear();
  }

  /** Reads the whole table. Throws Problem 502. */
  #reread(): Promise<void> {
    const read = async (): Promise<void> => {
      const flows: RawFlow[] = [];
      const now = performance.now();
      await this.#lister.each((flow) => flows.push(flow));
      this.#flows.clear();
      for (const flow of flows) this.#flows.set(keyOf(flow), flow);
      this.#readAt = now;
      this.#isComplete = true;
    };
    return this.#reading ??= read().finally(() => this.#reading = null);
  }
}

function keyOf({ original }: RawFlow): string {
  const { protocol, source, sport, destination, dport, id } = original;
  return `${protocol} ${source} ${sport} ${destination} ${dport} ${id}`;
}
