import type { Lab } from "../lab/lab.ts";
import { command, type LabProcess, must } from "../lab/command.ts";

/** The provider's end of every connection, and the only address that it gives. */
export const DIALLED = { provider: "100.64.7.1", router: "100.64.7.10" } as const;
/** A machine behind the provider whose cable carries more than a connection does. */
export const FAR = "198.18.7.2";
/** Port of {@link FAR} that sends {@link FAR_BYTES} to each client that connects, and ends. */
export const FAR_PORT = 8000;
export const FAR_BYTES = 400_000;

const SECRETS = "/etc/ppp/chap-secrets";

/** Who may dial in. */
export interface Account {
  readonly username: string;
  readonly secret: string;
}

/** A provider to which the lab's router can dial over its uplink's cable: a stock PPPoE server. */
export class PppoeProvider {
  readonly #lab: Lab;
  readonly #options: string;
  #server: LabProcess | null = null;

  private constructor(lab: Lab, options: string) {
    this.#lab = lab;
    this.#options = options;
  }

  /** Only inside a virtual machine: the file of accounts is the machine's own. */
  static async open(lab: Lab, account: Account): Promise<PppoeProvider> {
    if (Deno.env.get("LABVM") !== "1") throw new Error(`${SECRETS} is not a test's to write here`);
    // Another way to quote than the router's own, so that one proves the other.
    const bare = (text: string): string => text.replaceAll(/[^A-Za-z0-9]/g, "\\$&");
    const line = `${bare(account.username)} * ${bare(account.secret)} *\n`;
    await Deno.writeTextFile(SECRETS, line, { mode: 0o600 });
    const options = await Deno.makeTempFile({ prefix: "sluice-pppoe-" });
    const log = `${options}.log`;
    await Deno.writeTextFile(
      options,
      `auth\nrequire-chap\nlogfile ${log}\nlcp-echo-interval 10\nlcp-echo-failure 3\n`,
    );
    await far(lab);
    const provider = new PppoeProvider(lab, options);
    provider.start();
    return provider;
  }

  /** Answers each router that dials. */
  start(): void {
    this.#server = this.#lab.spawn("wan", "pppoe-server", [
      ...["-F", "-I", "wan0", "-O", this.#options, "-N", "1"],
      ...["-L", DIALLED.provider, "-R", DIALLED.router],
    ]);
  }

  /** Answers nobody any more, and ends what is connected. */
  async stop(): Promise<void> {
    await this.#server?.stop();
    for (const pid of await this.#connections()) {
      await command("kill", ["-TERM", pid]);
    }
    this.#server = null;
  }

  async close(): Promise<void> {
    await this.stop();
    await Deno.remove(SECRETS);
    await Deno.remove(this.#options);
    await Deno.remove(`${this.#options}.log`).catch(() => {
      // Nobody dialled.
    });
  }

  async #connections(): Promise<readonly string[]> {
    const found: string[] = [];
    for (const pid of (await must("ip", ["netns", "pids", this.#lab.space("wan")])).split("\n")) {
      const name = pid === "" ? "" : await Deno.readTextFile(`/proc/${pid}/comm`).catch(() => "");
      if (name.trim() === "pppd") found.push(pid);
    }
    return found;
  }
}

/**
 * A machine one hop beyond the provider, to which no router can say that its packets are too big:
 * what it sends arrives only in segments that fit.
 */
async function far(lab: Lab): Promise<void> {
  const space = lab.space("far"), wan = lab.space("wan");
  const ip = (args: string): Promise<string> => must("ip", args.split(" "));
  await ip(`netns add ${space}`);
  await ip(`-n ${wan} link add far0 type veth peer eth0 netns ${space}`);
  await ip(`-n ${wan} address add 198.18.7.1/24 dev far0`);
  await ip(`-n ${wan} link set far0 up`);
  await ip(`-n ${space} link set lo up`);
  await ip(`-n ${space} address add ${FAR}/24 dev eth0`);
  await ip(`-n ${space} link set eth0 up`);
  await ip(`-n ${space} route add default via 198.18.7.1`);
  await lab.must("wan", "sysctl", ["-q", "-w", "net.ipv4.ip_forward=1"]);
  const silent = "table inet silent {\nchain out {\ntype filter hook output priority 0\n" +
    "icmp type destination-unreachable drop\n}\n}\n";
  await lab.must("wan", "nft", ["-f", "-"], silent);
  lab.spawn("far", "socat", [
    `TCP4-LISTEN:${FAR_PORT},reuseaddr,fork`,
    `SYSTEM:head -c ${FAR_BYTES} /dev/zero`,
  ]);
}
