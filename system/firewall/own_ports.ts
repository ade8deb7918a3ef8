import { ALL_PORTS, parsePorts } from "./address_schema.ts";
import type { ForwardingRule } from "./schema.ts";

/** An enabled forward that names this port, and so leads it away from the router; undefined for none. */
export function forwardedPort(
  rules: readonly ForwardingRule[],
  protocol: ForwardingRule["Protocol"],
  port: number,
): ForwardingRule | undefined {
  return rules.find((one) => {
    if (one.Disabled || one.Protocol !== protocol) return false;
    const [first, last] = parsePorts(one.SrcPort);
    // A forward of every port leaves the router's own alone.
    const isEvery = first === ALL_PORTS[0] && last === ALL_PORTS[1];
    return !isEvery && first <= port && port <= last;
  });
}
