import { formatIpv4, parseIpv4 } from "../core/net/net.ts";
import { type Datagram, MAX_PAYLOAD } from "./datagram.ts";
import type { RelayPlan } from "./schema.ts";

/** A received datagram. */
export interface Arrival {
  readonly link: string;
  readonly datagram: Datagram;
}

/** Where a datagram is sent on. */
export interface RelayTarget {
  readonly link: string;
  /** The group, or one device where an interface has no multicast. */
  readonly destination: number;
}

/** True for one of the router's own addresses. */
export function isOwnAddress(plan: RelayPlan, source: number): boolean {
  const text = formatIpv4(source);
  return plan.links.some(({ addresses }) => addresses.includes(text));
}

/**
 * Where a datagram goes: to every other interface of the plan that has an admitted device, with tags only
 * to those that have one with such a tag. Nowhere when it is not from an admitted device of the interface
 * that it arrived on, is no datagram of an enabled group, is our own, or is too large.
 */
export function relayTargets(plan: RelayPlan, { link, datagram }: Arrival): readonly RelayTarget[] {
  const { source, destination, port, payload } = datagram;
  const address = formatIpv4(destination);
  const group = plan.groups.find((one) => one.address === address && one.port === port);
  if (group === undefined || payload.length > MAX_PAYLOAD || isOwnAddress(plan, source)) return [];
  const from = plan.links.find(({ name }) => name === link);
  if (from === undefined || !from.senders.includes(formatIpv4(source))) return [];
  return plan.links
    .filter(({ senders }) => senders.length > 0)
    .filter(({ tags }) => group.tags.length === 0 || group.tags.some((tag) => tags.includes(tag)))
    .flatMap((to): readonly RelayTarget[] => {
      if (to.peers.length > 0) {
        return to.peers.map((peer) => ({ link: to.name, destination: parseIpv4(peer)! }))
          .filter((repeat) => repeat.destination !== source);
      }
      return to.name === link ? [] : [{ link: to.name, destination }];
    });
}
