import type { Flow } from "../core/kernel.ts";
import { readFlows } from "./flow_dump.ts";
import { asNumbers, type FlowLister } from "./flow_lister.ts";
import { type Netlink, openNetlink } from "./netlink.ts";

/** Group of messages about connections that begin (linux/netfilter/nfnetlink_compat.h). */
const CONNTRACK_NEW = 1;
/** Milliseconds for which a gathering waits to be asked for. */
const KEPT = 5000;

interface Gathering {
  readonly addresses: string;
  /** Null when the list could not be had. */
  readonly listed: Promise<readonly Flow[] | null>;
  readonly timer: ReturnType<typeof setTimeout>;
}

/** Gatherings for this network namespace; null where the libraries may not be loaded. */
export function openFlowGatherings(lister: FlowLister): FlowGatherings | null {
  const netlink = openNetlink();
  return netlink === null ? null : new FlowGatherings(netlink, lister);
}

/**
 * Lists connections before a change, while others are at work, and adds what began since: walking the
 * kernel's table takes milliseconds, however empty it is. The kernel tells of a connection as soon as
 * its first packet went through, so that nothing is missed once the change stands.
 */
export class FlowGatherings {
  readonly #netlink: Netlink;
  readonly #lister: FlowLister;
  #current: Gathering | null = null;

  constructor(netlink: Netlink, lister: FlowLister) {
    this.#netlink = netlink;
    this.#lister = lister;
  }

  /** Begins to gather the connections of these IPv4 addresses, in place of any others. */
  begin(addresses: readonly string[]): void {
    this.#end();
    if (!this.#netlink.follow(CONNTRACK_NEW, true)) return;
    this.#current = {
      addresses: addresses.join(),
      listed: this.#lister.list(addresses).catch(() => null),
      timer: setTimeout(() => this.#end(), KEPT),
    };
  }

  /** What was gathered of exactly these addresses until now; null when it must be listed anew. */
  async finish(addresses: readonly string[]): Promise<readonly Flow[] | null> {
    const gathering = this.#current;
    if (gathering?.addresses !== addresses.join()) return null;
    const listed = await gathering.listed;
    if (listed === null || this.#current !== gathering) return null;
    const wanted = asNumbers(addresses);
    const begun: Flow[] = [];
    const whole = this.#netlink.drain((part) => begun.push(...readFlows(part, 0, wanted).flows));
    this.#end();
    return whole ? once([...listed, ...begun]) : null;
  }

  close(): void {
    this.#end();
    this.#netlink.close();
  }

  #end(): void {
    if (this.#current === null) return;
    clearTimeout(this.#current.timer);
    this.#current = null;
    this.#netlink.follow(CONNTRACK_NEW, false);
    this.#netlink.drain(() => {});
  }
}

/** Each connection once. */
function once(flows: readonly Flow[]): readonly Flow[] {
  return [...new Map(flows.map((flow) => [JSON.stringify(flow), flow])).values()];
}
