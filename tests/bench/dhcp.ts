import { fileURLToPath } from "node:url";
import { buildLab, type Lab } from "../kit/lab/lab.ts";
import { startRouter } from "../kit/lab/router.ts";
import { HANGING } from "../kit/pace.ts";
import { print } from "./print.ts";
import type { Row } from "./table.ts";

const SCRIPT = fileURLToPath(new URL("dhcp_clients.ts", import.meta.url));
const BESIDE = "dnsmasq";

interface Result {
  readonly served: number;
  readonly addresses: number;
  readonly seconds: number;
  /** Milliseconds of a client, from its first word to its address. */
  readonly median: number;
  readonly worst: number;
}

async function clients(lab: Lab, count: number, width: number, first: number): Promise<Result> {
  const args = ["eth0", String(count), String(width), String(first)];
  const script = lab.deno("a", SCRIPT, args);
  // Each client gives up after ten seconds.
  const longest = Math.ceil(count / width) * 10_000 + HANGING;
  const result = JSON.parse(await script.line(/^\{.*\}$/, longest)) as Result;
  if (result.addresses !== result.served) throw new Error("An address was given twice");
  return result;
}

/** New clients one after another, 16 at a time, and 1,000 at once, beside dnsmasq. */
export async function dhcp(): Promise<readonly Row[]> {
  const ours = await buildLab({ name: "benchdhcp", clients: 1 });
  const theirs = await buildLab({ name: "benchmasq", clients: 1 });
  try {
    await startMasq(theirs);
    const router = await startRouter(ours, { services: "dhcpd" });
    try {
      const body = { TinyNets: ["10.64.0.0/16"], LeaseTime: "1h0m0s" };
      const answer = await router.api("PUT", "/subnetConfig", { body });
      if (answer.status !== 200) throw new Error(answer.text);
      // The first also waits until both serve.
      for (const lab of [ours, theirs]) await clients(lab, 4, 1, 1);
      const rows: Row[] = [];
      const both = async (count: number, width: number, first: number) => {
        const pair = [
          await clients(ours, count, width, first),
          await clients(theirs, count, width, first),
        ] as const;
        for (const [index, { served }] of pair.entries()) {
          if (served < count) {
            print(`${index === 0 ? "We" : BESIDE} served ${served} of ${count} new clients`);
          }
        }
        return pair;
      };
      const [one, oneBeside] = await both(50, 1, 100);
      rows.push(row("a new client alone, median", "ms", one.median, oneBeside.median));
      const [some, someBeside] = await both(200, 16, 1000);
      rows.push(row("new clients, 16 at a time", "/s", rate(some), rate(someBeside)));
      const [all, allBeside] = await both(1000, 1000, 10_000);
      rows.push(
        row("1,000 new clients at once", "/s", rate(all), rate(allBeside)),
        row("1,000 at once, median", "ms", all.median, allBeside.median),
        row("1,000 at once, the last", "ms", all.worst, allBeside.worst),
      );
      const [again, againBeside] = await both(1000, 16, 10_000);
      rows.push(row("known clients, 16 at a time", "/s", rate(again), rate(againBeside)));
      return rows;
    } finally {
      await router.close();
    }
  } finally {
    await ours.close();
    await theirs.close();
  }
}

function rate({ served, seconds }: Result): number {
  return served / seconds;
}

function row(what: string, unit: Row["unit"], ours: number, baseline: number): Row {
  return { what, unit, ours, baseline, beside: BESIDE };
}

async function startMasq(lab: Lab): Promise<void> {
  await lab.must("router", "ip", ["address", "add", "10.64.0.1/16", "dev", "cl-a"]);
  await lab.must("router", "ip", ["link", "set", "cl-a", "up"]);
  const folder = await Deno.makeTempDir({ prefix: "sluice-bench-dnsmasq-" });
  lab.spawn("router", "dnsmasq", [
    ...["--no-daemon", "--conf-file=/dev/null", "--port=0", "--interface=cl-a", "--no-ping"],
    ...["--dhcp-range=10.64.0.10,10.64.255.250,1h", "--dhcp-lease-max=5000", "--quiet-dhcp"],
    ...[`--dhcp-leasefile=${folder}/leases`, "--user=root"],
  ]);
}
