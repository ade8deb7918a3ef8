import type { Config } from "../config.ts";
import { parseGroup } from "../multicast/schema.ts";
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

/** UDP ports on which processes of the router listen: RFC 1035 4.2.1, RFC 2131 4.1. */
const SERVICES: ReadonlyMap<number, string> = new Map([
  [53, "The resolver"],
  [67, "The DHCP server"],
  [68, "The DHCP client of uplinks"],
]);

/** What of the router itself listens on this UDP port; undefined for nothing. */
export function serviceOfPort(
  { Disabled, Addresses }: Config["multicast"],
  port: number,
): string | undefined {
  const isReflected = !Disabled &&
    Addresses.some((one) => !one.Disabled && parseGroup(one.Address)?.port === port);
  return SERVICES.get(port) ?? (isReflected ? "Multicast reflection" : undefined);
}
