import { InterfaceName, Ip, Mac } from "../core/grammar.ts";
import type { DesiredRoute, IpOp } from "../core/kernel.ts";
import { parseAddress } from "../core/net.ts";
import { Problem } from "../core/problem.ts";

/**
 * The line of `ip -batch` that carries out an operation. Every argument is checked against its grammar
 * once more, so that none can hold a blank or a line break. Throws Problem 400.
 */
export function ipLine(op: IpOp): string {
  switch (op.op) {
    case "add-link":
      return `link add name ${link(op.name)} type ${kind(op.kind)}`;
    case "delete-link":
      return `link delete dev ${link(op.name)}`;
    case "set-link":
      return `link set dev ${link(op.name)} ${op.up ? "up" : "down"}`;
    case "add-address":
      return `address add ${network(op.address)} dev ${link(op.link)}`;
    case "delete-address":
      return `address delete ${network(op.address)} dev ${link(op.link)}`;
    case "replace-route":
      return `route replace ${route(op.route)}`;
    case "delete-route":
      return `route delete ${route(op.route)}`;
    case "replace-neighbour": {
      const { address: host, link: dev, mac } = op.neighbour;
      return `neighbour replace ${address(host)} lladdr ${card(mac)} dev ${
        link(dev)
      } nud permanent`;
    }
    case "delete-neighbour":
      return `neighbour delete ${address(op.address)} dev ${link(op.link)}`;
  }
}

/** Operations as the text of one `ip -batch`. */
export function ipBatch(ops: readonly IpOp[]): string {
  return ops.map((op) => `${ipLine(op)}\n`).join("");
}

/** `proto static` marks our routes, and keeps others' from being deleted in their place. */
function route(entry: DesiredRoute): string {
  const via = entry.via === null ? "" : ` via ${address(entry.via)}`;
  const to = entry.destination === "default" ? "default" : network(entry.destination);
  return `${to}${via} dev ${link(entry.link)} proto static`;
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

function card(text: string): string {
  const result = Mac.safeParse(text);
  if (result.success) return result.data;
  throw new Problem(400, `${JSON.stringify(text)} is no MAC address`);
}
