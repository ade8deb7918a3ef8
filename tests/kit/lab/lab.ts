import { fileURLToPath } from "node:url";
import { command, type CommandResult, LabProcess, must } from "./command.ts";
import { PACE, patience } from "../pace.ts";

/** The whole Internet of the lab: one address behind the uplink. */
export const INTERNET = "198.51.100.7";
/** The provider's end of the uplink, and the router's. */
export const PROVIDER = "203.0.113.1";
export const UPLINK = "203.0.113.2";

/** What a lab is built with. */
export interface LabOptions {
  /** Client machines, named `a`, `b`, …; at most 20. Default 3. */
  readonly clients?: number;
  /** First part of the namespaces' names. Default `lab`. */
  readonly name?: string;
  /**
   * Gives router and clients fixed addresses and turns forwarding on, as a router without Sluice
   * would have them: client n gets 192.168.2.(4n+2)/30, the router the address before it.
   */
  readonly addresses?: boolean;
  /** This machine itself is the router: only where nobody minds, as in a virtual one. */
  readonly here?: boolean;
}

/** A machine behind a downlink of the router. */
export interface LabClient {
  /** `a`, `b`, … */
  readonly name: string;
  readonly mac: string;
  /** Its interface of the router. */
  readonly link: string;
}

/** What came of opening a TCP connection. */
export type TcpAnswer = "open" | "refused" | "timeout" | "unreachable";

/** A TCP connection that a client keeps open. */
export interface Held {
  /** Resolves when nothing comes back any more, or it was closed. */
  readonly broke: Promise<"stalled" | "closed">;
  readonly alive: boolean;
  /**
   * True when it breaks, false when thirty more bytes come back meanwhile: a connection that was cut
   * carries no more than the few that were under way.
   */
  breaks(): Promise<boolean>;
  close(): Promise<void>;
}

let count = 0;
/** Labs of this process, which may have had another's number before. */
const built = new Set<string>();

/** Builds a lab of network namespaces; removes what was built when that fails. */
export async function buildLab(options: LabOptions = {}): Promise<Lab> {
  const prefix = options.name ?? "lab";
  await sweep(prefix);
  const lab = new Lab(`${prefix}-${Deno.pid}x${++count}`, options.clients ?? 3);
  built.add(lab.name);
  try {
    await lab.build({ addresses: false, here: false, ...options });
    return lab;
  } catch (error) {
    await lab.close();
    throw error;
  }
}

/** Removes what runs that are no longer there have left. */
async function sweep(prefix: string): Promise<void> {
  for (const space of await namespaces()) {
    const [, lab = "", pid] = new RegExp(`^(${prefix}-(\\d+)x\\d+)-[a-z]+$`).exec(space) ?? [];
    const isOurs = Number(pid) === Deno.pid;
    const lives = isOurs ? built.has(lab) : pid === undefined || await isRunning(Number(pid));
    if (!lives) await removeNamespace(space);
  }
}

/** A small network on one machine: an Internet, a router and its clients. */
export class Lab {
  readonly name: string;
  readonly clients: readonly LabClient[];
  readonly #processes = new Set<LabProcess>();
  #here = false;

  constructor(name: string, clients: number) {
    this.name = name;
    this.clients = Array.from({ length: clients }, (_, i) => {
      const letter = String.fromCharCode(97 + i);
      const mac = `02:00:00:00:${(10 + i).toString(16).padStart(2, "0")}:01`;
      return { name: letter, mac, link: `cl-${letter}` };
    });
  }

  /** Full name of a namespace: `wan`, `router`, or a client's. */
  space(part: string): string {
    return `${this.name}-${part}`;
  }

  /** Makes namespaces, cables, addresses and the Internet's servers. */
  async build(
    { addresses, here }: Required<Pick<LabOptions, "addresses" | "here">>,
  ): Promise<void> {
    this.#here = here;
    const router = this.space("router");
    const wan = this.space("wan");
    for (const space of [router, wan, ...this.clients.map((one) => this.space(one.name))]) {
      // One without processes of its own is this machine's under a name.
      if (here && space === router) await must("ip", ["netns", "attach", space, `${Deno.pid}`]);
      else await must("ip", ["netns", "add", space]);
      await must("ip", ["-n", space, "link", "set", "lo", "up"]);
    }
    const ip = (...args: readonly string[]): Promise<string> => must("ip", args);
    await ip("-n", router, "link", "add", "wan0", "type", "veth", "peer", "wan0", "netns", wan);
    await ip("-n", wan, "address", "add", `${PROVIDER}/24`, "dev", "wan0");
    await ip("-n", wan, "address", "add", `${INTERNET}/32`, "dev", "lo");
    await ip("-n", wan, "link", "set", "wan0", "up");
    for (const client of this.clients) await this.#cable(client);
    if (addresses) await this.#address();
    const internet = this.deno("wan", "internet.ts");
    await internet.line(/^ready$/);
  }

