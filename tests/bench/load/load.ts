import { fileURLToPath } from "node:url";
import { buildLab, type Lab } from "../../kit/lab/lab.ts";
import { eventually, give } from "../../kit/lab/bed.ts";
import { must } from "../../kit/lab/command.ts";
import { dig } from "../../kit/lab/dig.ts";
import { HANGING } from "../../kit/pace.ts";
import { LAB_PASSWORD, startRouter } from "../../kit/lab/router.ts";
import { load as dnsLoad } from "../dns/load.ts";
import { BLOCKED, blockedName, LAN } from "../dns/other_servers.ts";
import { print } from "../print.ts";
import type { Row } from "../table.ts";
import { addressOf, DEVICES, EVENTS, GROUPS, RULES, SEARCHED, writeVeryLargeHome } from "./home.ts";
import { type Usage, usages } from "./process_memory.ts";
import { memoryTable, timesTable } from "./report.ts";
import type { Measured, Read, Work } from "./requests.ts";

/** The lab's resolver, and the address that it gives for every name. */
const RESOLVER = "198.51.100.53", ANSWER = "198.51.100.80";
const MINUTES = 10, STREAMS = 20;
/** Questions in a second of a home with so many devices, and milliseconds between two new devices. */
const DNS_RATE = 100, NEW_DEVICE_MS = 5000;
const SAMPLES_PER_MINUTE = 6;
const CACHED = 2000, QUESTIONS = 100_000;

/**
 * A router with everything at once for `SLUICE_BENCH` minutes: 1,000 devices, 200 groups, 2,000 rules, a
 * million blocked names, 20 event streams, writes, reads, new devices and DNS. Prints errors, times,
 * and the memory of each process minute by minute.
 */
export async function load(): Promise<readonly Row[]> {
  const seconds = Number(Deno.env.get("SLUICE_BENCH") ?? MINUTES) * 60;
  if (!(seconds > 0)) throw new Error("SLUICE_BENCH is a number of minutes");
  const home = await Deno.makeTempDir({ prefix: "sluice-bench-load-" });
  const lab = await buildLab({ name: "benchfull", clients: 2 });
  try {
    const identities = await writeVeryLargeHome(home);
    await startInternet(lab);
    const plain = { IPAddress: RESOLVER, TLSHost: "", DisableTls: true };
    const names = { UpstreamProviders: [plain], FamilyProviders: [plain] };
    const router = await startRouter(lab, {
      home,
      services: "all",
      files: { "base/dns.json": names },
    });
    try {
      await eventually(
        "the network is applied",
        async () => (await router.api("GET", "/network")).json.state === "applied",
      );
      const [client] = lab.clients as [typeof lab.clients[0]];
      await router.lease(client);
      await give(router, client.mac, { Policies: ["dns"] });
      await eventually("the last name of the list is blocked", () => isBlocked(lab));
      print(
        `${DEVICES} devices, ${GROUPS} groups, ${RULES} rules, ${BLOCKED} blocked names, ` +
          `${STREAMS} event streams, ${EVENTS} stored events, ${DNS_RATE} DNS queries a second, ` +
          `${seconds} seconds, load ${Deno.loadavg()[0]!.toFixed(1)}`,
      );
      await run(lab, { home, seconds, identities });
      return [];
    } finally {
      await router.close();
    }
  } finally {
    await lab.close();
    await Deno.remove(home, { recursive: true });
  }
}

async function startInternet(lab: Lab): Promise<void> {
  for (const address of [RESOLVER, ANSWER]) {
    await must("ip", ["-n", lab.space("wan"), "address", "add", `${address}/32`, "dev", "lo"]);
  }
  await lab.deno("wan", script("../dns/upstream.ts"), [RESOLVER]).line(/^ready$/);
  await lab.deno("wan", script("internet.ts"), [ANSWER]).line(/^ready$/);
}

async function isBlocked(lab: Lab): Promise<boolean> {
  const question = [blockedName(BLOCKED - 1), "+tries=1", "+time=1"];
  return (await dig(lab, "a", LAN, ...question)).status === "NXDOMAIN";
}

