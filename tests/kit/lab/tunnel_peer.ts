import { eventually } from "./bed.ts";
import { command, type LabProcess, must } from "./command.ts";
import type { Lab } from "./lab.ts";

/** Where wireguard-go and wg meet: one folder of the machine, whatever the namespace. */
const CONTROL = "/run/wireguard";

/** A network of the wide world: a machine somewhere behind the provider, and its address. */
export const ROAD = "192.0.2.2";
const ROAD_GATEWAY = "192.0.2.1";

/** Adds the machine `road` to a lab: it reaches the router by way of the provider alone. */
export async function addRoad(lab: Lab): Promise<void> {
  const road = lab.space("road"), wan = lab.space("wan");
  await must("ip", ["netns", "add", road]);
  const ip = (space: string, ...args: readonly string[]) => must("ip", ["-n", space, ...args]);
  await ip(road, "link", "set", "lo", "up");
  await ip(road, "link", "add", "eth0", "type", "veth", "peer", "road0", "netns", wan);
  await ip(wan, "address", "add", `${ROAD_GATEWAY}/24`, "dev", "road0");
  await ip(wan, "link", "set", "road0", "up");
  await ip(road, "address", "add", `${ROAD}/24`, "dev", "eth0");
  await ip(road, "link", "set", "eth0", "up");
  await ip(road, "route", "add", "default", "via", ROAD_GATEWAY);
  await lab.must("wan", "sysctl", ["-q", "-w", "net.ipv4.ip_forward=1"]);
}

/** A folder that takes the place of {@link CONTROL} for the processes of one router; a new one unless given. */
export async function controlFolder(folder?: string): Promise<{ readonly [CONTROL]: string }> {
  // Where nothing is mounted nothing can be covered.
  await Deno.mkdir(CONTROL, { recursive: true });
  if (folder !== undefined) await Deno.mkdir(folder, { recursive: true });
  return { [CONTROL]: folder ?? await Deno.makeTempDir({ prefix: "sluice-wg-" }) };
}

/** A WireGuard client, or another router, that runs wireguard-go by a file that Sluice gave out. */
export class TunnelPeer {
  readonly #lab: Lab;
  readonly #part: string;
  readonly #process: LabProcess;
  readonly link: string;
  readonly address: string;

  private constructor(lab: Lab, part: string, process: LabProcess, link: string, address: string) {
    this.#lab = lab;
    this.#part = part;
    this.#process = process;
    this.link = link;
    this.address = address;
  }

  /**
   * Starts one in a part of the lab. `routes` lead into the tunnel. Its control socket is seen by
   * nobody else, so that the names of interfaces may be the same everywhere.
   */
  static async start(
    lab: Lab,
    part: string,
    { link, config, address, routes }: {
      readonly link: string;
      /** Text of its configuration file. */
      readonly config: string;
      /** Default: the one of the file. */
      readonly address?: string;
      readonly routes: readonly string[];
    },
  ): Promise<TunnelPeer> {
    const script = `mkdir -p ${CONTROL} && mount -t tmpfs sluice-test ${CONTROL} && ` +
      `exec wireguard-go -f ${link}`;
    const process = lab.spawn(part, "unshare", ["--mount", "sh", "-c", script]);
    const own = address ?? /^Address = (\S+)$/m.exec(config)?.[1] ?? "";
    const peer = new TunnelPeer(lab, part, process, link, own);
    await eventually(`${link} is there`, async () => (await peer.#wg(["show", link])).ok);
    await peer.configure(config);
    const ip = (...args: readonly string[]) => lab.must(part, "ip", args);
    await ip("address", "add", own, "dev", link);
    await ip("link", "set", link, "up");
    for (const route of routes) await ip("route", "add", route, "dev", link);
    return peer;
  }

  /** Takes a configuration file; what only wg-quick knows is left out. */
  async configure(config: string): Promise<void> {
    const text = config.split("\n").filter((line) => !/^(Address|DNS|MTU) =/.test(line)).join("\n");
    const result = await this.#wg(["setconf", this.link, "/dev/stdin"], text);
    if (!result.ok) throw new Error(result.stderr);
  }

  /** Sends from another UDP port from now on, as behind a NAT that forgot. */
  async roam(port: number): Promise<void> {
    const result = await this.#wg(["set", this.link, "listen-port", String(port)]);
    if (!result.ok) throw new Error(result.stderr);
  }

  async stop(): Promise<void> {
    await this.#process.stop("SIGKILL");
  }

  /** Runs wg where the control socket of this peer is. */
  #wg(args: readonly string[], stdin?: string) {
    const { pid } = this.#process;
    const where = ["netns", "exec", this.#lab.space(this.#part)];
    // What enters the mounts sees this peer's socket; the network is already the right one.
    return command("ip", [
      ...where,
      ...["nsenter", `--mount=/proc/${pid}/ns/mnt`, "wg", ...args],
    ], stdin);
  }
}
