import { udpLimit } from "../../../system/dns/codec/response_encoder.ts";
import type { ReplyChannel } from "../../../system/dns/resolver/pending_queries.ts";
import { compileFilter } from "../../../system/dns/block/verdict/compile.ts";
import type { CompiledFilter } from "../../../system/dns/block/verdict/compiled_filter.ts";
import { DEFAULT_BLOCK_CONFIG } from "../../../system/dns/block/document.ts";
import { EMPTY_TABLE, type NameTable } from "../../../system/dns/block/table/name_table.ts";
import type { BlockConfig } from "../../../system/dns/block/schema.ts";
import { RecordSegment } from "../../../system/dns/log/segments/record_segment.ts";
import { SegmentWriter } from "../../../system/dns/log/segments/segment_writer.ts";
import type { LoggedQuery } from "../../../system/dns/log/segments/entry.ts";
import { DEFAULT_LOG_CONFIG } from "../../../system/dns/log/schema.ts";
import type { QueryRecord } from "../../../system/dns/log/writer/sink.ts";
import { Resolver } from "../../../system/dns/resolver/resolver.ts";
import type { DnsClient } from "../../../system/dns/resolver/client.ts";
import type { DnsSnapshot } from "../../../system/dns/config/snapshot_schema.ts";
import { DEFAULT_SETTINGS } from "../../../system/dns/config/settings_schema.ts";
import {
  type ReadMessage,
  readMessage,
  wireA,
  type WireMessage,
  wireMessage,
  wireQuery,
} from "./wire.ts";
import { FakeUpstreamNetwork, ManualClock, type Serve, settle } from "./fake_upstream.ts";

/** Addresses of the default resolver and of the family's. */
export const DEFAULT_UPSTREAM = "9.9.9.9", FAMILY_UPSTREAM = "1.1.1.3";

/**
 * Size of a bed's cache, more than most tests fill. That of the program, 18 MB that are cleared at the
 * start, would be most of the work of a bed.
 */
const CACHE_LIMITS = { entries: 1280, bytes: 1024 * 1024 };

/** A client of the resolver. */
export function dnsClient(more: Partial<DnsClient> = {}): DnsClient {
  return {
    address: "192.168.2.6",
    identity: "02:00:00:00:00:06",
    name: "",
    tags: [],
    groups: [],
    policies: ["dns"],
    custom: "",
    ...more,
  };
}

/** How a query is sent. */
export interface DnsQueryOptions extends WireMessage {
  readonly from?: string;
  readonly stream?: boolean;
  /** Milliseconds by which the clock advances; default 20. */
  readonly wait?: number;
}

