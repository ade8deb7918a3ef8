import type { Config } from "../../config.ts";
import type { Host, LiveFlow } from "../../core/kernel/host.ts";
import { inRange4, parseIpv4 } from "../../core/net/net.ts";
import { localRanges } from "../insights/local_pairs.ts";
import type { AddressNetwork } from "../insights/insights.ts";
import { containerNetworks, type Traffic } from "../open.ts";
import type { FlowPage, FlowQuery, LiveConnection } from "./schema.ts";

/** What a page of connections is made of. */
export interface FlowSources {
  readonly traffic: Pick<Traffic, "counters" | "names" | "pairs" | "lookUp">;
  readonly engine: {
    readonly config: Pick<Config, "dhcp" | "firewall">;
    readonly host: Pick<Host, "liveFlows">;
  };
}

const UNKNOWN: AddressNetwork = { asn: 0, name: "", country: "" };

/** A page of live connections with what is known of their remote ends. Throws Problem 502. */
export async function flowPage(query: FlowQuery, sources: FlowSources): Promise<FlowPage> {
  const { traffic, engine } = sources;
  const { config } = engine;
  const found = await engine.host.liveFlows({
    addresses: query.device === undefined ? null : [query.device],
    remotes: await remotesOf(query, traffic),
    order: query.order,
    before: query.after ?? null,
    limit: query.limit,
  });
  const local = localRanges([...config.dhcp.TinyNets, ...containerNetworks(config)]);
  const isLocal = (address: string): boolean => {
    const value = parseIpv4(address);
    return value !== null && local.some((range) => inRange4(range, value));
  };
  const ends = found.items.map((flow) => endsOf(flow, query.device, isLocal));
  const networks = await traffic.lookUp(ends.map(({ remote }) => remote));
  const items = ends.map((one, at): LiveConnection => {
    const { asn, name, country } = networks[at] ?? UNKNOWN;
    const resolved = traffic.names.nameOf(one.device, one.remote);
    return { ...one, name: resolved, asn, network: name, country };
  });
  const isFull = items.length === query.limit && query.order === "newest";
  return { items, next: isFull ? String(items.at(-1)!.id) : null, total: found.total };
}

/** Addresses that a name, country and network leave; null: all. */
async function remotesOf(
  { name, country, asn }: FlowQuery,
  { names, pairs, lookUp, counters }: FlowSources["traffic"],
): Promise<readonly string[] | null> {
  const named = name === undefined ? null : names.addressesOf(name);
  if (country === undefined && asn === undefined) return named === null ? null : [...named];
  if (named === null) await counters.readFlows();
  const candidates = named === null
    ? [...new Set(pairs.list().flatMap(({ source, destination }) => [source, destination]))]
    : [...named];
  const networks = await lookUp(candidates);
  return candidates.filter((_, at) =>
    (country === undefined || networks[at]?.country === country) &&
    (asn === undefined || networks[at]?.asn === asn)
  );
}

/** A connection as its device sees it: the requested one, a local end, or the one that began it. */
function endsOf(
  flow: LiveFlow,
  wanted: string | undefined,
  isLocal: (address: string) => boolean,
): Omit<LiveConnection, "name" | "asn" | "network" | "country"> {
  const { id, protocol, seconds, counts: [sent, sentBytes, received, receivedBytes] } = flow;
  const begins = { address: flow.source, port: flow.sport ?? null };
  const answers = { address: flow.replySource, port: flow.replySport ?? null };
  const inbound = wanted === undefined
    ? !isLocal(begins.address) && isLocal(answers.address)
    : wanted !== begins.address;
  const [device, remote] = inbound ? [answers, begins] : [begins, answers];
  return {
    ...{ id, protocol, seconds, inbound },
    ...{ device: device.address, devicePort: device.port },
    ...{ remote: remote.address, remotePort: remote.port },
    packetsIn: inbound ? sent : received,
    packetsOut: inbound ? received : sent,
    bytesIn: inbound ? sentBytes : receivedBytes,
    bytesOut: inbound ? receivedBytes : sentBytes,
  };
}
