import type { LinkBytes } from "../core/kernel/host.ts";
import type { DnsStatus } from "../dns/config/status_schema.ts";
import type { BlockMetrics } from "../dns/block/api_schema.ts";
import type { ChannelState } from "../alerts/channels/schema.ts";
import type { HistoryServerState } from "../events/server/state_schema.ts";
import type { Topology } from "../topology/schema.ts";
import type { TrafficSnapshot } from "../traffic/schema.ts";
import type { UplinkStatus } from "../uplink/status_schema.ts";
import type { Metric, Sample } from "./exposition.ts";

/** Times together and how many they are, by what took them. */
type Times = ReadonlyMap<string, { readonly seconds: number; readonly count: number }>;

/** What metrics are made of; null: who would say does not run at present. */
export interface Readings {
  readonly version: string;
  readonly topology: Topology;
  readonly traffic: TrafficSnapshot | null;
  /** Live connections; null where netd does not run. */
  readonly flows: number | null;
  readonly dns: DnsStatus | null;
  readonly blocking: BlockMetrics | null;
  /** Addresses that DHCP may give to devices, and those that devices have. */
  readonly dhcp: { readonly pool: number; readonly used: number };
  readonly uplinks: readonly UplinkStatus[];
  /** What the links of uplinks carried, by the names of the uplinks. */
  readonly uplinkBytes: ReadonlyMap<string, LinkBytes>;
  /** Whether processes respond. */
  readonly processes: Readonly<Record<string, boolean>>;
  /** Whether the configuration is applied to the kernel. */
  readonly isApplied: boolean;
  readonly stages: Times;
  /** Of requests, by the stage they arrived at. */
  readonly requests: Times;
  /** How deliveries of each channel of alerts stand, with the channel's kind. */
  readonly channels: readonly (ChannelState & { readonly kind: string })[];
  /** How sending to the history server stands; null where there is none. */
  readonly history: HistoryServerState | null;
  /** Unix milliseconds. */
  readonly now: number;
  /** Events by the first word of their topics. */
  readonly events: ReadonlyMap<string, number>;
  /** Of the api itself. */
  readonly memory: { readonly rss: number; readonly heapUsed: number };
  readonly uptimeSeconds: number;
}

/** Every metric of the router. Pure. */
export function metricsOf(readings: Readings): readonly Metric[] {
  return [
    ...routerMetrics(readings),
    ...deviceMetrics(readings),
    ...(readings.dns === null ? [] : dnsMetrics(readings.dns)),
    ...(readings.blocking === null ? [] : blockingMetrics(readings.blocking)),
    ...wifiMetrics(readings.topology),
    ...uplinkMetrics(readings),
    ...channelMetrics(readings),
    ...(readings.history === null ? [] : historyMetrics(readings.history, readings.now)),
  ];
}

function gauge(name: string, help: string, samples: readonly Sample[]): Metric {
  return { name: `sluice_${name}`, help, type: "gauge", samples };
}

function counter(name: string, help: string, samples: readonly Sample[]): Metric {
  return { name: `sluice_${name}_total`, help, type: "counter", samples };
}

function one(value: number): readonly Sample[] {
  return [{ value }];
}

function routerMetrics(readings: Readings): readonly Metric[] {
  const { stages, processes, events, memory, dhcp, flows } = readings;
  return [
    gauge("build_info", "The version of the program, as a label.", [
      { labels: { version: readings.version }, value: 1 },
    ]),
    gauge(
      "process_up",
      "Whether a process responds.",
      Object.entries(processes).map(([process, isUp]) => ({
        labels: { process },
        value: Number(isUp),
      })),
    ),
    gauge("api_resident_memory_bytes", "Memory that the api occupies.", one(memory.rss)),
    gauge("api_heap_used_bytes", "Memory that values of the api occupy.", one(memory.heapUsed)),
    gauge("api_uptime_seconds", "Since the api started.", one(readings.uptimeSeconds)),
    gauge(
      "network_applied",
      "Whether the configuration is applied to the kernel.",
      one(Number(readings.isApplied)),
    ),
    {
      name: "sluice_engine_stage_seconds",
      help: "Time that changes of the configuration took, by the step they arrived at.",
      type: "summary",
      samples: timeSamples(stages),
    },
    {
      name: "sluice_request_stage_seconds",
      help:
        "Time that requests took: until their callers were known, until they were found valid, " +
        "until they were answered, and as a whole.",
      type: "summary",
      samples: timeSamples(readings.requests),
    },
    counter(
      "events",
      "Published events, by the first word of their topics.",
      [...events].map(([area, value]) => ({ labels: { area }, value })),
    ),
    gauge("dhcp_pool_addresses", "Addresses that DHCP may give to devices.", one(dhcp.pool)),
    gauge("dhcp_used_addresses", "Addresses of the pool that devices have.", one(dhcp.used)),
    gauge("connections", "Connections that the router tracks.", flows === null ? [] : one(flows)),
  ];
}

