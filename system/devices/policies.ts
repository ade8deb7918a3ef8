/** What a policy is about: a destination that the packet filter or the resolver knows. */
export type PolicyTarget = "internet" | "upstream-private" | "lan" | "resolver" | "admin";

/** What a policy does to who holds it. */
export type PolicyEffect =
  /** Allows connections to the target, which are denied by default. */
  | { readonly kind: "allow"; readonly target: PolicyTarget }
  /** Blocks connections to the target, even to ports that are open. */
  | { readonly kind: "deny"; readonly target: PolicyTarget }
  /** Blocks everything but the target, whatever else is allowed. */
  | { readonly kind: "isolate"; readonly except: PolicyTarget }
  /** Takes the device off the network. */
  | { readonly kind: "disconnect" }
  /** Changes what the resolver answers, not what packets may pass. */
  | { readonly kind: "filter-dns" }
  /** Marks a device for other parts of Sluice; packets are not treated otherwise. */
  | { readonly kind: "label" };

/** The set of `inet filter` that holds the devices with a policy; no verdict: a plain set. */
export interface DevicePolicySet {
  readonly name: string;
  readonly key: "address" | "address-link";
  readonly verdict: "accept" | "return" | null;
}

/** What a policy means in a custom interface rule. */
export interface InterfacePolicy {
  /** Set of its addresses and networks; null: the policy is for single addresses only. */
  readonly set: { readonly name: string; readonly verdict: "accept" | null } | null;
  /** Single addresses join the set of the devices instead. */
  readonly addressesAsDevices: boolean;
}

/** A policy in words, as the UI, the history and the docs show it. */
export interface PolicyText {
  /** Label of its switch. */
  readonly title: string;
  /** What a device that holds it is marked with in lists. */
  readonly chip: string;
  /** One line beside the switch. */
  readonly description: string;
  /** Completes "<device> …" for one that holds it, and for one that does not. */
  readonly held: string;
  readonly absent: string;
}

/** Everything that Sluice knows of one policy. */
export interface PolicyDefinition {
  readonly name: string;
  readonly kind: "permission" | "restriction" | "label";
  readonly effect: PolicyEffect;
  /** People choose it for devices; else Sluice sets it, or it is for interfaces alone. */
  readonly assignable: boolean;
  /** Devices that get it when they first join. */
  readonly defaultFor: readonly ("unknown" | "guest")[];
  readonly devices: DevicePolicySet | null;
  /** Null: it means nothing to an interface. */
  readonly interfaces: InterfacePolicy | null;
  readonly text: PolicyText;
}