  /** Runs a command in a namespace to its end. */
  exec(
    part: string,
    name: string,
    args: readonly string[],
    stdin?: string,
  ): Promise<CommandResult> {
    return command("ip", ["netns", "exec", this.space(part), name, ...args], stdin);
  }

  /** Runs a command in a namespace that must succeed, and answers its output. */
  must(part: string, name: string, args: readonly string[], stdin?: string): Promise<string> {
    return must("ip", ["netns", "exec", this.space(part), name, ...args], stdin);
  }

  /** Starts a command in a namespace that runs until the lab is closed. */
  spawn(
    part: string,
    name: string,
    args: readonly string[],
    env?: Readonly<Record<string, string>>,
  ): LabProcess {
    // `ip netns exec` becomes the command, so that its process is the command's.
    const process = new LabProcess("ip", ["netns", "exec", this.space(part), name, ...args], env);
    this.#processes.add(process);
    return process;
  }

  /** Starts a script of this folder, or an absolute path, with Deno in a namespace. */
  deno(part: string, script: string, args: readonly string[] = []): LabProcess {
    const path = script.startsWith("/") ? script : `${import.meta.dirname}/../programs/${script}`;
    return this.spawn(part, Deno.execPath(), ["run", "-q", "-A", path, ...args]);
  }

  /** True when an echo comes back within half a second, or more on a busy machine. */
  async ping(part: string, address: string): Promise<boolean> {
    const args = ["-n", "-q", "-c", "1", "-W", String(patience(0.5)), address];
    return (await this.exec(part, "ping", args)).ok;
  }

  /** Opens a TCP connection and closes it again. */
  async tcp(part: string, address: string, port: number, seconds = 0.7): Promise<TcpAnswer> {
    const target = `TCP4:${address}:${port},connect-timeout=${patience(seconds)}`;
    const result = await this.exec(part, "socat", ["-u", "OPEN:/dev/null", target]);
    if (result.ok) return "open";
    if (/refused/i.test(result.stderr)) return "refused";
    return /timed out/i.test(result.stderr) ? "timeout" : "unreachable";
  }

  /** The body of a web page, or null when nobody is met within two seconds. */
  async get(part: string, url: string): Promise<string | null> {
    const limits = ["--connect-timeout", String(patience(2)), "-m", String(30 * PACE)];
    const result = await this.exec(part, "curl", ["-sS", ...limits, url]);
    return result.ok ? result.stdout : null;
  }

  /**
   * The address that a DNS server gives for a name, or null when no answer comes within so many
   * seconds; give few where nobody is to answer.
   */
  async dns(
    part: string,
    server: string,
    { transport = "udp", seconds = 10 }: {
      readonly transport?: "udp" | "tcp";
      readonly seconds?: number;
    } = {},
  ): Promise<string | null> {
    const script = `${import.meta.dirname}/../programs/dns/client.ts`;
    const milliseconds = String(patience(seconds) * 1000);
    const args = ["run", "-q", "-A", script, transport, server, milliseconds];
    const found = (await this.must(part, Deno.execPath(), args)).trim();
    return found === "none" ? null : found;
  }

  /**
   * Opens a TCP connection to an echo server and keeps it busy. It breaks after a second or so of silence, or
   * after so many tenths. Throws when it does not open.
   */
  async hold(part: string, address: string, port = 7, tenths?: number): Promise<Held> {
    const stall = tenths === undefined ? [] : [String(tenths)];
    const process = this.deno(part, "hold_connection.ts", [address, String(port), ...stall]);
    const first = await process.line(/^(up|stalled|closed|failed.*)$/);
    if (first !== "up") throw new Error(`${part} could not hold ${address}:${port}: ${first}`);
    const isAlive = (): boolean => !process.ended && process.count(/^(stalled|closed)$/) === 0;
    const broke = process.line(/^(stalled|closed)$/, 3_600_000)
      .then((word) => word === "stalled" ? "stalled" as const : "closed" as const)
      .catch(() => "closed" as const);
    return {
      broke,
      get alive(): boolean {
        return isAlive();
      },
      breaks: async (): Promise<boolean> => {
        const before = process.count(/^on$/);
        await process.until(() => !isAlive() || process.count(/^on$/) >= before + 3);
        return !isAlive();
      },
      close: async (): Promise<void> => {
        await process.stop("SIGKILL");
        this.#processes.delete(process);
      },
    };
  }

