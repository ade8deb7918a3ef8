import type { Flow } from "../../../core/kernel/host.ts";
import { parseIpv4 } from "../../../core/net/net.ts";
import { Problem } from "../../../core/errors/problem.ts";
import { flowOf, flowsRequest, type RawFlow, readFlows } from "./dump.ts";
import { type Netlink, openNetlink } from "../netlink.ts";

/** A lister for this network namespace. Throws Problem 503. */
export function openFlowLister(): FlowLister {
  return new FlowLister(openNetlink());
}

/**
 * Lists IPv4 connections over a netlink socket of its own, since an answer comes in many parts. One
 * list at a time.
 */
export class FlowLister {
  readonly #netlink: Netlink;
  #last: Promise<unknown> = Promise.resolve();

  constructor(netlink: Netlink) {
    this.#netlink = netlink;
  }

  /** Connections with one of the IPv4 addresses at any end. Throws Problem 502. */
  async list(addresses: readonly string[]): Promise<readonly Flow[]> {
    const wanted = asNumbers(addresses);
    const flows: Flow[] = [];
    await this.each((raw) => {
      const flow = flowOf(raw, wanted);
      if (flow !== null) flows.push(flow);
    });
    return flows;
  }

  /** Passes every IPv4 connection to `take`. Throws Problem 502. */
  each(take: (flow: RawFlow) => void): Promise<void> {
    const next = this.#last.then(() => this.#each(take));
    this.#last = next.catch(() => {});
    return next;
  }

  async close(): Promise<void> {
    await this.#last;
    this.#netlink.close();
  }

  async #each(take: (flow: RawFlow) => void): Promise<void> {
    const sequence = await this.#netlink.send(flowsRequest);
    while (true) {
      const part = readFlows(await this.#netlink.receive(), sequence);
      part.flows.forEach(take);
      if (part.error !== 0) {
        throw new Problem(502, `The kernel lists no connections (error ${part.error})`);
      }
      if (part.done) return;
    }
  }
}

/** IPv4 addresses as numbers; others are left out. */
export function asNumbers(addresses: readonly string[]): ReadonlySet<number> {
  return new Set(addresses.flatMap((text) => parseIpv4(text) ?? []));
}
