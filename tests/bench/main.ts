import { backups } from "./backup.ts";
import { blockLists } from "./block_lists.ts";
import { dhcp } from "./dhcp.ts";
import { dns } from "./dns.ts";
import { queryLog } from "./dns_log.ts";
import { devicesList } from "./devices_list.ts";
import { fullLoad } from "./full_load.ts";
import { links } from "./links.ts";
import { memory } from "./memory.ts";
import { writesOnKernel, writesOnModel } from "./policy_write.ts";
import { revocation } from "./revocation.ts";
import { say } from "./say.ts";
import { starts } from "./start.ts";
import { type Row, table } from "./table.ts";

/**
 * `deno task bench [write|list|start|memory|dhcp|dns|dnslog|links|block|backup …]`: measures what the program costs beside a baseline
 * of the same run, so that the ratios hold on any machine. All parts unless some are named.
 */
const isRoot = Deno.uid() === 0;
const parts: Readonly<Record<string, () => Promise<readonly Row[]>>> = {
  write: writes,
  list: devicesList,
  start: starts,
  memory,
  dhcp: leases,
  dns: names,
  dnslog: queryLog,
  links: uplinks,
  block: blockLists,
  backup: backups,
};

say(await machine());
const wanted = Deno.args.length > 0 ? Deno.args : Object.keys(parts);
const rows: Row[] = [];
for (const name of wanted) {
  const run = parts[name];
  if (run === undefined) {
    say(`There is no part ${name}; there are ${Object.keys(parts).join(", ")}`);
    Deno.exit(2);
  }
  rows.push(...await run());
}
say(`\n${table(rows)}`);
say("\nMedians; the baseline was measured in the same run, in turn with ours.");

async function writes(): Promise<readonly Row[]> {
  if (!isRoot) {
    say("SKIPPED: policy writes are measured beside nft in namespaces, which only root may make");
    return [];
  }
  return [
    ...await writesOnModel(),
    ...await writesOnKernel(),
    ...await fullLoad(),
    ...await revocation(),
  ];
}

async function leases(): Promise<readonly Row[]> {
  if (isRoot) return await dhcp();
  say("SKIPPED: DHCP is measured beside dnsmasq in namespaces, which only root may make");
  return [];
}

async function uplinks(): Promise<readonly Row[]> {
  if (isRoot) return await links();
  say("SKIPPED: uplinks are measured in namespaces, which only root may make");
  return [];
}

async function names(): Promise<readonly Row[]> {
  if (isRoot) return await dns();
  say("SKIPPED: DNS is measured beside dnsmasq in namespaces, which only root may make");
  return [];
}

async function machine(): Promise<string> {
  const cpu = /model name\s*: (.*)/.exec(await Deno.readTextFile("/proc/cpuinfo"))?.[1] ??
    Deno.build.arch;
  const memory = Math.round(Deno.systemMemoryInfo().total / 2 ** 30);
  const load = Deno.loadavg()[0]!.toFixed(1);
  const { deno } = Deno.version;
  return `${navigator.hardwareConcurrency} × ${cpu}, ${memory} GB, Linux ${Deno.osRelease()}, ` +
    `Deno ${deno}, load ${load}`;
}