async function run(
  lab: Lab,
  { home, seconds, identities }: {
    readonly home: string;
    readonly seconds: number;
    readonly identities: readonly string[];
  },
): Promise<void> {
  const work: Work = {
    ...{ host: "127.0.0.1:80", password: LAB_PASSWORD, seconds, streams: STREAMS },
    ...{ identities: identities.slice(0, 100), reads: reads(identities) },
  };
  await Deno.writeTextFile(`${home}/work.json`, JSON.stringify(work));
  const requests = lab.deno("router", script("requests.ts"), [`${home}/work.json`]);
  const newDevices = lab.deno("b", script("new_devices.ts"), [
    ...["eth0", String(seconds), String(NEW_DEVICE_MS)],
  ]);
  const patience = seconds * 1000 + HANGING;
  const dnsd = (await usages(lab)).find(({ name }) => name === "dnsd");
  const [line, leases, dns, samples] = await Promise.all([
    requests.line(/^\{.*\}$/, patience),
    newDevices.line(/^\[.*\]$/, patience),
    dnsLoad({
      ...{ lab, server: LAN, pid: dnsd!.pid, names: await questions(home), seconds },
      every: DNS_RATE,
    }),
    watch(lab, seconds),
  ]);
  const measured: Measured = JSON.parse(line);
  const leased: readonly (number | null)[] = JSON.parse(leases);
  const without = leased.filter((taken) => taken === null).length;
  const errors = [
    ...measured.errors,
    ...(without > 0 ? [`${without} of ${leased.length} new devices got no address`] : []),
    ...(dns.lost > 0 ? [`${dns.lost} DNS queries were not answered`] : []),
  ];
  print(`\n${errors.length} errors`);
  for (const error of errors.slice(0, 10)) print(`  ${error}`);
  const new_ = leased.filter((taken) => taken !== null);
  print(`\n${timesTable({ ...measured.times, "a new device, DISCOVER to ACK": new_ })}`);
  print(`DNS: half within ${dns.middle.toFixed(1)} ms, 99 of 100 within ${dns.late.toFixed(1)} ms`);
  const { events } = measured;
  print(`Events: ${Math.min(...events)} to ${Math.max(...events)} read by each stream`);
  print(`\n${memoryTable(samples, SAMPLES_PER_MINUTE)}`);
}

function reads(identities: readonly string[]): readonly Read[] {
  const some = identities.filter((_, i) => i % 37 === 0);
  const reach = (id: string, i: number): string =>
    `/reach?from=${id}&to=${i % 2 === 0 ? "internet" : identities[i]}&protocol=tcp&port=443`;
  const filter = encodeURIComponent('$[?(@.name=="user 70" && @.n < 10000)]');
  const read = (path: string, pause: number): Read => ({
    what: `GET ${path}`,
    pause,
    paths: [path],
  });
  return [
    read("/devices", 2000),
    read("/firewall/counters", 3000),
    { what: "GET /reach", pause: 500, paths: some.map(reach) },
    {
      what: "GET /reach?suggest",
      pause: 8000,
      paths: some.map((id, i) => `${reach(id, i)}&suggest=true`),
    },
    read("/reach/matrix", 15_000),
    read("/firewall/lint", 15_000),
    {
      what: "preview of a device's policies",
      ...{ pause: 4000, body: { Policies: ["dns", "lan"] } },
      paths: some.map((id) => `/device?identity=${id}&dryRun=true`),
    },
    {
      what: "preview of a forward",
      ...{
        pause: 4000,
        body: { Protocol: "tcp", SrcPort: "9", DstIP: addressOf(7), DstPort: "9" },
      },
      paths: ["/firewall/forward?dryRun=true"],
    },
    {
      what: "search of events, latest 100",
      pause: 2000,
      paths: [`/plugins/db/items/${SEARCHED}?num=100`],
    },
    {
      what: "search of events by value",
      pause: 2000,
      paths: [`/plugins/db/items/${SEARCHED}?num=100&filter=${filter}`],
    },
    { what: "GET /changes", pause: 3000, paths: ["/changes?limit=100"] },
  ];
}

/** A home's names: of a hundred 20 are blocked, 65 are asked again and again and 15 are new. */
async function questions(home: string): Promise<string> {
  const name = (i: number): string => {
    const part = i * 37 % 100;
    if (part < 20) return blockedName(i * 7919 % BLOCKED);
    return part < 85 ? `old${i * 31 % CACHED}.example.test` : `new${i}.example.test`;
  };
  const file = `${home}/questions`;
  const lines = Array.from({ length: QUESTIONS }, (_, i) => `${name(i)} A\n`);
  await Deno.writeTextFile(file, lines.join(""));
  return file;
}

async function watch(lab: Lab, seconds: number): Promise<readonly (readonly Usage[])[]> {
  const samples: (readonly Usage[])[] = [];
  const began = performance.now();
  const between = 60_000 / SAMPLES_PER_MINUTE;
  for (let n = 0; n * between <= seconds * 1000; n++) {
    const due = began + n * between - performance.now();
    await new Promise((resolve) => setTimeout(resolve, Math.max(0, due)));
    samples.push(await usages(lab));
  }
  return samples;
}

function script(name: string): string {
  return fileURLToPath(new URL(name, import.meta.url));
}
