import { fileURLToPath } from "node:url";
import { renderLoad } from "../../../system/core/kernel/nft/text.ts";
import { isRestrictive } from "../../../system/firewall/sets/transition.ts";
import { linuxHost } from "../../../system/host/kernel/linux.ts";
import { must } from "../../kit/lab/command.ts";
import { toolStarter, ToolStarts } from "../tool_starts.ts";
import { writeLargeHome } from "../../kit/builders/large_home.ts";
import { inFolder } from "../../kit/process.ts";
import { rulesetOf } from "./nft_baseline.ts";
import { print } from "../print.ts";
import { median, type Row } from "../table.ts";

const DEVICES = 1000;
const GROUPS = 20;
const TIMES = 9;

/** Milliseconds of each load, ours and those of `nft -f`. */
interface LoadTimes {
  readonly ours: number[];
  readonly nft: number[];
}

/** The whole ruleset of a thousand devices in one transaction, beside `nft -f` of the same text. */
export async function fullLoad(): Promise<readonly Row[]> {
  return await inFolder(async (home) => {
    await writeLargeHome(home, { devices: DEVICES, groups: GROUPS });
    const space = `bench-load-${Deno.pid}`;
    await must("ip", ["netns", "add", space]);
    try {
      // This module as a program of its own, since a process has one network namespace.
      const deno = [Deno.execPath(), "run", "-q", "-A", fileURLToPath(import.meta.url), home];
      const times: LoadTimes = JSON.parse(await must("ip", ["netns", "exec", space, ...deno]));
      return [{
        what: `full load, ${DEVICES} devices`,
        ours: median(times.ours),
        baseline: median(times.nft),
        unit: "ms",
        beside: "nft -f of the same text",
        aim: 1,
      }];
    } finally {
      await must("ip", ["netns", "delete", space]);
    }
  });
}

/** Loads the rules of a home into this network namespace again and again, in turn with `nft -f`. */
async function measureLoads(home: string): Promise<LoadTimes> {
  const ruleset = await rulesetOf(home);
  const file = `${home}/load.nft`;
  await Deno.writeTextFile(file, renderLoad(ruleset));
  const host = await linuxHost({ isRestrictive });
  await using starter = await toolStarter();
  using tools = new ToolStarts(starter.folder);
  const times: LoadTimes = { ours: [], nft: [] };
  for (let turn = 0; turn <= TIMES; turn++) {
    const ours = await timed(() => host.apply({ kind: "load", ruleset }));
    const nft = await tools.start(["nft", "-f", file]);
    // The first one warms up.
    if (turn === 0) continue;
    times.ours.push(ours);
    times.nft.push(nft);
  }
  await host.close();
  return times;
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const started = performance.now();
  await work();
  return performance.now() - started;
}

if (import.meta.main) print(JSON.stringify(await measureLoads(Deno.args[0]!)));
