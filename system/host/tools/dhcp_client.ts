import { InterfaceName, Ipv4 } from "../../core/net/grammar.ts";
import { Follower } from "../kernel/follower.ts";
import { endProcesses, markOf, ownProcesses } from "./own_processes.ts";

/**
 * Options of DHCP that are asked for: mask, router, resolvers, MTU, lease time, domain (RFC 2132),
 * classless routes (RFC 3442), search domains (RFC 3397).
 */
const OPTIONS = [
  ...["subnet", "router", "dns", "mtu", "lease", "domain", "staticroutes", "search"],
];

/** How a client is started, and who hears of it. */
export interface DhcpClientOptions {
  readonly link: string;
  /** The address that is asked for again; "" none. */
  readonly last: string;
  /** What udhcpc runs at each event. */
  readonly script: string;
  /** Folder of ours: clients that were started for it are known by it. */
  readonly folder: string;
  readonly line: (line: string) => void;
  readonly complain: (message: string) => void;
}

/**
 * Keeps udhcpc running on a link: it asks, renews and tells by its script, and sets nothing. It asks
 * for ever; it releases nothing when it is stopped.
 */
export function keepDhcpClient(options: DhcpClientOptions): Follower {
  const link = InterfaceName.parse(options.link);
  const last = options.last === "" ? [] : ["-r", Ipv4.parse(options.last)];
  return new Follower({
    tool: "udhcpc",
    args: [
      ...["-f", "-i", link, "-s", options.script, "-t", "4", "-T", "2", "-A", "5", "-o"],
      ...["-p", pidFile(options.folder, link)],
      ...OPTIONS.flatMap((option) => ["-O", option]),
      ...last,
    ],
    line: options.line,
    lost: () => options.complain("The DHCP client ended by itself and was started again"),
    complain: options.complain,
  });
}

/** Where udhcpc keeps its number. Nobody reads it: its name is what tells the process from others. */
function pidFile(folder: string, link: string): string {
  return `${folder}/${markOf(folder)}.${link}`;
}

/**
 * Ends clients that were started for a folder by one of us that was killed: they would go on to ask
 * beside ours, with nobody to hear of it.
 */
export async function endLeftClients(folder: string): Promise<void> {
  const mark = `/${markOf(folder)}.`;
  await endProcesses(await ownProcesses("udhcpc", (args) => args.includes(mark)), "KILL");
}