  /** Gives a client the address of a lease, /30, and its default gateway. */
  async setAddress(client: string, address: string, router: string): Promise<void> {
    const space = this.space(client);
    await must("ip", ["-n", space, "address", "flush", "dev", "eth0", "scope", "global"]);
    await must("ip", ["-n", space, "address", "add", `${address}/30`, "dev", "eth0"]);
    await must("ip", ["-n", space, "route", "replace", "default", "via", router]);
  }

  /** Runs a DHCP client once: it asks, puts the lease on its interface and ends. */
  dhcp(client: string, args: readonly string[] = []): Promise<CommandResult> {
    const script = fileURLToPath(new URL("../programs/udhcpc.sh", import.meta.url));
    const once = ["-i", "eth0", "-n", "-q", "-f", "-t", "60", "-T", "1", "-s", script];
    return this.exec(client, "udhcpc", [...once, ...args]);
  }

  /** Address with prefix on a client's interface, or null. */
  async address(client: string): Promise<string | null> {
    const shown = await this.must(client, "ip", ["-4", "addr", "show", "dev", "eth0"]);
    return /inet (\S+)/.exec(shown)?.[1] ?? null;
  }

  /** Ends everything that runs in the lab and removes it. */
  async close(): Promise<void> {
    await Promise.all([...this.#processes].map((process) => process.stop()));
    // Whatever runs on this machine goes on.
    if (this.#here) await command("ip", ["netns", "delete", this.space("router")]);
    const own = (await namespaces()).filter((space) => space.startsWith(`${this.name}-`));
    for (const space of own) await removeNamespace(space);
  }

  async #cable(client: LabClient): Promise<void> {
    const space = this.space(client.name);
    const ends = ["link", "add", client.link, "type", "veth", "peer", "eth0"];
    await must("ip", ["-n", this.space("router"), ...ends, "netns", space]);
    await must("ip", ["-n", space, "link", "set", "eth0", "address", client.mac]);
    await must("ip", ["-n", space, "link", "set", "eth0", "up"]);
  }

  async #address(): Promise<void> {
    const router = this.space("router");
    const ip = (...args: readonly string[]): Promise<string> => must("ip", ["-n", router, ...args]);
    await ip("address", "add", `${UPLINK}/24`, "dev", "wan0");
    await ip("link", "set", "wan0", "up");
    await ip("route", "add", "default", "via", PROVIDER);
    for (const [i, client] of this.clients.entries()) {
      const base = 4 * (i + 1);
      await ip("address", "add", `192.168.2.${base + 1}/30`, "dev", client.link);
      await ip("link", "set", client.link, "up");
      await this.setAddress(client.name, `192.168.2.${base + 2}`, `192.168.2.${base + 1}`);
    }
    await this.must("router", "sysctl", ["-q", "-w", "net.ipv4.ip_forward=1"]);
    // The provider knows its customer's network, so that no translation is needed.
    const back = ["route", "add", "192.168.2.0/24", "via", UPLINK];
    await must("ip", ["-n", this.space("wan"), ...back]);
  }
}

async function namespaces(): Promise<readonly string[]> {
  const list = await must("ip", ["netns", "list"]);
  return list.split("\n").map((line) => line.split(" ")[0] ?? "").filter((name) => name !== "");
}

/** Kills what still runs in a namespace, then removes it. */
async function removeNamespace(space: string): Promise<void> {
  const pids = await command("ip", ["netns", "pids", space]);
  for (const pid of pids.stdout.split("\n").filter((text) => text !== "").map(Number)) {
    try {
      Deno.kill(pid, "SIGKILL");
    } catch {
      // It has ended meanwhile.
    }
  }
  await command("ip", ["netns", "delete", space]);
}

async function isRunning(pid: number): Promise<boolean> {
  return await Deno.stat(`/proc/${pid}`).then(() => true, () => false);
}
