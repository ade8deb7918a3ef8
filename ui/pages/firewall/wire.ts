import type { components } from "../../generated/api.ts";

type Schemas = components["schemas"];

export type ForwardingRule = Schemas["ForwardingRule"];

export type BlockRule = Schemas["BlockRule"];

export type ServicePort = Schemas["ServicePort"];

export type Endpoint = Schemas["Endpoint"];

export type MulticastPort = Schemas["MulticastPort"];

export type CustomInterfaceRule = Schemas["CustomInterfaceRule"];

/** All firewall rules. */
export type Firewall = Omit<Schemas["FirewallConfig"], "SystemDNSOverride">;

/** A list of rules in {@link Firewall}. */
export type RuleList = Exclude<keyof Firewall, "PingLan" | "PingWan">;

/** A rule of one of the lists. */
export type RuleOf<L extends RuleList> = Firewall[L][number];

/** Any rule. */
export type AnyRule = RuleOf<RuleList>;

/** Packet counter of a rule. */
export type RuleCounter = Schemas["RuleCounter"];

/** Where a rule stands in {@link Firewall}. */
export type RuleReference = Schemas["RuleReference"];

/** A possible problem of a rule. */
export type Finding = Schemas["LintFinding"];
