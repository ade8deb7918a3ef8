import type { Inspection, InspectionEntry } from "./inspection.ts";
import type { Chain, Element, NftSet, Ruleset, Table } from "./ruleset.ts";

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
}

export interface AddressFact {
  readonly link: string;
  /** With prefix, as in `ip addr`. */
  readonly address: string;
  /** We set it; absent also where a kernel before 5.18 cannot tell who did. */
  readonly ours?: true;
}

/** An address that a link is to have. */
export interface DesiredAddress extends AddressFact {
  /** Somebody else, such as a DHCP client of the system, may have set it already. */
  readonly mayBeThere?: true;
}

export interface RouteFact {
  /** CIDR, or `default`. */
  readonly destination: string;
  readonly via: string | null;
  readonly link: string | null;
  /** `kernel`, `boot`, `static`, `dhcp`, … Ours are `static`. */
  readonly protocol: string;
}

/**
 * A default route that is not the one of the main table: of a table of our own (200–239), or of the
 * main table behind the first one.
 */
export interface PolicyRoute {
  readonly table: number | "main";
  /** 0: none is given. */
  readonly metric: number;
  /** Null where the link has only one other end. */
  readonly via: string | null;
  readonly link: string;
}

/** A rule of the kernel that sends packets to the table of an uplink. */
export type IpRule =
  /** First of all the main table, its default routes aside: home is never reached by an uplink. */
  | { readonly kind: "local" }
  /** What a socket bound to the link sends. */
  | { readonly kind: "link"; readonly link: string; readonly table: number }
  /** What the router sends from an address of the uplink. */
  | { readonly kind: "source"; readonly address: string; readonly table: number }
  /** What belongs to a connection that was given the table's number as its mark. */
  | { readonly kind: "mark"; readonly table: number };