const DEFINITIONS = {
  "disabled": {
    kind: "restriction",
    effect: { kind: "disconnect" },
    // Its own switch, `DeviceDisabled`, says the same.
    assignable: false,
    defaultFor: [],
    devices: null,
    interfaces: null,
    text: {
      title: "Blocked",
      chip: "Blocked",
      description: "No traffic, in or out",
      held: "is blocked: no traffic, in or out",
      absent: "is not blocked",
    },
  },
  "quarantine": {
    kind: "restriction",
    effect: { kind: "isolate", except: "resolver" },
    assignable: true,
    defaultFor: [],
    devices: { name: "quarantined", key: "address", verdict: null },
    interfaces: null,
    text: {
      title: "Quarantine",
      chip: "Quarantine",
      description: "Only this router's DNS, until released",
      held: "reaches this router's DNS and nothing else",
      absent: "is not in quarantine",
    },
  },
  "wan": {
    kind: "permission",
    effect: { kind: "allow", target: "internet" },
    assignable: true,
    defaultFor: ["guest"],
    devices: { name: "internet_access", key: "address-link", verdict: "accept" },
    interfaces: { set: { name: "fwd_iface_wan", verdict: "accept" }, addressesAsDevices: false },
    text: {
      title: "Internet",
      chip: "Internet",
      description: "Opens connections to the Internet",
      held: "can open connections to the Internet",
      absent: "cannot open connections to the Internet",
    },
  },
  "dns": {
    kind: "permission",
    effect: { kind: "allow", target: "resolver" },
    assignable: true,
    defaultFor: ["guest"],
    devices: { name: "dns_access", key: "address-link", verdict: "accept" },
    interfaces: { set: { name: "fwd_iface_dns", verdict: "accept" }, addressesAsDevices: true },
    text: {
      title: "DNS",
      chip: "DNS",
      description: "Uses this router's resolver",
      held: "can use this router's resolver",
      absent: "cannot use this router's resolver",
    },
  },
  "dns:family": {
    kind: "restriction",
    effect: { kind: "filter-dns" },
    assignable: true,
    defaultFor: [],
    devices: null,
    interfaces: null,
    text: {
      title: "Family DNS",
      chip: "Family DNS",
      description: "Blocks adult sites",
      held: "cannot resolve the names of adult sites",
      absent: "can resolve the names of adult sites",
    },
  },
  "lan": {
    kind: "permission",
    effect: { kind: "allow", target: "lan" },
    assignable: true,
    defaultFor: [],
    devices: { name: "lan_access", key: "address-link", verdict: "accept" },
    interfaces: { set: { name: "fwd_iface_lan", verdict: "accept" }, addressesAsDevices: false },
    text: {
      title: "LAN access",
      chip: "LAN",
      description: "Outbound only: opens connections to every LAN device",
      held: "can open connections to every LAN device",
      absent: "cannot open connections to LAN devices outside its groups",
    },
  },
  "lan_upstream": {
    kind: "permission",
    effect: { kind: "allow", target: "upstream-private" },
    assignable: true,
    defaultFor: [],
    devices: { name: "upstream_private_rfc1918_allowed", key: "address", verdict: "return" },
    interfaces: { set: null, addressesAsDevices: true },
    text: {
      title: "Upstream private networks",
      chip: "Upstream networks",
      description: "Private addresses behind the WAN, such as the ISP's router",
      held: "can reach private addresses behind the WAN",
      absent: "cannot reach private addresses behind the WAN",
    },
  },
  "noapi": {
    kind: "restriction",
    effect: { kind: "deny", target: "admin" },
    assignable: true,
    defaultFor: ["unknown", "guest"],
    devices: { name: "api_block", key: "address", verdict: null },
    interfaces: null,
    text: {
      title: "Admin access",
      chip: "No admin",
      description: "Web UI and SSH of this router",
      held: "cannot open this router's web UI or SSH",
      absent: "can open this router's web UI and SSH",
    },
  },
  "api": {
    kind: "permission",
    effect: { kind: "allow", target: "admin" },
    assignable: false,
    defaultFor: [],
    // Devices on the LAN reach the router's open ports without it.
    devices: null,
    interfaces: { set: { name: "api_interfaces", verdict: null }, addressesAsDevices: false },
    text: {
      title: "Admin access",
      chip: "Admin",
      description: "Web UI of this router, for custom interfaces",
      held: "can open this router's web UI",
      absent: "cannot open this router's web UI",
    },
  },
  "guestonly": {
    kind: "label",
    effect: { kind: "label" },
    assignable: false,
    defaultFor: ["guest"],
    devices: null,
    interfaces: null,
    text: {
      title: "Guest",
      chip: "Guest",
      description: "May join the guest network",
      held: "may join the guest network",
      absent: "may not join the guest network",
    },
  },
} as const satisfies Readonly<Record<string, Omit<PolicyDefinition, "name">>>;

/** Name of a policy. */
export type Policy = keyof typeof DEFINITIONS;

/** The names of all policies, in the order in which they are shown. */
export const POLICY_NAMES = Object.keys(DEFINITIONS) as [Policy, ...Policy[]];

/** A definition of one of {@link POLICIES}. */
export type NamedPolicy = PolicyDefinition & { readonly name: Policy };

/** Every policy, in the order in which they are shown. */
export const POLICIES: readonly NamedPolicy[] = POLICY_NAMES
  .map((name) => ({ name, ...DEFINITIONS[name] }));

/** The definition of a policy. */
export function policyOf(name: Policy): PolicyDefinition {
  return { name, ...DEFINITIONS[name] };
}

/** Policies that people may give to many devices at once. */
export const ASSIGNABLE_POLICIES: readonly Policy[] = POLICIES
  .filter(({ assignable }) => assignable).map(({ name }) => name);

/** The policies of a device that joins by itself. */
export function defaultPolicies(kind: "unknown" | "guest"): Policy[] {
  return POLICIES.filter(({ defaultFor }) => defaultFor.includes(kind)).map(({ name }) => name);
}

/** Policies with this effect on the target. */
export function policiesFor(
  kind: "allow" | "deny",
  target: PolicyTarget,
): readonly NamedPolicy[] {
  return POLICIES.filter(({ effect }) => effect.kind === kind && effect.target === target);
}

/** The switch is on while the policy is absent: what it denies is on otherwise. */
export function isInverted({ effect }: PolicyDefinition): boolean {
  return effect.kind === "deny";
}

/** `Turn on Internet`, `Turn off Admin access`: what giving or taking the policy does. */
export function switchText(policy: PolicyDefinition, held: boolean): string {
  return `Turn ${held !== isInverted(policy) ? "on" : "off"} ${policy.text.title}`;
}

/** The restriction among these that stands above all permissions; undefined where there is none. */
export function isolationOf(
  policies: readonly Policy[],
): Extract<PolicyEffect, { readonly kind: "isolate" | "disconnect" }> | undefined {
  for (const { name, effect } of POLICIES) {
    if (!policies.includes(name)) continue;
    if (effect.kind === "isolate" || effect.kind === "disconnect") return effect;
  }
  return undefined;
}