/** A resolver over a network in memory. */
export class DnsBed {
  readonly clock: ManualClock = new ManualClock();
  readonly network: FakeUpstreamNetwork = new FakeUpstreamNetwork(this.clock);
  /** Logged queries. */
  readonly records: LoggedQuery[] = [];
  readonly resolver: Resolver;
  /** Domains of block lists; active from the next {@link block} on. */
  table: NameTable = EMPTY_TABLE;
  #snapshot: DnsSnapshot = {
    tag: "1",
    settings: {
      ...DEFAULT_SETTINGS,
      UpstreamProviders: [{ IPAddress: DEFAULT_UPSTREAM, TLSHost: "", DisableTls: true }],
      FamilyProviders: [{ IPAddress: FAMILY_UPSTREAM, TLSHost: "", DisableTls: true }],
    },
    clients: [dnsClient()],
    names: [],
    block: DEFAULT_BLOCK_CONFIG,
    log: DEFAULT_LOG_CONFIG,
    listen: [],
    networks: ["192.168.2.1/24"],
    override: "",
    trusted: [],
  };
  #block: CompiledFilter = compileFilter(DEFAULT_BLOCK_CONFIG, EMPTY_TABLE);

  /** `recorded`: whether {@link records} are kept; `wholeCache`: with the size of the program's. */
  constructor(
    more: Partial<DnsSnapshot> = {},
    { recorded = true, wholeCache = false }: {
      readonly recorded?: boolean;
      readonly wholeCache?: boolean;
    } = {},
  ) {
    let seed = 7;
    this.resolver = new Resolver({
      network: this.network,
      clock: this.clock,
      random: (length) =>
        Uint8Array.from({ length }, () => (seed = seed * 1103515245 + 12345 & 0x7fffffff) >> 16),
      unixNow: () => 1_800_000_000_000 + this.clock.now(),
      block: () => this.#block,
      log: recorded ? { record: (one) => this.records.push(recordOf(one)) } : null,
      ...(wholeCache ? {} : { cacheLimits: CACHE_LIMITS }),
    });
    this.configure(more);
    this.#compile();
  }

  /** Changes the snapshot; the filter is compiled again only when its sources change. */
  configure(more: Partial<DnsSnapshot>): void {
    this.#snapshot = { ...this.#snapshot, ...more };
    this.resolver.configure(this.#snapshot);
    if (more.block !== undefined || more.clients !== undefined) this.#compile();
  }

  block(more: Partial<BlockConfig>): void {
    this.configure({ block: { ...this.#snapshot.block, ...more } });
  }

  /** Changes the filter without a new snapshot, as when a list has arrived. */
  decide(more: Partial<BlockConfig>): void {
    this.#snapshot = { ...this.#snapshot, block: { ...this.#snapshot.block, ...more } };
    this.#compile();
  }

  /** The active filter. */
  get compiled(): CompiledFilter {
    return this.#block;
  }

  /** Queries that went upstream, as `address type name`. */
  get upstreamQueries(): readonly string[] {
    return this.network.sent.map(({ to, bytes }) => {
      const { name, type } = readMessage(bytes).questions[0]!;
      return `${to.split(" ")[1]} ${type} ${name.toLowerCase()}`;
    });
  }

  /** Sets options an upstream resolver responds. */
  serve(address: string, serve: Serve): void {
    this.network.udpServers.set(address, serve);
    this.network.tcpServers.set(address, serve);
  }

  /** Sends a query; null without a response in time. */
  async query(name: string, type = 1, options: DnsQueryOptions = {}): Promise<ReadMessage | null> {
    return await this.send(wireQuery(name, type, options), options);
  }

  /** Sends raw bytes. */
  async send(bytes: Uint8Array, { from, stream = false, wait = 20 }: DnsQueryOptions = {}) {
    const got = this.sendNow(bytes, { from: from ?? "192.168.2.6", stream });
    await settle();
    if (got.length === 0) await this.clock.advance(wait);
    return got[0] === undefined || got[0] === null ? null : readMessage(got[0]);
  }

  /** Sends raw bytes and does not wait: responses are added to the returned list. */
  sendNow(
    bytes: Uint8Array,
    { from, stream }: { readonly from: string; readonly stream: boolean },
  ): (Uint8Array | null)[] {
    const got: (Uint8Array | null)[] = [];
    const channel: ReplyChannel = {
      stream,
      limit: stream ? () => 65_535 : udpLimit,
      send: (answer) => got.push(answer?.slice() ?? null),
    };
    const out = new Uint8Array(stream ? 65_535 : 4096);
    const sender = { address: from, port: 4000, local: "192.168.2.1" };
    const length = this.resolver.handle(bytes, out, sender, channel);
    if (length > 0) got.push(out.slice(0, length));
    return got;
  }

  #compile(): void {
    const { block, clients } = this.#snapshot;
    this.#block = compileFilter(block, this.table, clients);
  }
}

function recordOf(one: QueryRecord): LoggedQuery {
  const writer = new SegmentWriter(0);
  writer.add(one);
  return RecordSegment.read(writer.take()!)!.query(0);
}

/** A server that always responds with this address, or this message. */
export function respondWith(address: string, more: WireMessage = {}, ttl = 60, after = 5): Serve {
  return (upstreamQueries) => {
    const { id, questions } = readMessage(upstreamQueries);
    const answers = [wireA(questions[0]!.name, address, ttl)];
    return [{ bytes: wireMessage({ id, flags: 0x8180, questions, answers, ...more }), after }];
  };
}

/** The addresses in a message, or its code. */
export function addressesOf(message: ReadMessage | null): string {
  if (message === null) return "nothing";
  return message.answers.filter(({ type }) => type === 1).map(({ data }) => data).join() ||
    `code ${message.code}`;
}

/** A bed whose upstream resolvers respond with an address of their own each. */
export function dnsBed(more: Partial<DnsSnapshot> = {}): DnsBed {
  const bed = new DnsBed(more);
  bed.serve(DEFAULT_UPSTREAM, respondWith("192.0.2.1"));
  bed.serve(FAMILY_UPSTREAM, respondWith("192.0.2.2"));
  return bed;
}
