import type { Aside, Document, Reading } from "../core/document.ts";
import { formatIpv4, parseRange4 } from "../core/net.ts";
import { Problem } from "../core/problem.ts";
import { LeaseTime, Pool, SubnetConfig } from "./schema.ts";
import { overlapping } from "./subnet_rules.ts";

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
 * an earlier one, is kept aside. Throws Problem when none is left.
 */
function readSubnets(raw: unknown): Reading<SubnetConfig> {
  if (typeof raw !== "object" || raw === null || Array.isArray(raw)) {
    throw new Problem(400, "The address pools are an object with TinyNets and LeaseTime");
  }
  const { TinyNets, LeaseTime: time } = raw as Readonly<Record<string, unknown>>;
  const aside: Aside[] = [];
  const nets: string[] = [];
  (Array.isArray(TinyNets) ? TinyNets : []).forEach((entry, index) => {
    const net = Pool.safeParse(aligned(entry));
    const clash = net.success ? overlapping(net.data, nets) : undefined;
    if (net.success && clash === undefined) nets.push(net.data);
    else {
      const message = net.success ? `It overlaps ${clash}` : net.error.issues[0]!.message;
      aside.push({ pointer: `/TinyNets/${index}`, message, raw: entry });
    }
  });
  if (nets.length === 0) throw new Problem(400, "No address pool of the file can be used");
  const lease = LeaseTime.safeParse(time ?? FALLBACK.LeaseTime);
  if (!lease.success) throw new Problem(400, `/LeaseTime: ${lease.error.issues[0]!.message}`);
  return { value: { TinyNets: nets, LeaseTime: lease.data }, aside };
}

function aligned(entry: unknown): unknown {
  const range = typeof entry === "string" && entry.includes("/") ? parseRange4(entry) : null;
  return range === null ? entry : `${formatIpv4(range.first)}/${range.prefix}`;
}
