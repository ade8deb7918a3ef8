import type { BlockedRanges } from "./blocked_ranges.ts";
import type { Facts } from "./facts.ts";
import type { Inspection, InspectionEntry } from "./inspection.ts";
import type { PacketReport } from "./logged_packet.ts";
import type { KernelStep } from "./plan.ts";

/** A difference between the applied plan and the kernel, in nft and ip words. */
export interface Finding {
  /** What differs: `map inet filter internet_access`, `address on lan0`. */
  readonly what: string;
  /** Null where nothing should be. */
  readonly expected: string | null;
  /** Null where nothing is. */
  readonly found: string | null;
  /**
   * Put right at once: it may allow what no rule allows, or the kernel itself dropped it, as it does
   * when a link goes down and comes back. Any other waits for an administrator.
   */
  readonly urgent: boolean;
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

/** An address with the packets and bytes that were counted for it. */
export type AddressCount = readonly [address: string, packets: number, bytes: number];

/** What the kernel counted. */
export interface TrafficReading {
  /** By the name of the counting set; since the element is there. */
  readonly counters: Readonly<Record<string, readonly AddressCount[]>>;
  /** What connections counted; null where it was not requested, or the kernel reports none. */
  readonly flows: TrafficBatch | null;
}

/** Bytes that a link received and sent since the kernel has it. */
export interface LinkBytes {
  readonly received: number;
  readonly sent: number;
}

/**
 * Traffic between two addresses, the first of which began the connections. `via`: the router's address
 * that one of them knows instead of the other; empty where nothing is translated.
 */
export type PairTraffic = readonly [
  source: string,
  destination: string,
  via: string,
  sentPackets: number,
  sentBytes: number,
  receivedPackets: number,
  receivedBytes: number,
];

/** Traffic that was not acknowledged before. The same id is the same traffic. */
export interface TrafficBatch {
  readonly id: string;
  readonly pairs: readonly PairTraffic[];
}

/** Which live connections are wanted. */
export interface LiveFlowsQuery {
  /** Those with one of these addresses at an end; null: all. */
  readonly addresses: readonly string[] | null;
  /** Those with, besides, one of these; null: all. */
  readonly remotes: readonly string[] | null;
  readonly order: "newest" | "bytes";
  /** Newest first: those with a lower id. */
  readonly before: number | null;
  readonly limit: number;
}

/** A live connection with what it counted, as of some seconds before. */
export interface LiveFlow extends Flow {
  /** Increases with every connection while netd runs. */
  readonly id: number;
  /** Since its first packet; null: longer than connections are followed. */
  readonly seconds: number | null;
  readonly counts: readonly [
    sentPackets: number,
    sentBytes: number,
    receivedPackets: number,
    receivedBytes: number,
  ];
}

/** A part of the live connections that match. */
export interface LiveFlows {
  /** Number of all that match. */
  readonly total: number;
  readonly items: readonly LiveFlow[];
}

/** Packets and bytes that each source of blocked ranges has blocked. */
export type BlockedCounters = Readonly<
  Record<string, { readonly packets: number; readonly bytes: number }>
>;

/** Something that happened in the kernel outside a plan of ours. */
export type KernelEvent =
  /** A link, its addresses, routes or fixed neighbours; `gone`: the link itself was deleted. */
  | { readonly kind: "link"; readonly name: string; readonly gone?: true }
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
  /**
   * What the sets of the table `ip accounting` counted; nothing where it is absent. With `flows` also
   * what connections counted since the batch that was acknowledged.
   */
  traffic(flows?: { readonly acknowledged: string | null }): Promise<TrafficReading>;
  /** What the links of the machine carried, by their names. */
  linkBytes(): Promise<Readonly<Record<string, LinkBytes>>>;
  /** Live IPv4 connections; none where the kernel does not report them. */
  liveFlows(query: LiveFlowsQuery): Promise<LiveFlows>;
  /**
   * Replaces all blocked ranges, in one transaction; null: their table goes. Throws Problem 502 with the
   * tool's words, and the earlier ranges stay.
   */
  block(ranges: BlockedRanges | null): Promise<void>;
  /**
   * What each source has blocked since it was loaded, by its type and key (`country RU`); null: the
   * kernel has no table of blocked ranges.
   */
  blocked(): Promise<BlockedCounters | null>;
  /** Number of prefixes in the table of blocked ranges, read one by one: takes seconds where they are many. */
  countBlocked(): Promise<number>;
  /** What the tools themselves show. Throws Problem 404 for what the kernel does not have. */
  inspect(what: Inspection): Promise<readonly InspectionEntry[]>;
  watch(listener: (event: KernelEvent) => void): () => void;
  /**
   * Reports the packets of the log groups until the returned function is called; absent where the
   * kernel is a model. `failed` receives the reason where they cannot be read for now.
   */
  followPackets?(
    report: (report: PacketReport) => void,
    failed: (error: unknown) => void,
  ): () => void;
  /**
   * How our tables differ from the applied plan: elements one by one, those of a large set
   * counted, and only when `thorough`. Empty before anything was loaded.
   */
  compare(thorough: boolean): Promise<readonly Finding[]>;
  close(): Promise<void>;
}
