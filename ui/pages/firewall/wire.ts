import type { components } from "../../generated/api.ts";

type Schemas = components["schemas"];

interface Named {
  readonly RuleName: string;
  readonly Description: string;
  readonly Disabled: boolean;
}

export type ForwardingRule = Schemas["ForwardingRule"];

export type BlockRule = Schemas["BlockRule"];

export interface PortBlockRule extends BlockRule {
  readonly DstPort: string;
}

export type ServicePort = Schemas["ServicePort"];

export type Endpoint = Schemas["Endpoint"];

export type MulticastPort = Schemas["MulticastPort"];

export type CustomInterfaceRule = Schemas["CustomInterfaceRule"];

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
export type RulePlace = Schemas["RulePlace"];

/** What of a rule is hardly meant, as `GET /firewall/lint` answers it. */
export type Finding = Schemas["LintFinding"];
