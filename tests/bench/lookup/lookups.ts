import { fileURLToPath } from "node:url";
import { decodeRanges } from "../../../system/core/kernel/blocked_ranges.ts";
import { renderBlocked } from "../../../system/core/kernel/nft/blocked_text.ts";
import { formatIpv4 } from "../../../system/core/net/net.ts";
import { isRestrictive } from "../../../system/firewall/sets/transition.ts";
import { linuxHost } from "../../../system/host/kernel/linux.ts";
import { lookUpAddress } from "../../../system/lookup/lookup_rules.ts";
import { compile, countriesOf, networksOf } from "../../../system/lookup/tables/compile.ts";
import { readTable } from "../../../system/lookup/tables/table_file.ts";
import { must } from "../../kit/lab/command.ts";
import { toolStarter, ToolStarts } from "../tool_starts.ts";
import { inFolder } from "../../kit/process.ts";
import { blockedBytes } from "../blocked.ts";
import { print } from "../print.ts";
import { median, type Row } from "../table.ts";

const PACKAGES = new URL("../../../node_modules/", import.meta.url).pathname;
const LOOKUPS = 200_000;
const SIZES = [1000, 10_000, 100_000, 300_000];
const TIMES = 3;

interface Replaced {
  readonly size: number;
  readonly ours: readonly number[];
  readonly nft: readonly number[];
}

/** Lookups of addresses, and the replacement of blocked ranges in the kernel. */
export async function lookups(): Promise<readonly Row[]> {
  return [await searchRate(), ...await replacements()];
}

/** Network, name and country of random addresses, beside a plain binary search for the network alone. */
async function searchRate(): Promise<Row> {
  return await inFolder(async (folder) => {
    const at = new Date(0).toISOString();
    const files = (name: string) =>
      [4, 6].map((v) => `${PACKAGES}@ip-location-db/${name}-ipv${v}.csv`);
    const [asn, country] = [`${folder}/asn.table`, `${folder}/country.table`];
    await compile({ dataset: "asn", files: files("asn/asn"), path: asn, source: "", at });
    const countries = files("asn-country/asn-country");
    await compile({ dataset: "country", files: countries, path: country, source: "", at });
    const networks = networksOf((await readTable(asn))!);
    const tables = {
      networks,
      countries: countriesOf((await readTable(country))!),
      vendors: null,
    };
    const numbers = crypto.getRandomValues(new Uint32Array(16_384));
    const texts = [...numbers].map(formatIpv4);
    let found = 0;
    const rate = (work: (turn: number) => number): number => {
      const started = performance.now();
      for (let turn = 0; turn < LOOKUPS; turn++) found += work(turn & 16_383);
      return LOOKUPS / (performance.now() - started) * 1000;
    };
    const { starts, values } = networks.four;
    const plain = (wanted: number): number => {
      let low = 0, high = starts.length;
      while (low < high) {
        const middle = low + high >>> 1;
        if (starts[middle]! <= wanted) low = middle + 1;
        else high = middle;
      }
      return values[low - 1] ?? 0;
    };
    const ours = () => rate((turn) => lookUpAddress(tables, texts[turn]!).ASN);
    const baseline = () => rate((turn) => plain(numbers[turn]!));
    ours();
    baseline();
    return {
      what: "lookups of network, name and country, in process",
      ours: median([ours(), ours(), ours()]),
      baseline: median([baseline(), baseline(), baseline()]),
      unit: "/s",
      beside: `plain binary search, ${starts.length} rows (${found > 0 ? "found" : "none"})`,
    };
  });
}

async function replacements(): Promise<readonly Row[]> {
  const space = `bench-geo-${Deno.pid}`;
  await must("ip", ["netns", "add", space]);
  try {
    // This module as a program of its own, since a process has one network namespace.
    const deno = [Deno.execPath(), "run", "-q", "-A", fileURLToPath(import.meta.url)];
    const measured: readonly Replaced[] = JSON.parse(
      await must("ip", ["netns", "exec", space, ...deno]),
    );
    return measured.map(({ size, ours, nft }) => ({
      what: `blocked ranges replaced, ${size}`,
      ours: median(ours),
      baseline: median(nft),
      unit: "ms",
      beside: "nft -f of the same sets",
      aim: 1.5,
    }));
  } finally {
    await must("ip", ["netns", "delete", space]);
  }
}

/** Replaces ranges of each size in this network namespace, in turn with `nft -f`; with what netd reads. */
async function measureReplacements(): Promise<readonly Replaced[]> {
  const host = await linuxHost({ isRestrictive });
  const folder = await Deno.makeTempDir({ prefix: "sluice-geo-" });
  await using starter = await toolStarter();
  using tools = new ToolStarts(starter.folder);
  const measured: Replaced[] = [];
  for (const size of SIZES) {
    const bytes = blockedBytes(size);
    const file = `${folder}/${size}.nft`;
    await Deno.writeTextFile(file, renderBlocked(decodeRanges(bytes)));
    const ours: number[] = [], nft: number[] = [];
    for (let turn = 0; turn < TIMES; turn++) {
      ours.push(await timed(() => host.block(decodeRanges(bytes))));
      nft.push(await tools.start(["nft", "-f", file]));
    }
    measured.push({ size, ours, nft });
  }
  await host.block(null);
  await host.close();
  await Deno.remove(folder, { recursive: true });
  return measured;
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const started = performance.now();
  await work();
  return performance.now() - started;
}

if (import.meta.main) print(JSON.stringify(await measureReplacements()));
