import { udpLimit } from "../../../system/dns/codec/response_encoder.ts";
import type { ReplyChannel } from "../../../system/dns/resolver/pending_queries.ts";
import { compileFilter } from "../../../system/dns/block/verdict/compile.ts";
import { DEFAULT_BLOCK_CONFIG } from "../../../system/dns/block/document.ts";
import { DEFAULT_LOG_CONFIG } from "../../../system/dns/log/schema.ts";
import { Resolver } from "../../../system/dns/resolver/resolver.ts";
import { DEFAULT_SETTINGS } from "../../../system/dns/config/settings_schema.ts";
import type { LocalName } from "../../../system/dns/config/snapshot_schema.ts";
import type { DnsSockets } from "../../../system/host/datagrams/dns_sockets.ts";
import { machineClock } from "../../../system/host/kernel/machine_clock.ts";
import { blockList, tableOf } from "./block.ts";

/** What a resolver on real loopback sockets needs. */
export interface SocketBedOptions {
  readonly sockets: Pick<DnsSockets, "datagrams" | "upstream">;
  /** Loopback addresses that it listens on, on a free port. */
  readonly listen: readonly string[];
  /** Port on 127.0.0.1 of the upstream resolver. */
  readonly upstreamPort: number;
  readonly names: readonly LocalName[];
  readonly blocked: readonly string[];
}

/** A resolver on real sockets. */
export interface SocketBed {
  readonly resolver: Resolver;
  readonly port: number;
  close(): Promise<void>;
}

/** Starts a resolver for clients of 127.0.0.0/8. */
export function socketBed(
  { sockets, listen, upstreamPort, names, blocked }: SocketBedOptions,
): SocketBed {
  const compiled = compileFilter(
    { ...DEFAULT_BLOCK_CONFIG, BlockLists: [blockList("list")] },
    tableOf({ list: blocked }),
  );
  const resolver = new Resolver({
    network: {
      ...sockets.upstream,
      udp: () => sockets.upstream.udp("127.0.0.1", upstreamPort),
    },
    clock: machineClock,
    random: (length) => crypto.getRandomValues(new Uint8Array(length)),
    unixNow: Date.now,
    block: () => compiled,
    log: null,
  });
  const provider = { IPAddress: "127.0.0.1", TLSHost: "", DisableTls: true };
  resolver.configure({
    tag: "1",
    settings: {
      ...DEFAULT_SETTINGS,
      UpstreamProviders: [provider],
      FamilyProviders: [provider],
    },
    ...{ clients: [], names, block: DEFAULT_BLOCK_CONFIG, log: DEFAULT_LOG_CONFIG, listen: [] },
    ...{ networks: ["127.0.0.0/8"], override: "", trusted: [] },
  });
  const free = Deno.listenDatagram({ transport: "udp", hostname: "127.0.0.1", port: 0 });
  const { port } = free.addr as Deno.NetAddr;
  free.close();
  const listeners = listen.map((address) => sockets.datagrams(address, port));
  const receiving = listeners.map((listener) => {
    const channel: ReplyChannel = {
      stream: false,
      limit: udpLimit,
      send: (bytes, to) => bytes === null || listener.send(bytes, to),
    };
    return listener.receive((query, out, from) => resolver.handle(query, out, from, channel));
  });
  return {
    resolver,
    port,
    async close() {
      for (const listener of listeners) listener.close();
      await Promise.all(receiving);
      resolver.close();
    },
  };
}
