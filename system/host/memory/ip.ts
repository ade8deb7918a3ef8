import type {
  AddressFact,
  Capabilities,
  LinkFact,
  NeighbourFact,
  RouteFact,
} from "../../core/kernel/facts.ts";
import type { IpOp } from "../../core/kernel/plan.ts";
import type { IpRule, PolicyRoute } from "../../core/kernel/policy_routing.ts";
import { formatAddress, formatIpv4, parseAddress, parseRange4 } from "../../core/net/net.ts";
import { Problem } from "../../core/errors/problem.ts";
import { ipLine, lineRefused } from "../netlink/route/ip_line.ts";

/** Links, addresses, routes and neighbours of a modelled kernel. */
export interface IpState {
  readonly links: readonly LinkFact[];
  readonly addresses: readonly AddressFact[];
  readonly routes: readonly RouteFact[];
  readonly neighbours: readonly NeighbourFact[];
  readonly policyRouting: readonly PolicyRoute[];
  readonly rules: readonly IpRule[];
}

/** A network as numbers: what routes are compared by. */
interface Net {
  readonly family: 4 | 6;
  readonly first: bigint;
  readonly prefix: number;
}

/** The state after one operation. Throws Problem 502 where `ip` would fail, in its words. */
export function ipStep(state: IpState, op: IpOp, capabilities: Capabilities): IpState {
  const fail = (text: string): Problem => lineRefused(op, text);
  const need = (name: string): LinkFact => {
    const link = state.links.find((one) => one.name === name);
    if (link === undefined) throw fail(`Cannot find device "${name}"`);
    return link;
  };
  // Invalid arguments are refused as on the way to the real kernel.
  if (op.op !== "set-loose-rp-filter") ipLine(op);
  switch (op.op) {
    case "add-link": {
      if (state.links.some((link) => link.name === op.name)) {
        throw fail("File exists");
      }
      if (!capabilities[op.kind]) throw fail("Unknown device type.");
      return { ...state, links: [...state.links, newLink(state, op.name, op.kind)] };
    }
    case "add-vlan": {
      need(op.vlan.parent);
      if (state.links.some((link) => link.name === op.name)) {
        throw fail("File exists");
      }
      if (!capabilities.vlan) throw fail("Unknown device type.");
      return { ...state, links: [...state.links, newLink(state, op.name, "vlan")] };
    }
    case "add-vxlan": {
      if (state.links.some((link) => link.name === op.name)) throw fail("File exists");
      if (!capabilities.vxlan) throw fail("Unknown device type.");
      const { vxlan } = op;
      if (state.links.some((link) => link.vxlan?.id === vxlan.id)) {
        throw fail("A VXLAN device with the specified VNI already exists.");
      }
      return {
        ...state,
        links: [...state.links, { ...newLink(state, op.name, "vxlan"), vxlan }],
      };
    }
    case "set-bridge": {
      const link = need(op.name);
      if (op.bridge !== null) need(op.bridge);
      const { master: _, isolated: __, ...rest } = link;
      const next = op.bridge === null ? rest : { ...rest, master: op.bridge };
      return { ...state, links: state.links.map((one) => one === link ? next : one) };
    }
    case "set-isolated": {
      const link = need(op.name);
      if (link.master === undefined) throw fail("Operation not supported");
      const { isolated: _, ...rest } = link;
      const next = op.isolated ? { ...rest, isolated: true as const } : rest;
      return { ...state, links: state.links.map((one) => one === link ? next : one) };
    }
    case "set-mac": {
      const link = need(op.name);
      const permanentMac = link.permanentMac ?? link.mac;
      const { permanentMac: _, ...rest } = { ...link, mac: op.mac };
      const next = permanentMac === null || permanentMac === op.mac
        ? rest
        : { ...rest, permanentMac };
      return { ...state, links: state.links.map((one) => one === link ? next : one) };
    }
    case "set-mtu": {
      const link = need(op.name);
      if (link.mtu === op.mtu) return state;
      const next = { ...link, mtu: op.mtu };
      return { ...state, links: state.links.map((one) => one === link ? next : one) };
    }
    case "set-loose-rp-filter":
      need(op.name);
      return state;
    case "delete-link": {
      need(op.name);
      const emptied = withoutLink(state, op.name);
      return {
        ...emptied,
        links: state.links.filter((link) => link.name !== op.name && !isPartOf(link, op.name))
          .map((link) => {
            if (link.master !== op.name) return link;
            const { master: _, isolated: __, ...rest } = link;
            return rest;
          }),
        addresses: state.addresses.filter((address) => address.link !== op.name),
      };
    }
    case "replace-policy-route": {
      const { via, table, metric } = op.policyRoute;
      const link = need(op.policyRoute.link);
      if (!link.up) {
        throw fail(
          via === null ? "Device for nexthop is not up." : "Nexthop has invalid gateway.",
        );
      }
      if (via !== null && !isConnected(state, via, link.name)) {
        throw fail("Nexthop has invalid gateway.");
      }
      const others = state.policyRouting.filter((one) =>
        one.table !== table || one.metric !== metric
      );
      return { ...state, policyRouting: [...others, op.policyRoute] };
    }
    case "delete-policy-route": {
      need(op.policyRoute.link);
      const found = state.policyRouting.find((one) => samePolicyRoute(one, op.policyRoute));
      if (found === undefined) throw fail("No such process");
      return { ...state, policyRouting: state.policyRouting.filter((one) => one !== found) };
    }
    case "add-rule":
      if (state.rules.some((one) => sameRule(one, op.rule))) {
        throw fail("File exists");
      }
      return { ...state, rules: [...state.rules, op.rule] };
    case "delete-rule": {
      const found = state.rules.find((one) => sameRule(one, op.rule));
      if (found === undefined) throw fail("No such file or directory");
      return { ...state, rules: state.rules.filter((one) => one !== found) };
    }
    case "set-link": {
      const link = need(op.name);
      if (link.up === op.up) return state;
      const running = op.up && link.kind !== "bridge";
      const links = state.links.map((one) => one === link ? { ...one, up: op.up, running } : one);
      if (!op.up) return { ...withoutLink(state, op.name), links };
      const own = state.addresses.filter((address) => address.link === op.name);
      return own.reduce<IpState>(connect, { ...state, links });
    }
    case "add-address": {
      const link = need(op.link);
      if (op.mayBeThere && hasAddress(state, op)) return claimAddress(state, op);
      if (hasAddress(state, op)) throw fail("ipv4: Address already assigned.");
      const address = { link: op.link, address: op.address, ours: true } as const;
      const next = { ...state, addresses: [...state.addresses, address] };
      return link.up ? connect(next, address) : next;
    }
    case "delete-address":
      need(op.link);
      if (!hasAddress(state, op)) throw fail("ipv4: Address not found.");
      return deleteAddress(state, op);
    case "replace-route": {
      const { destination, via } = op.route;
      const link = need(op.route.link);
      if (!link.up) {
        throw fail(
          via === null ? "Device for nexthop is not up." : "Nexthop has invalid gateway.",
        );
      }
      if (via !== null && !isConnected(state, via, link.name)) {
        throw fail("Nexthop has invalid gateway.");
      }
      if (destination !== "default" && !hostBitsZero(destination)) {
        throw fail("Invalid prefix for given prefix length.");
      }
      const route = { destination, via, link: link.name, protocol: "static" };
      const others = state.routes.filter((one) => !sameDestination(one, route));
      return { ...state, routes: [...others, route] };
    }
    case "delete-route": {
      need(op.route.link);
      const found = state.routes.find((one) =>
        one.destination === op.route.destination && one.link === op.route.link &&
        one.protocol === "static" && (op.route.via === null || one.via === op.route.via)
      );
      if (found === undefined) throw fail("No such process");
      return { ...state, routes: state.routes.filter((one) => one !== found) };
    }
    case "replace-neighbour": {
      need(op.neighbour.link);
      const others = state.neighbours.filter((one) => !sameNeighbour(one, op.neighbour));
      return { ...state, neighbours: [...others, { ...op.neighbour, permanent: true }] };
    }
    case "delete-neighbour": {
      need(op.link);
      if (!state.neighbours.some((one) => sameNeighbour(one, op))) {
        throw fail("No such file or directory");
      }
      return {
        ...state,
        neighbours: state.neighbours.filter((one) => !sameNeighbour(one, op)),
      };
    }
  }
}