/** How single uplinks are reached: ours alone, in the kernel as in a plan. */
export interface PolicyRouting {
  readonly routes: readonly PolicyRoute[];
  readonly rules: readonly IpRule[];
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

/** A difference between what the kernel was told and what it holds, in nft and ip words. */
export interface Finding {
  /** What differs: `map inet filter internet_access`, `address on lan0`. */
  readonly what: string;
  /** Null where nothing should be. */
  readonly expected: string | null;
  /** Null where nothing is. */
  readonly found: string | null;
  /**
   * Put right at once: it may allow what nobody decided, or the kernel itself dropped it, as it does
   * when a link goes down and comes back. Any other waits for an administrator.
   */
  readonly urgent: boolean;
}

/** What this kernel can do; found out at start. */
export interface Capabilities {
  readonly dummy: boolean;
  readonly bridge: boolean;
  readonly vlan: boolean;
  readonly wireguard: boolean;
  readonly flowtable: boolean;
}

/** The state that the kernel should be in: computed from configuration and facts, never read back. */
export interface Desired {
  readonly ruleset: Ruleset;
  readonly links: readonly DesiredLink[];
  readonly addresses: readonly DesiredAddress[];
  readonly routes: readonly DesiredRoute[];
  readonly neighbours: readonly DesiredNeighbour[];
  /** With several uplinks: how each is reached. */
  readonly policyRouting?: PolicyRouting;
  /** True once rules stand and there is something to forward between. */
  readonly forwarding: boolean;
  /** What the kernel had when this was computed, to judge by and to leave alone what is gone. */
  readonly facts?: {
    /** Its links by name, with their index: one that was unplugged and comes back has another. */
    readonly links: ReadonlyMap<string, number>;
    /** Those of them that carry something. */
    readonly running?: ReadonlySet<string>;
    /** The hardware addresses, of links that have another. */
    readonly permanentMacs?: ReadonlyMap<string, string>;
    /** The ways to the outside, in the order in which they are taken. */
    readonly uplinks?: readonly UplinkPath[];
    /** Addresses (without prefix) that are not ours, such as an uplink's lease. */
    readonly addresses: readonly string[];
  };
}

/** An enabled uplink whose interface exists. */
export interface UplinkPath {
  /** Name of the entry among the interfaces. */
  readonly name: string;
  /** The interface of its packets: its own, or that of its PPPoE connection. */
  readonly link: string;
  /** Number of its routing table, and of its mark on connections. */
  readonly table: number;
  /** The router's address there, with its prefix; null while there is none. */
  readonly address: string | null;
  /** The gateway; null on a point-to-point interface. */
  readonly via: string | null;
  /** The gateway is on-link but outside the network of the address: it has a host route. */
  readonly gatewayOutside?: true;
  /** It has an address, and a gateway where one is needed. */
  readonly hasGateway: boolean;
  /** It has a carrier. */
  readonly running: boolean;
  /** Carrier changes to up (`carrier_up_count`); null where unknown. */
  readonly carrierUps: number | null;
  /** It has a carrier, and health checks do not report it as down. */
  readonly isHealthy: boolean;
  /** Its weight for new connections; 0: standby. */
  readonly weight: number;
  /** The MTU that its lease sets, if any. */
  readonly mtu: number | null;
  /** The current MTU of its interface; null where unknown. */
  readonly linkMtu: number | null;
}

export interface DesiredLink {
  readonly name: string;
  /** Made by us, or there already. */
  readonly create: "dummy" | "bridge" | "vlan" | null;
  /** Of a VLAN: the link that carries it, and its tag (1–4094). */
  readonly vlan?: VlanOf;
  /** The card's address, where another than its own was chosen. */
  readonly mac?: string;
  /** Bytes of a packet, where that is known; the kernel's own choice otherwise. */
  readonly mtu?: number;
  readonly up: boolean;
}

/** Where a VLAN is: the link that carries it, and its tag (1–4094). */
export interface VlanOf {
  readonly parent: string;
  readonly tag: number;
}

export interface DesiredRoute {
  readonly destination: string;
  readonly via: string | null;
  readonly link: string;
}

/** A permanent neighbour entry: ties a device's IP address to its MAC address on its link. */
export interface DesiredNeighbour {
  readonly address: string;
  readonly link: string;
  readonly mac: string;
}

/** One change of the ruleset; a list of them is one kernel transaction, in this order. */
export type RulesetOp =
  | { readonly op: "add-table"; readonly table: Table }
  | { readonly op: "delete-table"; readonly family: string; readonly table: string }
  | {
    readonly op: "add-set";
    readonly family: string;
    readonly table: string;
    readonly set: NftSet;
  }
  | {
    readonly op: "delete-set";
    readonly family: string;
    readonly table: string;
    readonly set: string;
  }
  | {
    readonly op: "add-elements" | "delete-elements";
    readonly family: string;
    readonly table: string;
    readonly set: string;
    readonly elements: readonly Element[];
    /** Types of the set; without them each part is written as what it looks like. */
    readonly shape?: Pick<NftSet, "key" | "value" | "interval">;
  }
  | {
    readonly op: "add-chain" | "replace-rules";
    readonly family: string;
    readonly table: string;
    readonly chain: Chain;
  }
  | {
    readonly op: "delete-chain";
    readonly family: string;
    readonly table: string;
    readonly chain: string;
  };

/** One change of links, addresses, routes or neighbours (a line of `ip -batch`). */
export type IpOp =
  | { readonly op: "add-link"; readonly name: string; readonly kind: "dummy" | "bridge" }
  | { readonly op: "add-vlan"; readonly name: string; readonly vlan: VlanOf }
  /** Many interfaces take another MAC address only while their link is down. */
  | { readonly op: "set-mac"; readonly name: string; readonly mac: string }
  | { readonly op: "set-mtu"; readonly name: string; readonly mtu: number }
  /** Replies may come in by another link than the kernel's main table would take (RFC 3704 2.4). */
  | { readonly op: "set-loose-rp-filter"; readonly name: string }
  | { readonly op: "delete-link"; readonly name: string }
  | { readonly op: "set-link"; readonly name: string; readonly up: boolean }
  | {
    readonly op: "add-address" | "delete-address";
    readonly link: string;
    readonly address: string;
    readonly mayBeThere?: true;
  }
  | { readonly op: "replace-route" | "delete-route"; readonly route: DesiredRoute }
  | {
    readonly op: "replace-policy-route" | "delete-policy-route";
    readonly policyRoute: PolicyRoute;
  }
  | { readonly op: "add-rule" | "delete-rule"; readonly rule: IpRule }
  | { readonly op: "replace-neighbour"; readonly neighbour: DesiredNeighbour }
  | { readonly op: "delete-neighbour"; readonly address: string; readonly link: string };

/**
 * One step of a plan. A `ruleset` or `load` step is atomic in the kernel; an `ip` step stops at its
 * first failing line, so that what took effect must be read back.
 */
export type KernelStep =
  | { readonly kind: "ruleset"; readonly ops: readonly RulesetOp[] }
  /** Replaces all of our tables by this ruleset, in one transaction. */
  | { readonly kind: "load"; readonly ruleset: Ruleset }
  | { readonly kind: "ip"; readonly ops: readonly IpOp[] }
  | { readonly kind: "forwarding"; readonly on: boolean };

/** Steps in the order that never widens access: take away, move, give. */
export interface KernelPlan {
  readonly steps: readonly KernelStep[];
  /** Addresses whose running connections must be judged again once the steps stand. */
  readonly recheck: readonly string[];
}

/** A tracked connection, as the side that opened it sees it (original direction) and its reply. */
export interface Flow {
  readonly protocol: "tcp" | "udp" | "icmp";
  readonly source: string;
  readonly destination: string;
  readonly sport?: number;
  readonly dport?: number;
  readonly replySource: string;
  readonly replyDestination: string;
  readonly replySport?: number;
  readonly replyDport?: number;
}

/** Something that happened in the kernel outside a plan of ours. */
export type KernelEvent =
  /** A link, its addresses, routes or fixed neighbours. */
  | { readonly kind: "link"; readonly name: string }
  | { readonly kind: "ruleset" }
  /** The connection to the kernel's hand was lost and stands again; everything must be compared. */
  | { readonly kind: "reconnected" };

/** The only way to a kernel, real or modelled. */
export interface Host {
  readonly kind: "linux" | "memory";
  facts(): Promise<Facts>;
  /** Throws {@link import("../errors/problem.ts").Problem} 502 with the tool's own words. */
  apply(step: KernelStep): Promise<void>;
  /**
   * The steps one after the other in a single call, where a call has its price; stops at the first that
   * fails, and those before it stay. Throws like {@link apply}.
   */
  applyAll?(steps: readonly KernelStep[]): Promise<void>;
  /** Connections that have one of these addresses on either side, before or after translation. */
  flows(addresses: readonly string[]): Promise<readonly Flow[]>;
  /** Ends these connections; one that is gone already is no error. */
  flushFlows(flows: readonly Flow[]): Promise<void>;
  /** The interface that the kernel would answer this source on, or null. */
  routeTo(address: string): Promise<string | null>;
  /** What the tools themselves show. Throws Problem 404 for what the kernel does not have. */
  inspect(what: Inspection): Promise<readonly InspectionEntry[]>;
  watch(listener: (event: KernelEvent) => void): () => void;
  /**
   * How our tables differ from what this host was told: elements one by one, those of a large set
   * counted, and only when `thorough`. Empty before anything was loaded.
   */
  compare(thorough: boolean): Promise<readonly Finding[]>;
  close(): Promise<void>;
}
