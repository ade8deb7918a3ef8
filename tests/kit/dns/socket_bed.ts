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

/** What a resolver on real sockets of the loopback works with. */
export interface RealBedOptions {
  readonly sockets: Pick<DnsSockets, "datagrams" | "upstream">;
  /** Addresses of the loopback on which it answers, on a port of its own choice. */
  readonly listen: readonly string[];
  /** Port on 127.0.0.1 of the resolver outside. */
  readonly outside: number;
  readonly names: readonly LocalName[];
  readonly blocked: readonly string[];
}

/** A resolver on real sockets. */
export interface RealBed {
  readonly resolver: Resolver;
  readonly port: number;
  close(): Promise<void>;
}

/** Starts a resolver that answers 127.0.0.0/8. */
export function realBed({ sockets, listen, outside, names, blocked }: RealBedOptions): RealBed {
  const compiled = compileFilter(
    { ...DEFAULT_BLOCK_CONFIG, BlockLists: [blockList("list")] },
    tableOf({ list: blocked }),
  );
  const resolver = new Resolver({
    outside: {
      ...sockets.upstream,
      udp: () => sockets.upstream.udp("127.0.0.1", outside),
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
  const places = listen.map((address) => sockets.datagrams(address, port));
  const heard = places.map((place) => {
    const way: ReplyChannel = {
      stream: false,
      limit: udpLimit,
      send: (bytes, to) => bytes === null || place.send(bytes, to),
    };
    return place.receive((query, out, from) => resolver.handle(query, out, from, way));
  });
  return {
    resolver,
    port,
    async close() {
      for (const place of places) place.close();
      await Promise.all(heard);
      resolver.close();
    },
  };
}
