import type { AddressEntry, NeighbourEntry } from "../../../core/kernel/inspection.ts";
import type { Facts } from "../../../core/kernel/facts.ts";
import type { LinkBytes } from "../../../core/kernel/host.ts";
import type { IpOp } from "../../../core/kernel/plan.ts";
import { Problem } from "../../../core/errors/problem.ts";
import { lineRefused } from "./ip_line.ts";
import { ipRulesOf, linkFactsOf, neighbourFactsOf, policyRoutesOf, routeFactsOf } from "./facts.ts";
import { interfaceIndex } from "../../sockets/interface_facts.ts";
import { type Netlink, openNetlink, ROUTE } from "../netlink.ts";
import { errorText } from "./errors.ts";
import { AF, BODY, IFLA, MAIN, MESSAGE, NETCONF } from "./constants.ts";
import {
  addressEntries,
  addressFacts,
  carrierUpCounts,
  isIsolatedPort,
  linkBytes,
  linkFlags,
  linkKind,
  linkMac,
  linkMtu,
  linkType,
  permanentMac,
  readAddress,
  readLink,
  type RtAddress,
  type RtLink,
  vxlanOf,
} from "./links.ts";
import { RtLister } from "./lister.ts";
import {
  type Acknowledgement,
  acknowledgementOf,
  attributesOf,
  eachMessage,
  encodeMessage,
  numberOf,
} from "../message.ts";
import { NoSuchLink, opRequest, type RtOp } from "./ops.ts";
import {
  DUMP_ADDRESSES,
  DUMP_LINK_COUNTERS,
  DUMP_LINKS,
  DUMP_NEIGHBOURS,
  DUMP_RULES,
  dumpRoutes,
  FORWARDING,
  linkOf,
  routeTo,
} from "./requests.ts";
import { type LinkName, readNeighbour, readRoute, readRule, routeLink } from "./routes.ts";

/** Options of the socket (linux/netlink.h): capped acknowledgements, error messages, strict requests. */
const CAP_ACK = 10, EXT_ACK = 11, STRICT = 12;
/**
 * The first of so many operations runs off the event loop. A driver that hangs holds the kernel's lock:
 * netd must still be able to report that.
 */
const OPS_BETWEEN_YIELDS = 32;

/** The links are read before all else, which is what waits for a driver that hangs. */
const BEHIND_LINKS = { follows: true } as const;

/** The facts without those of the packet filter. */
type IpFacts = Pick<
  Facts,
  "links" | "addresses" | "carrierUps" | "routes" | "policyRouting" | "neighbours"
>;

/** The kernel's links, addresses, routes and neighbours, without a tool. All calls throw Problem. */
export interface Rtnetlink {
  facts(): Promise<IpFacts>;
  /** True when the kernel forwards IPv4. */
  forwarding(): Promise<boolean>;
  /** Links with their addresses, as `ip -j address show` lists them. */
  addresses(): Promise<readonly AddressEntry[]>;
  /** Neighbours, as `ip -j neighbour show` lists them. */
  neighbours(): Promise<readonly NeighbourEntry[]>;
  /** The link by which the kernel would send to an address; null when it has no route. */
  routeTo(address: string): Promise<string | null>;
  /** What each link carried. */
  linkBytes(): Promise<Readonly<Record<string, LinkBytes>>>;
  /**
   * Applies operations in order and stops at the first that fails; those before it stay. Throws
   * Problem 502 with the equivalent ip(8) command and the kernel's error.
   */
  apply(ops: readonly RtOp[]): Promise<void>;
  close(): Promise<void>;
}

/** Opens it for this network namespace. Throws Problem 503. */
export function openRtnetlink(): Rtnetlink {
  const queries = openNetlink(ROUTE);
  const changes = openNetlink(ROUTE);
  // An older kernel does not filter lists; what is read is filtered anyway.
  queries.option(STRICT);
  for (const socket of [queries, changes]) {
    for (const name of [CAP_ACK, EXT_ACK]) socket.option(name);
  }
  return new SocketRtnetlink(queries, changes);
}

class SocketRtnetlink implements Rtnetlink {
  readonly #lister: RtLister;
  readonly #changes: Netlink;
  #last: Promise<unknown> = Promise.resolve();

  constructor(queries: Netlink, changes: Netlink) {
    this.#lister = new RtLister(queries);
    this.#changes = changes;
  }

  async facts(): Promise<IpFacts> {
    const links = await this.#links();
    const name = names(links);
    const addresses = await this.#addresses();
    const four = await this.#routes(AF.inet, name);
    const six = await this.#routes(AF.inet6, name, MAIN);
    const rules = await this.#lister.list(
      DUMP_RULES,
      ({ type, payload }) => type === MESSAGE.newRule ? readRule(payload) : null,
      BEHIND_LINKS,
    );
    return {
      links: linkFactsOf(links.map((link) => linkEntry(link, name))),
      addresses: addressFacts(links, addresses),
      carrierUps: carrierUpCounts(links),
      routes: [...routeFactsOf(four), ...routeFactsOf(six)],
      policyRouting: { routes: policyRoutesOf(four), rules: ipRulesOf(rules) },
      neighbours: neighbourFactsOf(await this.#neighbours(name)),
    };
  }