/** The interface of the most specific route to an address; `lo` for an own one, null for none. */
export function routeTo(state: IpState, address: string): string | null {
  const target = parseAddress(address);
  if (target === null) return null;
  const own = state.addresses.some((one) => one.address.split("/")[0] === formatAddress(target));
  if (own) return "lo";
  let best: { readonly prefix: number; readonly link: string | null } | null = null;
  for (const route of state.routes) {
    const net = route.destination === "default"
      ? { family: (route.via ?? "").includes(":") ? 6 : 4, first: 0n, prefix: 0 } as const
      : parseNet(route.destination);
    if (net === null || !holds(net, address)) continue;
    if (best === null || net.prefix > best.prefix) best = { prefix: net.prefix, link: route.link };
  }
  return best?.link ?? null;
}

/** A state whose links are up and whose addresses have their connected routes. */
export function connectAll(state: IpState): IpState {
  return state.addresses.reduce(
    (next, address) =>
      state.links.some((link) => link.name === address.link && link.up)
        ? connect(next, address)
        : next,
    state,
  );
}

/** An existing address that is set again belongs to Sluice from then on. */
function claimAddress(state: IpState, address: AddressFact): IpState {
  const addresses = state.addresses.map((one) =>
    sameAddress(one, address) ? { ...one, ours: true } as const : one
  );
  return { ...state, addresses };
}

function samePolicyRoute(a: PolicyRoute, b: PolicyRoute): boolean {
  return a.table === b.table && a.metric === b.metric && a.link === b.link && a.via === b.via;
}

function sameRule(a: IpRule, b: IpRule): boolean {
  return JSON.stringify(a, RULE_FIELDS) === JSON.stringify(b, RULE_FIELDS);
}

const RULE_FIELDS = ["kind", "link", "address", "table"];

