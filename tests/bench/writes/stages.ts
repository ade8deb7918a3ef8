import { fileURLToPath } from "node:url";
import { writeLargeHome } from "../../kit/builders/large_home.ts";
import { buildLab, type Lab } from "../../kit/lab/lab.ts";
import { LAB_PASSWORD, type LabRouter, startRouter } from "../../kit/lab/router.ts";
import { HANGING } from "../../kit/pace.ts";
import { inFolder, until } from "../../kit/process.ts";
import { print } from "../print.ts";
import type { StageTimes } from "./staged_requests.ts";
import { aligned, median, type Row } from "../table.ts";

const DEVICES = 1000;
const TIMES = 200;
const LEASES = 60;
/** Downlink of the lab's only client. */
const LINK = "cl-a";

/** What a stage's time is the time until. */
const MEANING: Readonly<Record<string, string>> = {
  "request authorized": "the caller is known",
  "request validated": "parameters and body are parsed",
  "request handled": "the handler has the response; includes what follows of the engine",
  "request whole": "the last guard is passed; includes all of the above",
  "change:decided": "reduced, patched, guarded",
  "change:planned": "desired state, plan of steps, lock-out guard",
  "journal:pending": "the rows are in the journal",
  "files:staged": "the new files lie beside the old ones",
  kernel: "netd has applied the plan",
  "journal:committed": "the commit is on disk",
  "files:placed": "the files are in place",
  "change:announced": "connections are ended, events published",
};

/**
 * Where one policy write, one small GET and one new lease spend their time, printed as tables of
 * means, from the stages that the router counts for its metrics.
 */
export async function stages(): Promise<readonly Row[]> {
  await inFolder(async (home) => {
    const identities = await writeLargeHome(home, { devices: DEVICES, groups: 20, link: LINK });
    const lab = await buildLab({ clients: 1, name: "benchst" });
    try {
      const router = await startRouter(lab, { home, services: "dhcpd" });
      try {
        await until(
          "the network is applied",
          async () => (await router.api("GET", "/network")).json.state === "applied",
        );
        const devices = identities.slice(0, 50).join(",");
        show(`PUT /device, ${DEVICES} devices`, await requests(lab, ["write", devices]));
        show("GET /status", await requests(lab, ["GET", "/status"]));
        show("a new DHCP client", await leases(lab, router));
      } finally {
        await router.close();
      }
    } finally {
      await lab.close();
    }
  });
  return [];
}

/** Made from the router's own namespace, so that no relay is measured. */
async function requests(lab: Lab, what: readonly string[]): Promise<StageTimes> {
  const script = fileURLToPath(new URL("staged_requests.ts", import.meta.url));
  const args = ["127.0.0.1:80", LAB_PASSWORD, String(TIMES), ...what];
  return JSON.parse(
    await lab.must("router", Deno.execPath(), ["run", "-q", "-A", script, ...args]),
  );
}

async function leases(lab: Lab, router: LabRouter): Promise<StageTimes> {
  const script = fileURLToPath(new URL("../dhcp_clients.ts", import.meta.url));
  const clients = async (count: number, first: number): Promise<{ readonly median: number }> => {
    const args = ["eth0", String(count), "1", String(first)];
    return JSON.parse(await lab.deno("a", script, args).line(/^\{.*\}$/, count * 1000 + HANGING));
  };
  await clients(20, 1);
  const metrics = async (): Promise<string> => (await router.api("GET", "/metrics")).text;
  const before = await metrics();
  const { median: each } = await clients(LEASES, 100);
  return { each: [each], count: LEASES, before, after: await metrics() };
}

/** Prints the mean of each stage that took any time. */
function show(what: string, { each, count, before, after }: StageTimes): void {
  const earlier = stagesOf(before);
  const rows = [...stagesOf(after)].flatMap(([stage, { sum, count: times }]) => {
    const { sum: was, count: timesWas } = earlier.get(stage) ?? { sum: 0, count: 0 };
    if (times - timesWas < count) return [];
    return [[stage, `${((sum - was) * 1000 / count).toFixed(2)} ms`, MEANING[stage] ?? ""]];
  });
  const whole = ["as the client sees it", `${median(each).toFixed(2)} ms`, "median"];
  print(`\n${what}, means of ${count}:\n${aligned([...rows, whole], [1])}`);
}

/** The stages of the engine, and of requests with these methods, in the text of the metrics. */
function stagesOf(text: string): ReadonlyMap<string, { sum: number; count: number }> {
  const found = new Map<string, { sum: number; count: number }>();
  const line = /^sluice_(engine|request)_stage_seconds_(sum|count)\{stage="([^"]+)"\} (\S+)$/gm;
  for (const [, kind, part, name, value] of text.matchAll(line)) {
    const stage = kind === "engine" ? name! : `request ${name}`;
    const times = found.get(stage) ?? { sum: 0, count: 0 };
    times[part as "sum" | "count"] = Number(value);
    found.set(stage, times);
  }
  return found;
}
