import { EVERYWHERE, parsePorts, type PortInterval } from "../address_schema.ts";
import { net, PortSet } from "../sets/regions.ts";
import { contradiction } from "../rules.ts";
import { forwardedPort } from "../own_ports.ts";
import type { Firewall } from "../schema.ts";
import type { MeshPort } from "../../mesh/network.ts";
import { blockIndex } from "./blocks.ts";
import { portsMeet, portsWithin, type Region } from "./cover.ts";
import { each, enabled, finding, type Listed, nameOf } from "./report.ts";
import type { LintFinding } from "./schema.ts";

type Forward = Listed<"ForwardingRules">;

/** A port on which a VPN tunnel or the mesh listens. */
type OwnPort = MeshPort;

/**
 * Forwards that never match, lead two ways, or lead to where a block stands; and ports behind them. Yields
 * after each small step.
 */
export function* lintForwards(
  firewall: Firewall,
  own: readonly OwnPort[],
): Generator<void, readonly LintFinding[]> {
  const forwards = enabled(firewall, "ForwardingRules");
  return [
    ...yield* amongThemselves(forwards),
    ...yield* behindBlocks(firewall, forwards),
    ...servicePorts(firewall, forwards),
    ...ownPorts(own, forwards),
  ];
}

function width({ rule }: Forward): number {
  const [low, high] = parsePorts(rule.SrcPort);
  return high - low;
}

/** A forward with the ports that it takes. */
interface Taken {
  readonly one: Forward;
  readonly ports: PortInterval;
}

/** Forwards for the same callers and address: fewer ports go first, then the order of the list. */
function* amongThemselves(forwards: readonly Forward[]): Generator<void, readonly LintFinding[]> {
  const alike = Map.groupBy(
    forwards,
    ({ rule }) => `${rule.Protocol} ${rule.SrcIP} ${[...new Set(rule.From)].sort().join(",")}`,
  );
  const found: LintFinding[] = [];
  for (const group of alike.values()) {
    const taken = new PortSet();
    const before: Taken[] = [];
    const inOrder = group.toSorted((a, b) => width(a) - width(b) || a.index - b.index);
    found.push(
      ...yield* each(inOrder, (one) => {
        const ports = parsePorts(one.rule.SrcPort);
        const mine = { one, ports };
        const problem = taken.covers(ports) ? shadow(mine, before) : opposite(mine, before);
        taken.add(ports);
        before.push(mine);
        return problem;
      }),
    );
  }
  return found;
}

function shadow({ one, ports }: Taken, before: readonly Taken[]): readonly LintFinding[] {
  const { one: other, ports: theirs } = before.find((taken) => portsMeet(taken.ports, ports))!;
  const alone = portsWithin(ports, theirs);
  const same = alone && other.rule.DstIP === one.rule.DstIP &&
    contradiction(one.rule, [other.rule]) === undefined;
  return [
    finding(same ? "duplicate" : "shadowed", one, {
      other,
      remove: true,
      text: same
        ? `${nameOf(other)} leads these ports to the same place`
        : `${nameOf(other)}${alone ? "" : " and others"} lead${alone ? "s" : ""} all of these ` +
          "ports elsewhere first",
    }),
  ];
}

function opposite({ one, ports }: Taken, before: readonly Taken[]): readonly LintFinding[] {
  // Each is compared with all before it: only those are looked at closely that can meet it.
  const found = before.find((taken) =>
    portsMeet(taken.ports, ports) && contradiction(one.rule, [taken.one.rule]) !== undefined
  );
  if (found === undefined) return [];
  const { one: other } = found;
  const text = `${nameOf(other)} leads some of the same ports elsewhere`;
  return [finding("contradiction", one, { other, text })];
}

function* behindBlocks(
  firewall: Firewall,
  forwards: readonly Forward[],
): Generator<void, readonly LintFinding[]> {
  const outright = blockIndex(enabled(firewall, "BlockRules"));
  const passing = blockIndex(enabled(firewall, "ForwardingBlockRules"));
  yield;
  return yield* each(forwards, (one) => {
    const { rule } = one;
    const callers = rule.From.length > 0 ? rule.From : [EVERYWHERE];
    const regions = (to: string, ports: string): readonly Region[] =>
      callers.map((from) => ({
        nets: [net(from), net(to)],
        protocol: rule.Protocol,
        ports: parsePorts(ports),
      }));
    const all = <T>(found: readonly (T | undefined)[]): T | undefined =>
      found.every((other) => other !== undefined) ? found[0] : undefined;
    const first = all(regions(rule.SrcIP, rule.SrcPort).map((region) => outright.covering(region)));
    if (first) {
      return [finding("shadowed", one, {
        other: first,
        remove: true,
        text: `${nameOf(first)} blocks everyone whom this forward is for, before it is looked at`,
      })];
    }
    const to = rule.DstPort === "any" ? rule.SrcPort : rule.DstPort;
    const then = all(regions(rule.DstIP, to).map((region) => passing.covering(region)));
    if (!then) return [];
    const text = `${nameOf(then)} blocks the place that this forward leads to`;
    return [finding("contradiction", one, { other: then, text })];
  });
}

/** Forwards that lead such a port away, as an undo or an edited file may bring. */
function ownPorts(
  own: readonly OwnPort[],
  forwards: readonly Forward[],
): readonly LintFinding[] {
  return forwards.flatMap((one) => {
    const taken = own.find(({ protocol, port }) =>
      forwardedPort([one.rule], protocol, port) !== undefined
    );
    return taken === undefined ? [] : [finding("contradiction", one, {
      text:
        `${taken.name} listens on ${taken.protocol.toUpperCase()} port ${taken.port}, which this ` +
        "forward leads away, so nobody can connect",
    })];
  });
}

/** Ports of the router that are open on the WAN, but forwarded to a LAN device. */
function servicePorts(firewall: Firewall, forwards: readonly Forward[]): readonly LintFinding[] {
  const named = forwards.filter(({ rule }) =>
    rule.Protocol === "tcp" && rule.SrcIP === EVERYWHERE && rule.From.length === 0 &&
    // A forward of every port leaves the router's own alone.
    rule.SrcPort !== "any" && rule.SrcPort !== "0-65535"
  );
  return enabled(firewall, "ServicePorts").flatMap((one) => {
    if (!one.rule.UpstreamEnabled) return [];
    const port = parsePorts(one.rule.Port);
    const other = named.find(({ rule }) => portsWithin(port, parsePorts(rule.SrcPort)));
    if (!other) return [];
    const text = `${nameOf(other)} leads what uplinks open to port ${one.rule.Port} on, so the ` +
      "router itself never answers there";
    return [finding("contradiction", one, { other, text })];
  });
}
