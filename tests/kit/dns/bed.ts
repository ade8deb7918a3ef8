import { udpLimit } from "../../../system/dns/codec/response_encoder.ts";
import type { ReplyChannel } from "../../../system/dns/resolver/pending_queries.ts";
import { type CompiledFilter, compileFilter } from "../../../system/dns/block/verdict/compile.ts";
import { DEFAULT_BLOCK_CONFIG } from "../../../system/dns/block/document.ts";
import { EMPTY_TABLE, type NameTable } from "../../../system/dns/block/table/name_table.ts";
import type { BlockConfig } from "../../../system/dns/block/schema.ts";
import { RecordSegment } from "../../../system/dns/log/segments/record_segment.ts";
import { SegmentWriter } from "../../../system/dns/log/segments/segment_writer.ts";
import type { LoggedQuery } from "../../../system/dns/log/segments/entry.ts";
import { DEFAULT_LOG_CONFIG } from "../../../system/dns/log/schema.ts";
import type { QueryRecord } from "../../../system/dns/log/writer/sink.ts";
import { Resolver } from "../../../system/dns/resolver/resolver.ts";
import type { DnsClient, DnsSnapshot } from "../../../system/dns/config/snapshot.ts";
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

/** Addresses of everyone's resolver and of the family's. */
export const EVERYONE = "9.9.9.9", FAMILY = "1.1.1.3";

/** A device that asks. */
export function dnsClient(more: Partial<DnsClient> = {}): DnsClient {
  return {
    address: "192.168.2.6",
    identity: "02:00:00:00:00:06",
    name: "",
    tags: [],
    policies: ["dns"],
    custom: "",
    ...more,
  };
}

/** How a question is asked. */
export interface DnsAsk extends WireMessage {
  readonly from?: string;
  readonly stream?: boolean;
  /** Milliseconds that the clock moves on; default 20. */
  readonly wait?: number;
}

/** A resolver over an outside in memory. */
export class DnsBed {
  readonly clock: ManualClock = new ManualClock();
  readonly outside: FakeUpstreamNetwork = new FakeUpstreamNetwork(this.clock);
  /** What the log would say of each question. */
  readonly records: LoggedQuery[] = [];
  readonly resolver: Resolver;
  /** Names of block lists; in force from the next {@link block} on. */
  table: NameTable = EMPTY_TABLE;
  #snapshot: DnsSnapshot = {
    tag: "1",
    settings: {
      ...DEFAULT_SETTINGS,
      UpstreamProviders: [{ IPAddress: EVERYONE, TLSHost: "", DisableTls: true }],
      FamilyProviders: [{ IPAddress: FAMILY, TLSHost: "", DisableTls: true }],
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

  /** `recorded`: whether {@link records} are kept. */
  constructor(
    more: Partial<DnsSnapshot> = {},
    { recorded = true }: { readonly recorded?: boolean } = {},
  ) {
    let seed = 7;
    this.resolver = new Resolver({
      outside: this.outside,
      clock: this.clock,
      random: (length) =>
        Uint8Array.from({ length }, () => (seed = seed * 1103515245 + 12345 & 0x7fffffff) >> 16),
      unixNow: () => 1_800_000_000_000 + this.clock.now(),
      block: () => this.#block,
      log: recorded ? { record: (one) => this.records.push(recordOf(one)) } : null,
    });
    this.configure(more);
    this.#compile();
  }

  /** Tells the resolver other things; what is decided is made ready anew only for what it is made of. */
  configure(more: Partial<DnsSnapshot>): void {
    this.#snapshot = { ...this.#snapshot, ...more };
    this.resolver.configure(this.#snapshot);
    if (more.block !== undefined || more.clients !== undefined) this.#compile();
  }

  block(more: Partial<BlockConfig>): void {
    this.configure({ block: { ...this.#snapshot.block, ...more } });
  }

  /** Decides otherwise without telling the resolver, as when a list has come. */
  decide(more: Partial<BlockConfig>): void {
    this.#snapshot = { ...this.#snapshot, block: { ...this.#snapshot.block, ...more } };
    this.#compile();
  }

  /** What is blocked and decided now. */
  get compiled(): CompiledFilter {
    return this.#block;
  }

  /** Questions that were asked outside, as `address type name`. */
  get asked(): readonly string[] {
    return this.outside.sent.map(({ how, bytes }) => {
      const { name, type } = readMessage(bytes).questions[0]!;
      return `${how.split(" ")[1]} ${type} ${name.toLowerCase()}`;
    });
  }

  /** Lets a resolver outside answer. */
  serve(address: string, serve: Serve): void {
    this.outside.udpServers.set(address, serve);
    this.outside.tcpServers.set(address, serve);
  }

  /** Asks; null when nothing was said within the time. */
  async ask(name: string, type = 1, how: DnsAsk = {}): Promise<ReadMessage | null> {
    return await this.send(wireQuery(name, type, how), how);
  }

  /** Sends bytes as they are. */
  async send(bytes: Uint8Array, { from, stream = false, wait = 20 }: DnsAsk = {}) {
    const got = this.sendNow(bytes, { from: from ?? "192.168.2.6", stream });
    await settle();
    if (got.length === 0) await this.clock.advance(wait);
    return got[0] === undefined || got[0] === null ? null : readMessage(got[0]);
  }

  /** Sends bytes and waits for nothing: what is said is put into the list when it is. */
  sendNow(
    bytes: Uint8Array,
    { from, stream }: { readonly from: string; readonly stream: boolean },
  ): (Uint8Array | null)[] {
    const got: (Uint8Array | null)[] = [];
    const way: ReplyChannel = {
      stream,
      limit: stream ? () => 65_535 : udpLimit,
      send: (answer) => got.push(answer?.slice() ?? null),
    };
    const out = new Uint8Array(stream ? 65_535 : 4096);
    const sender = { address: from, port: 4000, local: "192.168.2.1" };
    const length = this.resolver.handle(bytes, out, sender, way);
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

/** A server whose every answer is this address, or this message. */
export function answering(address: string, more: WireMessage = {}, ttl = 60, after = 5): Serve {
  return (asked) => {
    const { id, questions } = readMessage(asked);
    const answers = [wireA(questions[0]!.name, address, ttl)];
    return [{ bytes: wireMessage({ id, flags: 0x8180, questions, answers, ...more }), after }];
  };
}

/** Address answers of a message, or its code. */
export function addressesOf(message: ReadMessage | null): string {
  if (message === null) return "nothing";
  return message.answers.filter(({ type }) => type === 1).map(({ data }) => data).join() ||
    `code ${message.code}`;
}

/** A bed whose resolvers outside answer with an address of their own each. */
export function servedDns(more: Partial<DnsSnapshot> = {}): DnsBed {
  const made = new DnsBed(more);
  made.serve(EVERYONE, answering("192.0.2.1"));
  made.serve(FAMILY, answering("192.0.2.2"));
  return made;
}
