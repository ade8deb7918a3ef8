import { InterfaceName, Ip, Ipv4, Mac } from "../../../core/net/grammar.ts";
import type { DesiredRoute } from "../../../core/kernel/desired.ts";
import { VXLAN_PORT } from "../../../core/kernel/facts.ts";
import type { IpOp } from "../../../core/kernel/plan.ts";
import type { IpRule, PolicyRoute } from "../../../core/kernel/policy_routing.ts";
import { parseAddress } from "../../../core/net/net.ts";
import { Problem } from "../../../core/errors/problem.ts";

/**
 * The equivalent arguments of ip(8), for error messages. Every argument is checked against its grammar.
 * Throws Problem 400.
 */
export function ipLine(op: IpOp): string {
  switch (op.op) {
    case "add-link":
      return `link add name ${link(op.name)} type ${kind(op.kind)}`;
    case "add-vlan":
      return `link add link ${link(op.vlan.parent)} name ${link(op.name)} ` +
        `type vlan id ${whole(op.vlan.tag, 1, 4094)}`;
    case "add-vxlan":
      return `link add name ${link(op.name)} type vxlan id ${whole(op.vxlan.id, 1, 2 ** 24 - 1)} ` +
        `remote ${ipv4(op.vxlan.remote)} dstport ${VXLAN_PORT} nolearning`;
    case "set-bridge":
      return `link set dev ${link(op.name)} ` +
        `${op.bridge === null ? "nomaster" : `master ${link(op.bridge)}`}`;
    case "set-isolated":
      return `link set dev ${link(op.name)} type bridge_slave isolated ${
        op.isolated ? "on" : "off"
      }`;
    case "set-mac":
      return `link set dev ${link(op.name)} address ${macArgument(op.mac)}`;
    case "set-mtu":
      return `link set dev ${link(op.name)} mtu ${whole(op.mtu, 68, 65535)}`;
    case "set-loose-rp-filter":
      throw new RangeError("The reverse-path filter is set by sysctl");
    case "replace-policy-route":
      return `route replace ${policyRoute(op.policyRoute)}`;
    case "delete-policy-route":
      return `route delete ${policyRoute(op.policyRoute)}`;
    case "add-rule":
      return `rule add ${rule(op.rule)}`;
    case "delete-rule":
      return `rule delete ${rule(op.rule)}`;
    case "delete-link":
      return `link delete dev ${link(op.name)}`;
    case "set-link":
      return `link set dev ${link(op.name)} ${op.up ? "up" : "down"}`;
    case "add-address":
      return `address ${op.mayBeThere ? "replace" : "add"} ` +
        `${network(op.address)} dev ${link(op.link)}`;
    case "delete-address":
      return `address delete ${network(op.address)} dev ${link(op.link)}`;
    case "replace-route":
      return `route replace ${route(op.route)}`;
    case "delete-route":
      return `route delete ${route(op.route)}`;
    case "replace-neighbour": {
      const { address: host, link: dev, mac } = op.neighbour;
      return `neighbour replace ${address(host)} lladdr ${macArgument(mac)} dev ${
        link(dev)
      } nud permanent`;
    }
    case "delete-neighbour":
      return `neighbour delete ${address(op.address)} dev ${link(op.link)}`;
  }
}

/** The Problem 502 for an operation that the kernel refused, with the kernel's error. */
export function lineRefused(op: IpOp, message: string): Problem {
  return new Problem(502, `The kernel refused "${ipLine(op)}": ${message.replace(/\.$/, "")}`);
}

/** `proto static` marks Sluice's routes, so that no other is deleted in their place. */
function route(entry: DesiredRoute): string {
  const via = entry.via === null ? "" : ` via ${address(entry.via)}`;
  const to = entry.destination === "default" ? "default" : network(entry.destination);
  return `${to}${via} dev ${link(entry.link)} proto static`;
}

function policyRoute(entry: PolicyRoute): string {
  const via = entry.via === null ? "" : ` via ${address(entry.via)}`;
  const table = entry.table === "main" ? "main" : whole(entry.table, 1, 252);
  const metric = entry.metric === 0 ? "" : ` metric ${whole(entry.metric, 1, 2 ** 32 - 1)}`;
  return `default${via} dev ${link(entry.link)} table ${table}${metric} proto static`;
}

/** Priorities of Sluice's rules: before the main table (32766), after the local one (0). */
export const PRIORITY = { local: 90, link: 100, source: 100, mark: 101 } as const;

function rule(entry: IpRule): string {
  const begin = `pref ${PRIORITY[entry.kind]}`;
  switch (entry.kind) {
    case "local":
      return `${begin} lookup main suppress_prefixlength 0`;
    case "link":
      return `${begin} oif ${link(entry.link)} lookup ${whole(entry.table, 1, 252)}`;
    case "source":
      return `${begin} from ${address(entry.address)} lookup ${whole(entry.table, 1, 252)}`;
    case "mark":
      return `${begin} fwmark ${whole(entry.table, 1, 252)} lookup ${whole(entry.table, 1, 252)}`;
  }
}

function whole(value: number, least: number, most: number): string {
  if (Number.isInteger(value) && value >= least && value <= most) return String(value);
  throw new Problem(400, `${value} is no number from ${least} to ${most}`);
}

function link(name: string): string {
  const result = InterfaceName.safeParse(name);
  if (result.success) return result.data;
  throw new Problem(400, `${JSON.stringify(name)} is no interface name`);
}

function kind(name: string): string {
  if (name === "dummy" || name === "bridge") return name;
  throw new Problem(400, `${JSON.stringify(name)} is no kind of link that Sluice makes`);
}

function address(text: string): string {
  if (Ip.safeParse(text).success) return text;
  throw new Problem(400, `${JSON.stringify(text)} is no IP address`);
}

function ipv4(text: string): string {
  if (Ipv4.safeParse(text).success) return text;
  throw new Problem(400, `${JSON.stringify(text)} is no IPv4 address`);
}

function network(text: string): string {
  const [host = "", prefix = "", ...rest] = text.split("/");
  const parsed = parseAddress(host);
  const most = parsed?.family === 4 ? 32 : 128;
  if (
    parsed !== null && rest.length === 0 && /^(0|[1-9]\d{0,2})$/.test(prefix) &&
    Number(prefix) <= most
  ) return text;
  throw new Problem(400, `${JSON.stringify(text)} is no address with a prefix length`);
}

function macArgument(text: string): string {
  const result = Mac.safeParse(text);
  if (result.success) return result.data;
  throw new Problem(400, `${JSON.stringify(text)} is no MAC address`);
}
