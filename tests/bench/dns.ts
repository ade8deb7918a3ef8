import { buildLab, INTERNET, type Lab } from "../kit/lab.ts";
import { give } from "../kit/lab_bed.ts";
import { command } from "../kit/lab_command.ts";
import { startRouter } from "../kit/lab_router.ts";
import { say } from "./say.ts";
import type { Row } from "./table.ts";

const BESIDE = "dnsmasq";
const LAN = "192.168.2.1";
/** Names of home that are asked for; all lie in a file for each of both. */
const HOMES = 500;

interface Result {
  readonly rate: number;
  /** Milliseconds, the mean of all answers. */
  readonly latency: number;
  readonly lost: number;
}

/** Names of home, remembered and new ones, over UDP beside dnsmasq, 50 at a time, each 3 seconds. */
export async function dns(): Promise<readonly Row[]> {
  if ((await command("which", ["dnsperf"])).stdout.trim() === "") {
    say("SKIPPED: answers for names are measured with dnsperf (apt-get install dnsperf)");
    return [];
  }
  const folder = await Deno.makeTempDir({ prefix: "sluice-bench-dns-" });
  const ours = await buildLab({ name: "benchdns", clients: 1 });
  const theirs = await buildLab({ name: "benchdnsm", clients: 1 });
  try {
    await startMasq(theirs, folder);
    const provider = { IPAddress: INTERNET, TLSHost: "", DisableTls: true };
    const settings = { UpstreamProviders: [provider], FamilyProviders: [provider] };
    const hosts = Array.from({ length: HOMES }, (_, i) => ({
      Hostname: `h${i}.lan`,
      IPAddress: `10.9.${i >> 8}.${i & 255}`,
    }));
    const files = { "base/dns.json": settings, "dns/hostnames.json": hosts };
    const router = await startRouter(ours, { services: "dnsd", files });
    try {
      const client = ours.clients[0]!;
      await router.lease(client);
      await give(router, client.mac, { Policies: ["dns"] });
      const rows: Row[] = [];
      const compare = async (what: string, name: string, count: number) => {
        const path = `${folder}/${name}`;
        const lines = Array.from({ length: count }, (_, i) => `${name}${i}.${suffix(name)} A\n`);
        await Deno.writeTextFile(path, lines.join(""));
        // The first round also waits until both serve, and lets them remember.
        if (name !== "new") {
          for (const lab of [ours, theirs]) await load(lab, path, 3);
        }
        const [mine, other] = [await load(ours, path, 3), await load(theirs, path, 3)];
        rows.push(
          { what, unit: "/s", ours: mine.rate, baseline: other.rate, beside: BESIDE },
          {
            what: `${what}, mean wait`,
            unit: "ms",
            ours: mine.latency,
            baseline: other.latency,
            beside: BESIDE,
          },
        );
        for (const [who, { lost }] of [["Ours", mine], [BESIDE, other]] as const) {
          if (lost > 0) say(`${who} left ${lost} of "${what}" unanswered`);
        }
      };
      await compare("names of home", "h", HOMES);
      await compare("remembered names", "old", 2000);
      await compare("new names", "new", 200_000);
      return rows;
    } finally {
      await router.close();
    }
  } finally {
    await ours.close();
    await theirs.close();
    await Deno.remove(folder, { recursive: true });
  }
}

function suffix(name: string): string {
  return name === "h" ? "lan" : "example.test";
}

async function load(lab: Lab, names: string, seconds: number): Promise<Result> {
  const args = ["-s", LAN, "-d", names, "-l", String(seconds), "-q", "50", "-c", "4", "-t", "2"];
  const { stdout } = await lab.exec("a", "dnsperf", args);
  const number = (pattern: RegExp): number => Number(pattern.exec(stdout)?.[1] ?? NaN);
  const result = {
    rate: number(/Queries per second:\s+([\d.]+)/),
    latency: number(/Average Latency \(s\):\s+([\d.]+)/) * 1000,
    lost: number(/Queries lost:\s+(\d+)/),
  };
  if (!(result.rate > 0)) throw new Error(`Nobody answered:\n${stdout}`);
  return result;
}

async function startMasq(lab: Lab, folder: string): Promise<void> {
  const router = (...args: readonly string[]): Promise<string> => lab.must("router", "ip", args);
  await router("address", "add", `${LAN}/30`, "dev", "cl-a");
  await router("link", "set", "cl-a", "up");
  await router("address", "add", "203.0.113.2/24", "dev", "wan0");
  await router("link", "set", "wan0", "up");
  await router("route", "add", "default", "via", "203.0.113.1");
  await lab.setAddress("a", "192.168.2.2", LAN);
  const hosts = Array.from({ length: HOMES }, (_, i) => `10.9.${i >> 8}.${i & 255} h${i}.lan\n`);
  await Deno.writeTextFile(`${folder}/hosts`, hosts.join(""));
  lab.spawn("router", "dnsmasq", [
    ...["--no-daemon", "--conf-file=/dev/null", "--no-resolv", "--no-hosts", "--user=root"],
    ...[`--server=${INTERNET}`, `--addn-hosts=${folder}/hosts`, "--cache-size=10000"],
  ]);
}
