import type { Config } from "../config.ts";
import { conflict, notFound, Problem, sentence } from "../core/errors/problem.ts";
import { meshPorts } from "../mesh/network.ts";
import { openPorts } from "../wireguard/plan.ts";
import { forwardedPort } from "./own_ports.ts";
import { contentOf, type RuleList, type RuleLists, type RuleOf } from "./rule_kinds.ts";
import { forwardRegions, shiftedPorts, type Target } from "./sets/forward_sets.ts";
import { type ForwardingRule, type IcmpOptions, MAX_RULES, MAX_SHIFTED_PORTS } from "./schema.ts";
import { parseRange4 } from "../core/net/net.ts";
import { parsePorts, type PortInterval } from "./address_schema.ts";
import type { HeaderRegion } from "./sets/regions.ts";

function withList<L extends RuleList>(config: Config, name: L, list: readonly RuleOf<L>[]): Config {
  return { ...config, firewall: { ...config.firewall, [name]: list } };
}

/** What is shown, and whether the rule is on, as one text. */
function sameText(a: object, b: object): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}

/** Keeps the way in which a rule was first written; what is said beside it is taken from the new. */
function updated<L extends RuleList>(name: L, old: RuleOf<L>, rule: RuleOf<L>): RuleOf<L> {
  if (!("Disabled" in old) || !("RuleName" in rule) || name === "Endpoints") return rule;
  const { RuleName, Description, Disabled } = rule;
  return { ...old, RuleName, Description, Disabled };
}

/**
 * Adds a rule. One that says the same is there once: the new name, description and `Disabled` take
 * the place of the old ones; a service port, multicast port or endpoint is known by its port or name.
 * Returns the same configuration when nothing changes. Throws Problem 409.
 */
export function putRule<L extends RuleList>(
  config: Config,
  name: L,
  rule: RuleOf<L>,
): [Config, void] {
  const list: readonly RuleOf<L>[] = (config.firewall as RuleLists)[name];
  const content = contentOf(name, rule);
  const at = list.findIndex((one) => contentOf(name, one) === content);
  if (at < 0) {
    if (list.length >= MAX_RULES) {
      throw conflict(
        sentence("There are already {limit} rules of this kind, which is the maximum", {
          limit: MAX_RULES,
        }),
      );
    }
    return [withList(config, name, [...list, rule]), undefined];
  }
  const next = updated(name, list[at]!, rule);
  if (sameText(list[at]!, next)) return [config, undefined];
  return [withList(config, name, list.with(at, next)), undefined];
}

/** Takes a rule away that says the same, whatever it is called. Throws Problem 404. */
export function deleteRule<L extends RuleList>(
  config: Config,
  name: L,
  content: string,
): [Config, void] {
  const list: readonly RuleOf<L>[] = (config.firewall as RuleLists)[name];
  const kept = list.filter((one) => contentOf(name, one) !== content);
  if (kept.length === list.length) throw notFound("There is no such rule");
  return [withList(config, name, kept), undefined];
}

/**
 * Adds or updates a forward. Throws Problem 409 when it would lead a port elsewhere that another
 * forward, no more and no less special, leads away already, or one on which a VPN tunnel or a link of the
 * mesh listens.
 */
export function putForward(config: Config, rule: ForwardingRule): [Config, void] {
  const [next] = putRule(config, "ForwardingRules", rule);
  if (next === config || rule.Disabled) return [next, undefined];
  const content = contentOf("ForwardingRules", rule);
  const others = config.firewall.ForwardingRules
    .filter((one) => contentOf("ForwardingRules", one) !== content);
  const other = contradiction(rule, others);
  if (other) {
    const named = other.RuleName === "" ? "" : ` (${other.RuleName})`;
    throw conflict(
      `${other.SrcIP} port ${other.SrcPort} leads to ${other.DstIP} already${named}; ` +
        "delete or disable that forward first",
      { rule: other },
    );
  }
  const taken = [
    ...openPorts(config.wireguard).map((one) => ({
      ...one,
      ...{ protocol: "udp" as const, remedy: ", or choose another for the VPN" },
    })),
    ...meshPorts(config.mesh).map((one) => ({ ...one, remedy: "" })),
  ].find(({ protocol, port }) => forwardedPort([rule], protocol, port) !== undefined);
  if (taken !== undefined) {
    const { name, protocol, port, remedy } = taken;
    const message =
      `${name} listens on ${protocol.toUpperCase()} port ${port}; leave that port out of ` +
      `the forward${remedy}`;
    throw new Problem(409, message, { errors: [{ pointer: "/SrcPort", message }] });
  }
  const shifted = next.firewall.ForwardingRules.reduce((sum, one) => sum + shiftedPorts(one), 0);
  if (shifted > MAX_SHIFTED_PORTS) {
    throw conflict(
      sentence(
        "Forwards may move {limit} ports to others in all; use the same ports on both sides",
        { limit: MAX_SHIFTED_PORTS },
      ),
    );
  }
  return [next, undefined];
}

/** Whether the router answers pings from home and from uplinks. */
export function setIcmp(config: Config, { PingLan, PingWan }: IcmpOptions): [Config, void] {
  const { firewall } = config;
  if (firewall.PingLan === PingLan && firewall.PingWan === PingWan) return [config, undefined];
  return [{ ...config, firewall: { ...firewall, PingLan, PingWan } }, undefined];
}

function overlap(a: PortInterval, b: PortInterval): boolean {
  return a[0] <= b[1] && b[0] <= a[1];
}

function sameNets(a: HeaderRegion<unknown>, b: HeaderRegion<unknown>): boolean {
  return a.nets.every((one, i) =>
    one.first === b.nets[i]!.first && one.prefix === b.nets[i]!.prefix
  );
}

/** Where one port of a forward leads. */
function end(region: HeaderRegion<Target>, port: number): string {
  const { address, kind } = region.data;
  const to = kind === "keep" ? port : kind === "one" ? region.data.port : port + region.data.port;
  return `${address} ${to}`;
}

function contradicts(a: HeaderRegion<Target>, b: HeaderRegion<Target>): boolean {
  if (!sameNets(a, b) || !overlap(a.ports, b.ports)) return false;
  // Of two with one holding the other's ports the more special one holds where they meet.
  if (a.ports[1] - a.ports[0] !== b.ports[1] - b.ports[0]) {
    const [small, large] = a.ports[1] - a.ports[0] < b.ports[1] - b.ports[0] ? [a, b] : [b, a];
    if (small.ports[0] >= large.ports[0] && small.ports[1] <= large.ports[1]) return false;
  }
  const shared = Math.max(a.ports[0], b.ports[0]);
  return a.data.kind !== b.data.kind || end(a, shared) !== end(b, shared);
}

/**
 * An enabled forward that leads some of the same ports elsewhere, and of which it cannot be said that
 * one is the exception to the other; undefined when there is none.
 */
export function contradiction(
  rule: ForwardingRule,
  others: readonly ForwardingRule[],
): ForwardingRule | undefined {
  const mine = forwardRegions([rule]);
  const [low, high] = parsePorts(rule.SrcPort);
  const prefix = parseRange4(rule.SrcIP)?.prefix;
  return others.find((one) => {
    if (one.Disabled || one.Protocol !== rule.Protocol) return false;
    if (parseRange4(one.SrcIP)?.prefix !== prefix) return false;
    if (!overlap([low, high], parsePorts(one.SrcPort))) return false;
    return forwardRegions([one]).some((region) => mine.some((own) => contradicts(own, region)));
  });
}
