import type { Flow } from "../../../core/kernel/host.ts";
import { eachFlow, flowOf, type RawFlow } from "./dump.ts";
import { asNumbers, type FlowLister } from "./lister.ts";
import { type Netlink, openNetlink } from "../netlink.ts";

/** Groups of messages about connections (linux/netfilter/nfnetlink_compat.h). */
const CONNTRACK_NEW = 1;
const CONNTRACK_DESTROY = 3;
/** Milliseconds between two looks at what the kernel told, so that it need not hold much. */
const LOOK = 200;
/**
 * Milliseconds after which the whole table is read anew: of connections from before we listened the
 * kernel does not tell the end.
 */
const ANEW = 10 * 60_000;

/** The connections of this network namespace; null where the kernel does not tell. */
export function openFollowedFlows(lister: FlowLister): FollowedFlows | null {
  const netlink = openNetlink();
  if (netlink.follow(CONNTRACK_NEW, true) && netlink.follow(CONNTRACK_DESTROY, true)) {
    return new FollowedFlows(netlink, lister);
  }
  netlink.close();
  return null;
}

/**
 * Knows the IPv4 connections without asking each time: the kernel walks its whole table for a list,
 * which takes milliseconds however empty it is. It tells of a connection as its first packet passes,
 * so that what is known is whole once these messages are read.
 */
export class FollowedFlows {
  readonly #netlink: Netlink;
  readonly #lister: FlowLister;
  readonly #flows = new Map<string, RawFlow>();
  readonly #timer: ReturnType<typeof setInterval>;
  #reading: Promise<void> | null = null;
  #whole = false;
  #readAt = 0;

  constructor(netlink: Netlink, lister: FlowLister) {
    this.#netlink = netlink;
    this.#lister = lister;
    this.#timer = setInterval(() => this.#look(), LOOK);
  }

  /** Connections with one of the IPv4 addresses at any end. Throws Problem 502. */
  async list(addresses: readonly string[]): Promise<readonly Flow[]> {
    this.#look();
    const old = performance.now() - this.#readAt > ANEW;
    if (this.#reading !== null || !this.#whole || old) await this.#readAnew();
    this.#look();
    // More than the kernel can tell: the table itself is asked.
    if (!this.#whole) return await this.#lister.list(addresses);
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

  /** Takes in what the kernel told. What it tells while the table is read comes after it. */
  #look(): void {
    if (this.#reading !== null) return;
    const whole = this.#netlink.drain((part) =>
      eachFlow(part, (flow, gone) => {
        if (gone) this.#flows.delete(keyOf(flow));
        else this.#flows.set(keyOf(flow), flow);
      })
    );
    if (whole) return;
    // Of those whose end was not heard nobody would clear the memory.
    this.#whole = false;
    this.#flows.clear();
  }

  /** Reads the whole table. Throws Problem 502. */
  #readAnew(): Promise<void> {
    const read = async (): Promise<void> => {
      const flows: RawFlow[] = [];
      const now = performance.now();
      await this.#lister.each((flow) => flows.push(flow));
      this.#flows.clear();
      for (const flow of flows) this.#flows.set(keyOf(flow), flow);
      this.#readAt = now;
      this.#whole = true;
    };
    return this.#reading ??= read().finally(() => this.#reading = null);
  }
}

function keyOf({ original }: RawFlow): string {
  const { protocol, source, sport, destination, dport, id } = original;
  return `${protocol} ${source} ${sport} ${destination} ${dport} ${id}`;
}
