import type { Config } from "../../../system/config.ts";
import {
  BlockRule,
  CustomInterfaceRule,
  DEFAULT_FIREWALL,
  Endpoint,
  ForwardingBlockRule,
  ForwardingRule,
} from "../../../system/firewall/schema.ts";

/** A forward of tcp from any address of the router. */
export function forward(
  SrcPort: string,
  DstIP: string,
  DstPort: string,
  more: Partial<ForwardingRule> = {},
): ForwardingRule {
  return ForwardingRule.parse({ Protocol: "tcp", SrcPort, DstIP, DstPort, ...more });
}

/** A block of tcp, with a port for those that have one. */
export function block(
  SrcIP: string,
  DstIP: string,
  DstPort = "any",
  more: Partial<ForwardingBlockRule> = {},
): ForwardingBlockRule {
  return ForwardingBlockRule.parse({ Protocol: "tcp", SrcIP, DstIP, DstPort, ...more });
}

/** A block before anything else, of tcp. */
export function outright(SrcIP: string, DstIP: string, more: Partial<BlockRule> = {}): BlockRule {
  return BlockRule.parse({ Protocol: "tcp", SrcIP, DstIP, ...more });
}

/** An endpoint of tcp. */
export function endpoint(
  RuleName: string,
  IP: string,
  Port: string,
  Tags: readonly string[],
  more: Partial<Endpoint> = {},
): Endpoint {
  return Endpoint.parse({ RuleName, Protocol: "tcp", IP, Port, Tags, ...more });
}

/** What an address on an interface may do. */
export function custom(
  Interface: string,
  SrcIP: string,
  more: Partial<CustomInterfaceRule>,
): CustomInterfaceRule {
  return CustomInterfaceRule.parse({ Interface, SrcIP, ...more });
}

/** The default firewall with further rules. */
export function firewallWith(rules: Partial<Config["firewall"]>): Config["firewall"] {
  return { ...DEFAULT_FIREWALL, ...rules };
}
