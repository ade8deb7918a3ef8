import * as z from "zod";
import type { Document, Reading } from "../core/config/document.ts";
import { formatIpv4, parseIpv4, parseRange4 } from "../core/net/net.ts";
import { isRecord } from "../core/config/json.ts";
import { readList } from "../core/config/read_list.ts";
import { Problem } from "../core/errors/problem.ts";
import { LeaseTime, MAX_TIME_SERVERS, Pool, SubnetConfig } from "./schema.ts";
import { overlapping, withTimeServers } from "./subnet_rules.ts";

const NO_SERVER = "A time server must be an IPv4 address";
const TimeServer = z.string({ error: NO_SERVER })
  .refine((text) => parseIpv4(text) !== null, { error: NO_SERVER });

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
  if (!isRecord(raw)) {
    throw new Problem(400, "DHCP settings must be an object with TinyNets and LeaseTime");
  }
  const { TinyNets, LeaseTime: time, NTPServers } = raw;
  const pools = readList<string>(Array.isArray(TinyNets) ? TinyNets : [], {
    schema: Pool,
    at: ["TinyNets"],
    prepare: aligned,
    fault(net, before) {
      const clash = overlapping(net, before);
      return clash === undefined ? null : `It overlaps ${clash}`;
    },
  });
  const nets = pools.value;
  if (nets.length === 0) throw new Problem(400, "The file has no valid address pool");
  const lease = LeaseTime.safeParse(time ?? FALLBACK.LeaseTime);
  if (!lease.success) throw new Problem(400, `/LeaseTime: ${lease.error.issues[0]!.message}`);
  const servers = readList<string>(Array.isArray(NTPServers) ? NTPServers : [], {
    schema: TimeServer,
    at: ["NTPServers"],
    fault: (_, before) =>
      before.length < MAX_TIME_SERVERS
        ? null
        : `At most ${MAX_TIME_SERVERS} time servers are allowed`,
  });
  return {
    value: withTimeServers({ TinyNets: nets, LeaseTime: lease.data }, servers.value),
    rejected: [...pools.rejected, ...servers.rejected],
  };
}

function aligned(entry: unknown): unknown {
  const range = typeof entry === "string" && entry.includes("/") ? parseRange4(entry) : null;
  return range === null ? entry : `${formatIpv4(range.first)}/${range.prefix}`;
}