function timeSamples(times: Times): readonly Sample[] {
  return [...times].flatMap(([stage, { seconds, count }]): Sample[] => [
    { labels: { stage }, value: seconds, part: "sum" },
    { labels: { stage }, value: count, part: "count" },
  ]);
}

function deviceMetrics({ topology, traffic }: Readings): readonly Metric[] {
  const devices = topology.Nodes.filter(({ Kind }) => Kind === "device");
  const byConnection = Map.groupBy(devices, ({ ConnType }) => ConnType ?? "offline");
  const bytes = Object.entries(traffic ?? {}).flatMap(([ip, sums]): Sample[] => [
    { labels: { ip, network: "lan", direction: "received" }, value: sums.LanIn },
    { labels: { ip, network: "lan", direction: "sent" }, value: sums.LanOut },
    { labels: { ip, network: "wan", direction: "received" }, value: sums.WanIn },
    { labels: { ip, network: "wan", direction: "sent" }, value: sums.WanOut },
  ]);
  return [
    gauge(
      "devices",
      "Devices by how they are connected.",
      ["wifi", "wired", "wireguard", "offline"].map((connection) => ({
        labels: { connection },
        value: byConnection.get(connection as "wifi")?.length ?? 0,
      })),
    ),
    counter("device_bytes", "Forwarded bytes of a local address.", bytes),
  ];
}

function dnsMetrics(dns: DnsStatus): readonly Metric[] {
  const resolvers = dns.upstreams.flatMap(({ name, resolvers }) =>
    resolvers.map((resolver) => ({
      ...resolver,
      labels: { group: name, address: resolver.address, tls_host: resolver.tlsHost ?? "" },
    }))
  );
  return [
    counter(
      "dns_queries",
      "DNS queries by outcome.",
      Object.entries(dns.counters).map(([outcome, value]) => ({ labels: { outcome }, value })),
    ),
    gauge("dns_cache_entries", "Responses in the cache.", one(dns.cache.entries)),
    gauge("dns_cache_bytes", "Size of the cache.", one(dns.cache.bytes)),
    gauge("dns_pending_lookups", "Lookups at upstream resolvers that run.", one(dns.pending)),
    gauge("dns_client_connections", "TCP connections of clients.", one(dns.connections)),
    counter("dns_unlogged_queries", "Queries that the log could not take.", one(dns.unlogged)),
    gauge(
      "dns_upstream_up",
      "Whether an upstream resolver responds.",
      resolvers.filter(({ state }) => state !== "unknown")
        .map(({ labels, state }) => ({ labels, value: Number(state === "up") })),
    ),
    gauge(
      "dns_upstream_latency_seconds",
      "Time until an upstream resolver responds, smoothed.",
      resolvers.flatMap(({ labels, latency }) =>
        latency === null ? [] : [{ labels, value: latency / 1000 }]
      ),
    ),
    counter(
      "dns_upstream_queries",
      "Queries that were sent to an upstream resolver.",
      resolvers.map(({ labels, queries: value }) => ({ labels, value })),
    ),
    counter(
      "dns_upstream_failures",
      "Queries that an upstream resolver did not answer.",
      resolvers.map(({ labels, failed: value }) => ({ labels, value })),
    ),
  ];
}

function blockingMetrics(blocking: BlockMetrics): readonly Metric[] {
  return [
    counter("dns_blocked_queries", "DNS queries that were blocked.", one(blocking.BlockedQueries)),
    gauge("dns_blocked_domains", "Domains on active block lists.", one(blocking.BlockedDomains)),
  ];
}

