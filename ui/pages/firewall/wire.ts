import type { ProposedWrite } from "../../actions/proposed.ts";

interface Named {
  readonly RuleName: string;
  readonly Description: string;
  readonly Disabled: boolean;
}

export interface ForwardingRule extends Named {
  readonly Protocol: string;
  readonly SrcIP: string;
  readonly SrcPort: string;
  readonly DstIP: string;
  readonly DstPort: string;
  readonly From: readonly string[];
}

export interface BlockRule extends Named {
  readonly Protocol: string;
  readonly SrcIP: string;
  readonly DstIP: string;
}

export interface PortBlockRule extends BlockRule {
  readonly DstPort: string;
}

export interface ServicePort {
  readonly Protocol: string;
  readonly Port: string;
  readonly UpstreamEnabled: boolean;
  readonly Description: string;
}

export interface Endpoint extends Named {
  readonly Protocol: string;
  readonly IP: string;
  readonly Domain: string;
  readonly Port: string;
  readonly Tags: readonly string[];
}

export interface MulticastPort {
  readonly Port: string;
  readonly Upstream: boolean;
}

export interface CustomInterfaceRule extends Named {
  readonly Interface: string;
  readonly SrcIP: string;
  readonly RouteDst: string;
  readonly Policies: readonly string[];
  readonly Groups: readonly string[];
  readonly Tags: readonly string[];
}

/** The firewall as `GET /firewall/config` answers it. */
export interface Firewall {
  readonly ForwardingRules: readonly ForwardingRule[];
  readonly BlockRules: readonly BlockRule[];
  readonly ForwardingBlockRules: readonly PortBlockRule[];
  readonly OutputBlockRules: readonly PortBlockRule[];
  readonly ServicePorts: readonly ServicePort[];
  readonly Endpoints: readonly Endpoint[];
  readonly MulticastPorts: readonly MulticastPort[];
  readonly CustomInterfaceRules: readonly CustomInterfaceRule[];
  readonly PingLan: boolean;
  readonly PingWan: boolean;
}

/** A list of rules in {@link Firewall}. */
export type RuleList = Exclude<keyof Firewall, "PingLan" | "PingWan">;

/** A rule of one of the lists. */
export type RuleOf<L extends RuleList> = Firewall[L][number];

/** Any rule. */
export type AnyRule = RuleOf<RuleList>;

/** How often the kernel met a rule, as `GET /firewall/counters` answers it; null: it cannot say. */
export interface RuleCounter {
  readonly kind: string;
  /** The rule's content. */
  readonly rule: string;
  readonly packets: number | null;
  readonly bytes: number | null;
  /** Since when that is looked at, over reloads of the rules; unix milliseconds. */
  readonly since: number | null;
  /** When it was last found used; null: never since then. */
  readonly lastUsed: number | null;
}

/** Where a rule stands in {@link Firewall}. */
export interface RulePlace {
  readonly list: RuleList;
  readonly index: number;
  readonly pointer: string;
  readonly name: string;
}

/** What of a rule is hardly meant, as `GET /firewall/lint` answers it. */
export interface Finding {
  readonly kind: string;
  readonly severity: "warning" | "info";
  readonly rule: RulePlace;
  readonly other: RulePlace | null;
  /** One sentence. */
  readonly words: string;
  readonly fix: ProposedWrite | null;
}