/** A VLAN goes with the link that carries it. */
function isPartOf(link: LinkFact, parent: string): boolean {
  return link.kind === "vlan" && link.name.startsWith(`${parent}.`);
}

function newLink(
  state: IpState,
  name: string,
  kind: "dummy" | "bridge" | "vlan" | "vxlan",
): LinkFact {
  const index = Math.max(0, ...state.links.map((link) => link.index)) + 1;
  const mac = `02:00:5e:00:53:${(index & 255).toString(16).padStart(2, "0")}`;
  return { name, index, mac, up: false, running: false, kind };
}

/** Down, a link keeps its addresses and loses its routes and neighbours. */
function withoutLink(state: IpState, name: string): IpState {
  return {
    ...state,
    routes: state.routes.filter((route) => route.link !== name),
    policyRouting: state.policyRouting.filter((route) => route.link !== name),
    neighbours: state.neighbours.filter((neighbour) => neighbour.link !== name),
  };
}

function deleteAddress(state: IpState, gone: AddressFact): IpState {
  const addresses = state.addresses.filter((one) => !sameAddress(one, gone));
  const left = addresses.filter((one) =>
    one.link === gone.link && familyOf(one) === familyOf(gone)
  );
  // With its last address a link loses all its routes and neighbours of that family.
  if (left.length === 0) {
    const of = (text: string): boolean => text.includes(":") === gone.address.includes(":");
    return {
      ...state,
      addresses,
      routes: state.routes.filter((one) =>
        one.link !== gone.link || !of(`${one.destination}${one.via ?? ""}`)
      ),
      policyRouting: state.policyRouting.filter((one) =>
        one.link !== gone.link || !of(one.via ?? "")
      ),
      neighbours: state.neighbours.filter((one) => one.link !== gone.link || !of(one.address)),
    };
  }
  const subnet = subnetOf(gone.address);
  if (left.some((one) => subnetOf(one.address) === subnet)) return { ...state, addresses };
  const routes = state.routes.filter((one) =>
    one.link !== gone.link || one.protocol !== "kernel" || one.destination !== subnet
  );
  return { ...state, addresses, routes };
}

/** Adds the route to the network that an address lies in; a host address has none. */
function connect(state: IpState, address: AddressFact): IpState {
  const net = parseNet(address.address);
  if (net === null || net.prefix === (net.family === 4 ? 32 : 128)) return state;
  const route: RouteFact = {
    destination: subnetOf(address.address),
    via: null,
    link: address.link,
    protocol: "kernel",
  };
  const known = state.routes.some((one) =>
    one.destination === route.destination && one.link === route.link && one.protocol === "kernel"
  );
  return known ? state : { ...state, routes: [...state.routes, route] };
}

function isConnected(state: IpState, via: string, link: string): boolean {
  if (state.addresses.some((one) => one.link === link && isBroadcast(one, via))) return false;
  return state.routes.some((route) => {
    const net = route.link === link && route.via === null ? parseNet(route.destination) : null;
    return net !== null && holds(net, via);
  });
}

/** True for the address that everyone in the network of an IPv4 address takes. */
function isBroadcast({ address }: AddressFact, host: string): boolean {
  const range = parseRange4(address);
  return range !== null && range.prefix < 31 && formatIpv4(range.last) === host;
}

function parseNet(text: string): Net | null {
  const [host = "", length = ""] = text.split("/");
  const address = parseAddress(host);
  if (address === null) return null;
  const bits = address.family === 4 ? 32 : 128;
  const prefix = length === "" ? bits : Number(length);
  const shift = BigInt(bits - prefix);
  return { family: address.family, first: address.value >> shift << shift, prefix };
}

function subnetOf(text: string): string {
  const net = parseNet(text);
  return net === null
    ? text
    : `${formatAddress({ family: net.family, value: net.first })}/${net.prefix}`;
}

function holds(net: Net, text: string): boolean {
  const address = parseAddress(text);
  if (address === null || address.family !== net.family) return false;
  const shift = BigInt((net.family === 4 ? 32 : 128) - net.prefix);
  return address.value >> shift === net.first >> shift;
}

function hostBitsZero(text: string): boolean {
  return parseNet(text)?.first === parseAddress(text.split("/")[0] ?? "")?.value;
}

function hasAddress(state: IpState, wanted: AddressFact): boolean {
  return state.addresses.some((one) => sameAddress(one, wanted));
}

function sameAddress(a: AddressFact, b: AddressFact): boolean {
  return a.link === b.link && a.address === b.address;
}

function familyOf(fact: AddressFact): 4 | 6 {
  return fact.address.includes(":") ? 6 : 4;
}

/** `ip route replace` takes the place of any route to the same network, whatever its link. */
function sameDestination(a: RouteFact, b: RouteFact): boolean {
  return a.destination === b.destination &&
    (a.via ?? "").includes(":") === (b.via ?? "").includes(":");
}

function sameNeighbour(
  a: { readonly address: string; readonly link: string },
  b: { readonly address: string; readonly link: string },
): boolean {
  return a.address === b.address && a.link === b.link;
}
