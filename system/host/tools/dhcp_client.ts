import { InterfaceName, Ipv4 } from "../../core/net/grammar.ts";
import { Follower } from "../kernel/follower.ts";
import { endProcesses, ownProcesses, processMark } from "./own_processes.ts";

/**
 * Requested DHCP options: mask, router, resolvers, MTU, lease time, domain (RFC 2132),
 * classless routes (RFC 3442), search domains (RFC 3397).
 */
const OPTIONS = [
  ...["subnet", "router", "dns", "mtu", "lease", "domain", "staticroutes", "search"],
];

/** How a client is started, and the callbacks. */
export interface DhcpClientOptions {
  readonly link: string;
  /** The address to request again; "" none. */
  readonly lastAddress: string;
  /** The script that udhcpc runs at each event. */
  readonly script: string;
  /** State folder: clients that were started for it are identified by it. */
  readonly folder: string;
  readonly onLine: (line: string) => void;
  readonly onError: (message: string) => void;
}

/**
 * Keeps udhcpc running on an interface. It reports leases by its script and configures nothing itself; it
 * retries for ever, and releases nothing when it is stopped.
 */
export function runDhcpClient(options: DhcpClientOptions): Follower {
  const link = InterfaceName.parse(options.link);
  const last = options.lastAddress === "" ? [] : ["-r", Ipv4.parse(options.lastAddress)];
  return new Follower({
    tool: "udhcpc",
    args: [
      ...["-f", "-i", link, "-s", options.script, "-t", "4", "-T", "2", "-A", "5", "-o"],
      ...["-p", pidFile(options.folder, link)],
      ...OPTIONS.flatMap((option) => ["-O", option]),
      ...last,
    ],
    onLine: options.onLine,
    onRestart: () => options.onError("The DHCP client ended by itself and was started again"),
    onError: options.onError,
  });
}

/** Path of udhcpc's PID file. Its content is not read: the name identifies the process. */
function pidFile(folder: string, link: string): string {
  return `${folder}/${processMark(folder)}.${link}`;
}

/**
 * Kills clients that a killed process of ours started for a folder: they would go on to request leases
 * beside the new ones.
 */
export async function endOrphanedClients(folder: string): Promise<void> {
  const mark = `/${processMark(folder)}.`;
  await endProcesses(await ownProcesses("udhcpc", (args) => args.includes(mark)), "KILL");
}
