/**
 * A packet filter as a value: what is rendered to nftables text, compared element by element and
 * evaluated without a kernel. It names only what Sluice uses of nftables.
 */
export interface Ruleset {
  readonly tables: readonly Table[];
}

export interface Table {
  readonly family: "inet" | "ip";
  readonly name: string;
  readonly sets: readonly NftSet[];
  readonly chains: readonly Chain[];
}

/** The type of one part of a set's key. */
export type KeyType = "ipv4_addr" | "ifname" | "ether_addr" | "inet_proto" | "inet_service";

/** A set, or (with `value`) a map. Equal sets of a previous and a next ruleset may be one object. */
export interface NftSet {
  readonly name: string;
  readonly key: readonly KeyType[];
  /** Absent: a plain set. "verdict": a verdict map. Types: a data map. */
  readonly value?: "verdict" | readonly KeyType[];
  readonly interval?: boolean;
  /** Each element counts the packets that meet it. */
  readonly counter?: boolean;
  /**
   * The kernel fills it, as rules add to it: up to `size` elements, each for `timeout` seconds since it
   * was last met. It is planned, and compared, without elements.
   */
  readonly dynamic?: { readonly size: number; readonly timeout: number };
  /** By canonical text of the key (parts joined with " . "). */
  readonly elements: ReadonlyMap<string, Element>;
}

/** Key parts and data parts are canonical texts: `192.168.2.6`, `192.168.2.0/24`, `80`, `1-65535`, `tcp`, `eth0`. */
export interface Element {
  readonly key: readonly string[];
  readonly value?: Verdict | readonly string[];
}

export type Verdict =
  | { readonly kind: "accept" | "drop" | "return" | "continue" }
  | { readonly kind: "jump" | "goto"; readonly chain: string };

export interface Chain {
  readonly name: string;
  /** Absent: a regular chain. */
  readonly hook?: {
    readonly type: "filter" | "nat" | "route";
    readonly hook: "prerouting" | "input" | "forward" | "output" | "postrouting";
    readonly priority: number;
    readonly policy: "accept" | "drop";
  };
  readonly rules: readonly Rule[];
}

/** One rule: every match must hold, then the action is taken. Every rendered rule carries a counter. */
export interface Rule {
  readonly matches: readonly Match[];
  readonly action: Action;
  /** What the rule means, in plain words; kept as the rule's nft comment and shown in answers. */
  readonly comment: string;
}

/** A field of a packet that a rule or a set key can look at. */
export type Field =
  | "iifname"
  | "oifname"
  | "ip saddr"
  | "ip daddr"
  | "ether saddr"
  | "meta l4proto"
  | "th sport"
  | "th dport"
  | "icmp type"
  | "icmpv6 type"
  | "meta nfproto"
  | "ct state"
  | "ct status"
  | "ct mark"
  | "ct original ip daddr"
  | "ct reply ip daddr"
  | "ip6 saddr"
  | "ip6 daddr"
  | "fib daddr type"
  /** Network identifier of a VXLAN (RFC 7348 section 5), in UDP to its port. */
  | "@th,96,24";

export type Match =
  /** The field is (or, negated, is not) one of these literal values, prefixes or ranges. */
  | {
    readonly kind: "is";
    readonly field: Field;
    readonly values: readonly string[];
    readonly not?: boolean;
  }
  /** The joined fields are (or are not) in the named set. */
  | {
    readonly kind: "in";
    readonly fields: readonly Field[];
    readonly set: string;
    readonly not?: boolean;
    /** The set is a verdict map whose every element says `continue`: no entry ends the rule. */
    readonly map?: boolean;
  };

export type Action =
  | Verdict
  /** Look the fields up in a verdict map and do what it says; no entry: go on. */
  | { readonly kind: "vmap"; readonly fields: readonly Field[]; readonly map: string }
  | { readonly kind: "reject" }
  | { readonly kind: "masquerade" }
  /** Redirect to the router's own address on this port, or to a literal address. */
  | { readonly kind: "dnat"; readonly to: string; readonly port?: number }
  /** Redirect to the address, or address and port, that a data map gives; no entry: go on. */
  | { readonly kind: "dnat-map"; readonly fields: readonly Field[]; readonly map: string }
  /** Mark the connection, so that all of its packets can be recognized. */
  | { readonly kind: "mark"; readonly mark: number }
  /**
   * Mark the connection by one of these, the same for equal fields; without fields at random. Each
   * gets as much of all as its weight is of the sum of weights.
   */
  | {
    readonly kind: "spread";
    readonly fields: readonly Field[];
    readonly shares: readonly { readonly mark: number; readonly weight: number }[];
  }
  /** Give the packet the mark of its connection, by which routes are chosen. */
  | { readonly kind: "restore-mark" }
  /** Add the field's value to a dynamic set, where its element counts the packet. */
  | { readonly kind: "count"; readonly field: Field; readonly set: string }
  /** Clamp the TCP segment size to the route's MTU. */
  | { readonly kind: "clamp-mss" }
  | { readonly kind: "log"; readonly prefix: string; readonly group: number };

/** A packet as the evaluator sees it: the first one of a connection unless `state` says otherwise. */
export interface Packet {
  /** Interface it arrives on; null when the router itself sends it. */
  readonly iif: string | null;
  /** Interface it would leave by; null when it is for the router itself. */
  readonly oif: string | null;
  readonly source: string;
  readonly destination: string;
  /** Sender's MAC address; null when not known (anti-spoofing then fails, as the kernel would). */
  readonly mac: string | null;
  readonly protocol: "tcp" | "udp" | "icmp";
  readonly sport?: number;
  readonly dport?: number;
  readonly state?: "new" | "established";
  /** Its destination is the broadcast address of a network of the router. */
  readonly broadcast?: true;
  /** Network identifier, in a VXLAN. */
  readonly vni?: number;
}

/** What becomes of a packet, with the rules that decided, in kernel order. */
export interface PacketTrace {
  readonly verdict: "accept" | "drop" | "reject";
  readonly steps: readonly TraceStep[];
}

export interface TraceStep {
  readonly table: string;
  readonly chain: string;
  readonly comment: string;
  /** The element that decided, for a set or map lookup. */
  readonly element?: { readonly set: string; readonly key: readonly string[] };
  readonly outcome: "accept" | "drop" | "reject" | "continue" | "translate";
}
