import type { Document, Reading, RejectedEntry } from "../core/config/document.ts";
import { formatIpv4, parseIpv4, parseRange4 } from "../core/net/net.ts";
import { Problem } from "../core/errors/problem.ts";
import { LeaseTime, MAX_TIME_SERVERS, Pool, SubnetConfig } from "./schema.ts";
import { overlapping, withTimeServers } from "./subnet_rules.ts";

const FALLBACK: SubnetConfig = { TinyNets: ["192.168.2.0/24"], LeaseTime: "24h0m0s" };

/** The address pools and the lease time (`configs/base/dhcp.json`). */
export const dhcpDocument: Document<SubnetConfig> = {
  path: "base/dhcp.json",
  topic: "dhcp",
  schema: SubnetConfig,
  fallback: FALLBACK,
  read: readSubnets,
};

/**
 * Reads the pools: host bits are dropped, as older files hold them; a pool that is none, or overlaps
 * an earlier one, is rejected. Throws Problem when none is left.
 */
function readSubnets(raw: unknown): Reading<SubnetConfig> {
  if (typeof raw !== "object" || raw === null || Array.isArray(raw)) {
    throw new Problem(400, "DHCP settings must be an object with TinyNets and LeaseTime");
  }
  const { TinyNets, LeaseTime: time, NTPServers } = raw as Readonly<Record<string, unknown>>;
  const rejected: RejectedEntry[] = [];
  const nets: string[] = [];
  (Array.isArray(TinyNets) ? TinyNets : []).forEach((entry, index) => {
    const net = Pool.safeParse(aligned(entry));
    const clash = net.success ? overlapping(net.data, nets) : undefined;
    if (net.success && clash === undefined) nets.push(net.data);
    else {
      const message = net.success ? `It overlaps ${clash}` : net.error.issues[0]!.message;
      rejected.push({ pointer: `/TinyNets/${index}`, message, raw: entry });
    }
  });
  if (nets.length === 0) throw new Problem(400, "The file has no valid address pool");
  const lease = LeaseTime.safeParse(time ?? FALLBACK.LeaseTime);
  if (!lease.success) throw new Problem(400, `/LeaseTime: ${lease.error.issues[0]!.message}`);
  const servers: string[] = [];
  (Array.isArray(NTPServers) ? NTPServers : []).forEach((entry, index) => {
    const isServer = typeof entry === "string" && parseIpv4(entry) !== null;
    if (isServer && servers.length < MAX_TIME_SERVERS) servers.push(entry);
    else {
      const message = isServer
        ? `At most ${MAX_TIME_SERVERS} time servers are allowed`
        : "A time server must be an IPv4 address";
      rejected.push({ pointer: `/NTPServers/${index}`, message, raw: entry });
    }
  });
  return {
    value: withTimeServers({ TinyNets: nets, LeaseTime: lease.data }, servers),
    rejected,
  };
}

function aligned(entry: unknown): unknown {
  const range = typeof entry === "string" && entry.includes("/") ? parseRange4(entry) : null;
  return range === null ? entry : `${formatIpv4(range.first)}/${range.prefix}`;
}
