import { parseRange4 } from "../core/net/net.ts";
import { type PortSpan, portSpan } from "./address_schema.ts";
import { type Box } from "./sets/boxes.ts";
import { forwardBoxes, type Target } from "./sets/forward_sets.ts";
import type { ForwardingRule } from "./schema.ts";

function overlap(a: PortSpan, b: PortSpan): boolean {
  return a[0] <= b[1] && b[0] <= a[1];
}

function sameNets(a: Box<unknown>, b: Box<unknown>): boolean {
  return a.nets.every((one, i) =>
    one.first === b.nets[i]!.first && one.prefix === b.nets[i]!.prefix
  );
}

/** Where one port of a forward leads. */
function end(box: Box<Target>, port: number): string {
  const { address, kind } = box.data;
  const to = kind === "keep" ? port : kind === "one" ? box.data.port : port + box.data.port;
  return `${address} ${to}`;
}

function contradicts(a: Box<Target>, b: Box<Target>): boolean {
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
  const mine = forwardBoxes([rule]);
  const [low, high] = portSpan(rule.SrcPort);
  const prefix = parseRange4(rule.SrcIP)?.prefix;
  return others.find((one) => {
    if (one.Disabled || one.Protocol !== rule.Protocol) return false;
    if (parseRange4(one.SrcIP)?.prefix !== prefix) return false;
    if (!overlap([low, high], portSpan(one.SrcPort))) return false;
    return forwardBoxes([one]).some((box) => mine.some((own) => contradicts(own, box)));
  });
}
