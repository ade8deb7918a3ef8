import { backups } from "./backup.ts";
import { blockLists } from "./dns/block_lists.ts";
import { dhcp } from "./dhcp.ts";
import { dns } from "./dns/dns.ts";
import { queryLog } from "./dns/query_log.ts";
import { devicesList } from "./devices_list.ts";
import { events } from "./events/events.ts";
import { traffic } from "./traffic/traffic.ts";
import { fullLoad } from "./writes/full_load.ts";
import { links } from "./links.ts";
import { load } from "./load/load.ts";
import { loop } from "./loop/loop.ts";
import { lookups } from "./lookup/lookups.ts";
import { memory } from "./memory.ts";
import { wiredMemory } from "./load/wired_memory.ts";
import { writesOnKernel, writesOnModel } from "./writes/policy_write.ts";
import { readers } from "./events/readers.ts";
import { revocation } from "./revocation.ts";
import { stages } from "./writes/stages.ts";
import { plugins } from "./plugins/plugins.ts";
import { mesh } from "./mesh.ts";
import { print } from "./print.ts";
import { steering } from "./steering.ts";
import { topology } from "./traffic/topology.ts";
import { smallGets } from "./small_gets.ts";
import { starts } from "./start.ts";
import { LAB_PACKAGES } from "../kit/run/layers.ts";
import { prepare } from "../kit/run/prepare.ts";
import { type Row, table } from "./table.ts";

/**
 * `deno task bench [write|stages|small|list|start|memory|dhcp|dns|dnslog|links|block|lookup|backup|steering|events|readers|load|traffic|topology|plugins|mesh|loop|ui …]`: measures what the
 * program costs beside a baseline of the same run, so that the ratios hold on any machine. All parts
 * unless some are named, but `load`, `loop` and `ui` only where they are. `--stored=<number>`: events that are searched,
 * in place of a million, where that would take too long.
 */
interface Part {
  readonly run: () => Promise<readonly Row[]>;
  /** Debian packages that it takes as root; null where it needs neither. */
  readonly packages: readonly string[] | null;
  /** Takes minutes, and is left out unless it is named. */
  readonly isLong?: boolean;
}

const parts: Readonly<Record<string, Part>> = {
  write: { run: writes, packages: LAB_PACKAGES },
  stages: { run: stages, packages: LAB_PACKAGES },
  small: { run: smallGets, packages: LAB_PACKAGES },
  list: { run: devicesList, packages: null },
  start: { run: starts, packages: null },
  memory: {
    run: async () => [...await memory(), ...await wiredMemory()],
    packages: LAB_PACKAGES,
  },
  dhcp: { run: dhcp, packages: LAB_PACKAGES },
  dns: { run: dns, packages: [...LAB_PACKAGES, "dnsperf", "unbound"] },
  dnslog: { run: queryLog, packages: null },
  links: { run: links, packages: LAB_PACKAGES },
  block: { run: blockLists, packages: null },
  lookup: { run: lookups, packages: LAB_PACKAGES },
  backup: { run: backups, packages: null },
  steering: { run: steering, packages: null },
  mesh: { run: mesh, packages: null },
  events: { run: () => events(storedEvents()), packages: null },
  readers: { run: readers, packages: LAB_PACKAGES },
  load: { run: load, packages: [...LAB_PACKAGES, "dnsperf"], isLong: true },
  loop: { run: loop, packages: LAB_PACKAGES, isLong: true },
  plugins: { run: plugins, packages: null },
  traffic: { run: traffic, packages: null },
  topology: { run: () => Promise.resolve(topology()), packages: null },
  // Loaded when it is measured, since it builds the pages and asks for a browser.
  ui: {
    run: async () => await (await import("./ui/ui.ts")).ui(),
    packages: ["chromium-headless-shell"],
    isLong: true,
  },
};

print(await machine());
const names = Deno.args.filter((word) => !word.startsWith("--"));
const wanted = names.length > 0
  ? names
  : Object.keys(parts).filter((name) => parts[name]!.isLong !== true);
const rows: Row[] = [];
for (const name of wanted) {
  const part = parts[name];
  if (part === undefined) {
    print(`There is no part ${name}; there are ${Object.keys(parts).join(", ")}`);
    Deno.exit(2);
  }
  const { packages } = part;
  const lack = packages === null
    ? null
    : await prepare({ name: `the part ${name}`, needsRoot: true, packages }, print);
  if (lack !== null) {
    print(`SKIPPED: ${name}: ${lack.why}`);
    continue;
  }
  print(`Measuring: ${name}`);
  rows.push(...await part.run());
}
if (rows.length > 0) {
  print(`\n${table(rows)}`);
  print("\nMedians; the baseline was measured in the same run, in turn with ours.");
}

async function writes(): Promise<readonly Row[]> {
  return [
    ...await writesOnModel(),
    ...await writesOnKernel(),
    ...await fullLoad(),
    ...await revocation(),
  ];
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

/** The number of `--stored=`; undefined where it is not given. */
function storedEvents(): number | undefined {
  const text = Deno.args.find((word) => word.startsWith("--stored="))?.slice("--stored=".length);
  return text === undefined ? undefined : Math.max(20_000, Math.floor(Number(text)) || 0);
}
