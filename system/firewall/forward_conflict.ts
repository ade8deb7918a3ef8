import { parseRange4 } from "../core/net/net.ts";
import { parsePorts, type PortInterval } from "./address_schema.ts";
import { type HeaderRegion } from "./sets/regions.ts";
import { forwardRegions, type Target } from "./sets/forward_sets.ts";
import type { ForwardingRule } from "./schema.ts";

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
