import type { Config } from "../../system/config.ts";
import type { Bus } from "../../system/core/events/bus.ts";
import type { Engine } from "../../system/core/engine/engine.ts";
import type { Host } from "../../system/core/kernel/host.ts";
import { LOG_GROUPS, type PacketReport } from "../../system/core/kernel/logged_packet.ts";
import type { Log } from "../../system/core/log/log.ts";
import { documents } from "../../system/documents.ts";
import type { PacketEvent } from "../../system/firewall/packet_log/event_schema.ts";
import { RecentDomains } from "../../system/firewall/packet_log/recent_domains.ts";
import { explainPacket } from "../../system/reach/logged_packet.ts";

/** What the packet log works on. */
export interface PacketLogParts {
  readonly engine: Pick<Engine<Config>, "config" | "desired" | "planner" | "host">;
  readonly bus: Bus;
  readonly log: Pick<Log, "warn">;
  readonly now: () => number;
}

/** Topics after which the log may have to be read, or to be read from another kernel. */
const TOPICS = [documents.packetLog.topic, "network"];

/** Reads the packet log while the settings say so, and publishes it. Returns what ends that. */
export function publishPackets(parts: PacketLogParts): () => void {
  const { engine, bus, log, now } = parts;
  const domains = new RecentDomains();
  let followed: { readonly host: Host; readonly end: () => void } | null = null;
  let isRefused = false;
  const follow = (host: Host): () => void => {
    const stopDomains = bus.subscribe((event) => domains.note(event, now()));
    const stop = host.followPackets!((report) => {
      isRefused = false;
      publish(report, { ...parts, domains });
    }, (error) => {
      // It is tried again and again; once is enough to say so.
      if (!isRefused) log.warn("packets.not_read", "The packet log cannot be read", { error });
      isRefused = true;
    });
    return () => {
      stop();
      stopDomains();
    };
  };
  const adapt = (): void => {
    const { host } = engine;
    const isWanted = engine.config.packetLog.Log !== "off" && host.followPackets !== undefined;
    if (followed !== null && (!isWanted || followed.host !== host)) {
      followed.end();
      followed = null;
    }
    if (isWanted) followed ??= { host, end: follow(host) };
  };
  const unsubscribe = bus.subscribe(adapt, TOPICS);
  adapt();
  return () => {
    unsubscribe();
    followed?.end();
  };
}

function publish(
  report: PacketReport,
  { engine, bus, now, domains }: PacketLogParts & { readonly domains: RecentDomains },
): void {
  if ("lost" in report) {
    bus.publish("nft:skipped", { count: report.lost }, { kept: false });
    return;
  }
  const { packet, more } = report;
  const { group, prefix, at, inDev, outDev, original: _, ...headers } = packet;
  const [topic = "other"] = /^[a-z0-9:_-]{1,40}/.exec(prefix.toLowerCase()) ?? [];
  const source = domains.of(headers.IP?.SrcIP ?? "", now());
  const target = domains.of(headers.IP?.DstIP ?? "", now());
  const event: PacketEvent = {
    Prefix: topic,
    Action: group === LOG_GROUPS.allowed ? "allowed" : "blocked",
    Timestamp: new Date(at).toISOString(),
    InDev: inDev,
    OutDev: outDev,
    ...explainPacket(packet, engine, engine.planner),
    ...(source === undefined ? {} : { RecentDomainSrc: source }),
    ...(target === undefined ? {} : { RecentDomainDst: target }),
    ...(more === 0 ? {} : { More: more }),
    ...headers,
  };
  bus.publish(`nft:${topic}`, event, { kept: false });
}
