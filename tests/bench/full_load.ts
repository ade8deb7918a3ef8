import { fileURLToPath } from "node:url";
import { must } from "../kit/lab/command.ts";
import { writeLargeHome } from "../kit/builders/large_home.ts";
import { inFolder } from "../kit/process.ts";
import { median, type Row } from "./table.ts";

const DEVICES = 1000;
const GROUPS = 20;

/** The whole ruleset of a thousand devices in one transaction, beside `nft -f` of the same text. */
export async function fullLoad(): Promise<readonly Row[]> {
  return await inFolder(async (home) => {
    await writeLargeHome(home, { devices: DEVICES, groups: GROUPS });
    const space = `bench-load-${Deno.pid}`;
    await must("ip", ["netns", "add", space]);
    try {
      const script = fileURLToPath(new URL("load.ts", import.meta.url));
      const deno = [Deno.execPath(), "run", "-q", "-A", script, home];
      const times = JSON.parse(await must("ip", ["netns", "exec", space, ...deno]));
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