  async forwarding(): Promise<boolean> {
    const value = await this.#lister.query(
      FORWARDING,
      ({ type, payload }) =>
        type === MESSAGE.newNetconf
          ? numberOf(attributesOf(payload, BODY.netconf)[NETCONF.forwarding])
          : null,
    );
    if (typeof value === "number") return value !== 0;
    throw forwardingUnknown(value);
  }

  async addresses(): Promise<readonly AddressEntry[]> {
    const links = await this.#links();
    return addressEntries(links, await this.#addresses());
  }

  async neighbours(): Promise<readonly NeighbourEntry[]> {
    const links = await this.#links();
    return await this.#neighbours(names(links));
  }

  async linkBytes(): Promise<Readonly<Record<string, LinkBytes>>> {
    const links = await this.#lister.list(
      DUMP_LINK_COUNTERS,
      ({ type, payload }) => type === MESSAGE.newLink ? readLink(payload) : null,
    );
    return Object.fromEntries(links.flatMap((link) => {
      const bytes = linkBytes(link);
      return bytes === null ? [] : [[link.name, bytes] as const];
    }));
  }

  async routeTo(address: string): Promise<string | null> {
    const request = routeTo(address);
    if (request === null) throw new Problem(400, `${JSON.stringify(address)} is no IP address`);
    const index = await this.#lister.query(
      request,
      ({ type, payload }) => type === MESSAGE.newRoute ? routeLink(payload) : null,
    );
    // Without a route the kernel answers an error.
    if (typeof index !== "number") return null;
    const link = await this.#lister.query(
      linkOf(index),
      ({ type, payload }) => type === MESSAGE.newLink ? readLink(payload) : null,
    );
    return link !== null && "name" in link ? link.name : null;
  }

  apply(ops: readonly RtOp[]): Promise<void> {
    const next = this.#last.then(async () => {
      for (const [position, op] of ops.entries()) {
        await this.#change(op, position % OPS_BETWEEN_YIELDS === 0);
      }
    });
    this.#last = next.catch(() => {});
    return next;
  }

  async close(): Promise<void> {
    await Promise.all([this.#lister.close(), this.#last]);
    this.#changes.close();
  }

  async #change(op: RtOp, async: boolean): Promise<void> {
    const request = requestOf(op);
    const message = (sequence: number): Uint8Array<ArrayBuffer> => encodeMessage(request, sequence);
    const ack = async
      ? await this.#changes.requestAsync(message, acknowledgementIn)
      : this.#changes.request(message, acknowledgementIn);
    if (ack.error !== 0) throw lineRefused(op, errorText(ack));
  }

  #links(): Promise<readonly RtLink[]> {
    return this.#lister.list(
      DUMP_LINKS,
      ({ type, payload }) => type === MESSAGE.newLink ? readLink(payload) : null,
    );
  }

  #addresses(): Promise<readonly RtAddress[]> {
    return this.#lister.list(
      DUMP_ADDRESSES,
      ({ type, payload }) => type === MESSAGE.newAddress ? readAddress(payload) : null,
      BEHIND_LINKS,
    );
  }

  #routes(family: number, name: LinkName, table?: number) {
    return this.#lister.list(
      dumpRoutes(family, table),
      ({ type, payload }) =>
        type === MESSAGE.newRoute ? readRoute(payload, { family, name }) : null,
      BEHIND_LINKS,
    );
  }

  #neighbours(name: LinkName): Promise<readonly NeighbourEntry[]> {
    return this.#lister.list(
      DUMP_NEIGHBOURS,
      ({ type, payload }) => type === MESSAGE.newNeighbour ? readNeighbour(payload, name) : null,
      BEHIND_LINKS,
    );
  }
}

/** A link in the form of `ip -j -d link show`, as far as the facts need it. */
function linkEntry(link: RtLink, nameOf: LinkName): Parameters<typeof linkFactsOf>[0][number] {
  const mac = linkMac(link);
  const permanent = permanentMac(link);
  const kind = linkKind(link);
  const master = numberOf(link.attributes[IFLA.master]);
  const vxlan = vxlanOf(link);
  return {
    ifname: link.name,
    ifindex: link.index,
    flags: [...linkFlags(link)],
    link_type: linkType(link),
    mtu: linkMtu(link),
    ...(mac === null ? {} : { address: mac }),
    ...(permanent === null ? {} : { permaddr: permanent }),
    ...(kind === null ? {} : { linkinfo: { info_kind: kind } }),
    ...(master === null ? {} : { master: nameOf(master) }),
    ...(isIsolatedPort(link) ? { isolated: true } : {}),
    ...(vxlan === null ? {} : { vxlan }),
  };
}

function names(links: readonly RtLink[]): LinkName {
  const byIndex = new Map(links.map(({ index, name }) => [index, name]));
  return (index) => byIndex.get(index) ?? `if${index}`;
}

function requestOf(op: RtOp): ReturnType<typeof opRequest> {
  try {
    return opRequest(op, interfaceIndex);
  } catch (error) {
    throw error instanceof NoSuchLink ? lineRefused(op, error.message) : error;
  }
}

/** The acknowledgement of this request in a part; null when there is none. */
function acknowledgementIn(part: Uint8Array, sequence: number): Acknowledgement | null {
  let ack: Acknowledgement | null = null;
  eachMessage(part, (message) => {
    if (message.sequence === sequence) ack = acknowledgementOf(message);
    return ack !== null;
  });
  return ack;
}

function forwardingUnknown(value: Acknowledgement | null): Problem {
  return new Problem(
    502,
    `The kernel does not say whether it forwards: ${
      value === null ? "no answer" : errorText(value)
    }`,
  );
}

/** True for an operation that is done by rtnetlink. */
export function isRtOp(op: IpOp): op is RtOp {
  return op.op !== "set-loose-rp-filter";
}
