import type { Flow } from "../../../core/kernel/host.ts";
import { parseAddress } from "../../../core/net/net.ts";
import { Problem } from "../../../core/errors/problem.ts";
import { run, toolMessage } from "../../tools/run.ts";

/** One tracked connection takes about 200 bytes; a table has up to 262,144 of them by default. */
const MAX_LISTING = 128 * 1024 * 1024;

/** Shorter than netd's deadlines for reads and writes, which end netd. */
const LIST_TIMEOUT_S = 15;
const FLUSH_TIMEOUT_S = 25;

/**
 * The connection in a line of `conntrack -L -o extended`, whose first tuple is the original direction
 * and whose second is the reply; null for another protocol or an unreadable line.
 */
export function parseFlow(line: string): Flow | null {
  const words = line.split(/\s+/);
  const protocol = words[2] === "ipv6-icmp" || words[2] === "icmpv6" ? "icmp" : words[2];
  if (protocol !== "tcp" && protocol !== "udp" && protocol !== "icmp") return null;
  const all = (key: string): string[] =>
    words.flatMap((word) => word.startsWith(`${key}=`) ? [word.slice(key.length + 1)] : []);
  const [source, replySource] = all("src");
  const [destination, replyDestination] = all("dst");
  if (
    source === undefined || destination === undefined || replySource === undefined ||
    replyDestination === undefined
  ) return null;
  const ends = { protocol, source, destination, replySource, replyDestination } as const;
  if (protocol === "icmp") return ends;
  const [sport, replySport] = all("sport").map(Number);
  const [dport, replyDport] = all("dport").map(Number);
  if (
    sport === undefined || dport === undefined || replySport === undefined ||
    replyDport === undefined
  ) return null;
  return { ...ends, sport, dport, replySport, replyDport };
}

/** How a line begins: family and protocol, each as a name and a number. */
const LINE = /^ipv[46]\s+\d+\s+\S+\s+\d+\s/;
/** Protocols of which every line has to be understood. */
const FLOW_LINE = /^\S+\s+\d+\s+(tcp|udp|icmp|icmpv6|ipv6-icmp)\s/;

/**
 * The connections of a listing that have one of the addresses at any of their four ends. Throws Problem
 * 502 for what is no listing: connections that must end would live on in silence.
 */
export function parseFlows(text: string, addresses: readonly string[]): readonly Flow[] {
  const wanted = new Set(addresses);
  return parseListing(text).filter((flow) => endsOf(flow).some((end) => wanted.has(end)));
}

function parseListing(text: string): readonly Flow[] {
  return text.split("\n").flatMap((line) => {
    if (line === "") return [];
    const flow = parseFlow(line);
    if (!LINE.test(line) || flow === null && FLOW_LINE.test(line)) {
      throw new Problem(
        502,
        "The list of connections that conntrack gives cannot be read",
      );
    }
    return flow === null ? [] : [flow];
  });
}

/** The line of `conntrack --load-file` that deletes exactly this connection. Throws Problem 400. */
export function deleteLine(flow: Flow): string {
  const [source, destination, replySource, replyDestination] = endsOf(flow).map(address);
  const family = parseAddress(flow.source)?.family === 6 ? "ipv6" : "ipv4";
  const line = `-D -f ${family} -s ${source} -d ${destination} -r ${replySource} ` +
    `-q ${replyDestination}`;
  if (flow.protocol === "icmp") return `${line} -p ${family === "ipv6" ? "icmpv6" : "icmp"}`;
  return `${line} -p ${flow.protocol === "tcp" ? "tcp" : "udp"} --sport ${port(flow.sport)} ` +
    `--dport ${port(flow.dport)} --reply-port-src ${port(flow.replySport)} ` +
    `--reply-port-dst ${port(flow.replyDport)}`;
}

/** Connections that have one of the addresses on either side, before or after translation. */
export async function listFlows(addresses: readonly string[]): Promise<readonly Flow[]> {
  const families = new Set(addresses.map((text) => parseAddress(text)?.family ?? 4));
  const lists = await Promise.all(
    [...families].map(async (family) => parseFlows(await listing(family), addresses)),
  );
  return lists.flat();
}

/** Every IPv6 connection. Throws Problem 502. */
export async function listIpv6Flows(): Promise<readonly Flow[]> {
  return parseListing(await listing(6));
}

async function listing(family: 4 | 6): Promise<string> {
  const result = await run("conntrack", {
    args: ["-L", "-f", family === 6 ? "ipv6" : "ipv4", "-o", "extended"],
    seconds: LIST_TIMEOUT_S,
    maxOutput: MAX_LISTING,
  });
  if (!result.ok) throw new Problem(502, `conntrack: ${toolMessage(result)}`);
  return result.stdout;
}

/** Flushes exactly these conntrack entries; one that is gone already is no error. */
export async function flushByTool(flows: readonly Flow[]): Promise<void> {
  if (flows.length === 0) return;
  const result = await run("conntrack", {
    args: ["--load-file", "-"],
    stdin: [...new Set(flows.map((flow) => `${deleteLine(flow)}\n`))].join(""),
    seconds: FLUSH_TIMEOUT_S,
  });
  if (!result.ok) throw new Problem(502, `conntrack: ${toolMessage(result)}`);
}

/** Addresses of a connection, before and after translation. */
export function endsOf(flow: Flow): readonly string[] {
  return [flow.source, flow.destination, flow.replySource, flow.replyDestination];
}

function address(text: string): string {
  if (parseAddress(text) !== null) return text;
  throw new Problem(400, `${JSON.stringify(text)} is no IP address`);
}

function port(value: number | undefined): string {
  if (value !== undefined && Number.isInteger(value) && value >= 0 && value <= 65535) {
    return String(value);
  }
  throw new Problem(400, `${value} is no port`);
}