function wifiMetrics({ Nodes }: Topology): readonly Metric[] {
  const radios = Nodes.flatMap(({ Kind, Iface, ID, SSID = "", Radio }) =>
    Kind !== "ap_radio" || Radio === undefined
      ? []
      : [{ labels: { interface: Iface ?? ID.replace("iface:", ""), ssid: SSID }, ...Radio }]
  );
  return [
    gauge(
      "wifi_stations",
      "Stations of an access point.",
      radios.map(({ labels, Stations: value }) => ({ labels, value })),
    ),
    gauge(
      "wifi_channel",
      "Channel of an access point.",
      radios.map(({ labels, Channel: value }) => ({ labels, value })),
    ),
    gauge(
      "wifi_signal_dbm",
      "Signal of a device at its access point.",
      Nodes.flatMap(({ MAC, Iface = "", Signal }) =>
        MAC === undefined || Signal === undefined
          ? []
          : [{ labels: { mac: MAC, interface: Iface }, value: Signal.RSSI }]
      ),
    ),
  ];
}

function uplinkMetrics({ uplinks, uplinkBytes }: Readings): readonly Metric[] {
  const bytes = [...uplinkBytes].flatMap(([name, carried]): readonly Sample[] => [
    { labels: { interface: name, direction: "received" }, value: carried.received },
    { labels: { interface: name, direction: "sent" }, value: carried.sent },
  ]);
  const each = (value: (uplink: UplinkStatus) => number): readonly Sample[] =>
    uplinks.map((uplink) => ({ labels: { interface: uplink.Iface }, value: value(uplink) }));
  return [
    gauge("uplink_up", "Whether an uplink leads to the Internet.", each(({ Up }) => Number(Up))),
    gauge(
      "uplink_active",
      "Whether new connections may use an uplink.",
      each(({ Active }) => Number(Active)),
    ),
    gauge(
      "uplink_latency_seconds",
      "Time until probes are answered.",
      each(({ LatencyMs }) => LatencyMs / 1000),
    ),
    gauge(
      "uplink_jitter_seconds",
      "How much that time varies.",
      each(({ JitterMs }) => JitterMs / 1000),
    ),
    gauge(
      "uplink_loss_ratio",
      "Probes that are not answered, 0 to 1.",
      each(({ LossPct }) => LossPct / 100),
    ),
    counter("uplink_bytes", "Bytes that an uplink carried, by the kernel's count.", bytes),
    counter(
      "uplink_outages",
      "Outages that are on record.",
      each(({ TotalOutages }) => TotalOutages),
    ),
    gauge(
      "uplink_downtime_seconds",
      "Time without the uplink in the last 24 hours.",
      each(({ Downtime24h }) => Downtime24h),
    ),
    gauge(
      "uplink_share_ratio",
      "How much of all new connections an uplink gets, 0 to 1.",
      each(({ SharePct }) => SharePct / 100),
    ),
  ];
}

function channelMetrics({ channels, now }: Readings): readonly Metric[] {
  type Channel = Readings["channels"][number];
  const each = (value: (channel: Channel) => number): readonly Sample[] =>
    channels.map((channel) => ({
      labels: { channel: channel.id, kind: channel.kind },
      value: value(channel),
    }));
  return [
    gauge(
      "alert_messages_waiting",
      "Messages that wait for a channel.",
      each((one) => one.waiting),
    ),
    gauge(
      "alert_oldest_message_seconds",
      "How long the oldest message waits for a channel.",
      each(({ oldestAt }) => age(oldestAt, now)),
    ),
    gauge(
      "alert_channel_up",
      "Whether the last message to a channel was accepted.",
      channels.filter(({ at }) => at > 0)
        .map(({ id, kind, ok }) => ({ labels: { channel: id, kind }, value: Number(ok) })),
    ),
    counter("alert_messages_lost", "Messages that were given up.", each(({ lost }) => lost)),
  ];
}

function historyMetrics(
  { waiting, oldestAt, problem }: HistoryServerState,
  now: number,
): readonly Metric[] {
  return [
    gauge("history_server_up", "Whether the history server takes events.", one(+(problem === ""))),
    gauge("history_events_waiting", "Events that wait for the history server.", one(waiting)),
    gauge(
      "history_oldest_event_seconds",
      "How long the oldest event waits for the history server.",
      one(age(oldestAt, now)),
    ),
  ];
}

/** Seconds since a time; 0 for a time that is none. */
function age(at: number, now: number): number {
  return at === 0 ? 0 : Math.max(0, now - at) / 1000;
}
