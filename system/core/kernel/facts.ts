import type { PolicyRouting } from "./policy_routing.ts";

/** What the kernel says of itself. Every list is complete for the router's own network namespace. */
export interface Facts {
  readonly links: readonly LinkFact[];
  readonly addresses: readonly AddressFact[];
  /**
   * How often each link got its cable, or the like, since it is there: a cable that was out for a
   * moment shows in nothing else. Absent, or without a link, where the kernel does not tell.
   */
  readonly carrierUps?: Readonly<Record<string, number>>;
  /** Main table, unicast, both families. */
  readonly routes: readonly RouteFact[];
  /** Routes beside the first default of the main table, and rules, that lead to single uplinks. */
  readonly policyRouting?: PolicyRouting;
  readonly neighbours: readonly NeighbourFact[];
  readonly forwarding: boolean;
  /** Tables that are in the kernel: their comment tells ours (`sluice`) from others'. */
  readonly tables: readonly TableFact[];
  /** Chains of any table on a packet's way; absent where that is not known. */
  readonly hooks?: readonly HookFact[];
  readonly capabilities: Capabilities;
}

export interface LinkFact {
  readonly name: string;
  readonly index: number;
  readonly mac: string | null;
  readonly up: boolean;
  /** A cable is plugged in, or the like. */
  readonly running: boolean;
  /** Bytes of a packet that it carries. */
  readonly mtu?: number;
  /** The hardware address, where `mac` is another. */
  readonly permanentMac?: string;
  /** `veth`, `bridge`, `dummy`, `vlan`, `wireguard`, …; null for plain hardware. */
  readonly kind: string | null;
  /** The bridge, or the like, that it is a port of. */
  readonly master?: string;
  /** As a port of a bridge it reaches only ports that are not isolated. */
  readonly isolated?: true;
  /** Of a VXLAN: its number and its other end, where it has one. */
  readonly vxlan?: VxlanOf;
}

/** UDP port of a VXLAN (RFC 7348 section 5). */
export const VXLAN_PORT = 4789;

/** A tunnel of Ethernet frames in UDP to one other router (RFC 7348). */
export interface VxlanOf {
  /** The network identifier (VNI, 1–16777215), the same at both ends. */
  readonly id: number;
  /** IPv4 address of the other end. */
  readonly remote: string;
}

export interface AddressFact {
  readonly link: string;
  /** With prefix, as in `ip addr`. */
  readonly address: string;
  /** We set it; absent also where a kernel before 5.18 cannot tell who did. */
  readonly ours?: true;
}

export interface RouteFact {
  /** CIDR, or `default`. */
  readonly destination: string;
  readonly via: string | null;
  readonly link: string | null;
  /** `kernel`, `boot`, `static`, `dhcp`, … Ours are `static`. */
  readonly protocol: string;
}

export interface NeighbourFact {
  readonly address: string;
  readonly link: string;
  readonly mac: string | null;
  readonly permanent: boolean;
}

export interface TableFact {
  readonly family: string;
  readonly name: string;
  readonly comment: string | null;
}

/** A chain that the kernel itself calls: it can drop, accept or translate what passes. */
export interface HookFact {
  readonly family: string;
  readonly table: string;
  readonly chain: string;
  /** `filter`, `nat` or `route`. */
  readonly type: string;
  /** `prerouting`, `input`, `forward`, `output`, `postrouting`, `ingress` or `egress`. */
  readonly hook: string;
  readonly priority: string;
  readonly policy: string;
  /** How many rules it has. */
  readonly rules: number;
}

/** What this kernel can do; found out at start. */
export interface Capabilities {
  readonly dummy: boolean;
  readonly bridge: boolean;
  readonly vlan: boolean;
  readonly vxlan: boolean;
  readonly wireguard: boolean;
  readonly flowtable: boolean;
}
