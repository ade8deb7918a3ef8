import type { Lab } from "../../kit/lab/lab.ts";
import { must } from "../../kit/lab/command.ts";

/** A process at one moment. */
export interface Usage {
  readonly name: string;
  readonly pid: number;
  /** MB: resident, and with what it shares counted in parts (proc_pid_smaps). */
  readonly rss: number;
  readonly pss: number;
  /** Seconds of the processor so far, and that its main thread waited for one (proc_pid_schedstat). */
  readonly seconds: number;
  readonly waited: number;
}

/** Every process of Sluice in the lab's router, by name. */
export async function usages(lab: Lab): Promise<readonly Usage[]> {
  const pids = (await must("ip", ["netns", "pids", lab.space("router")])).trim().split("\n");
  const found = await Promise.all(pids.map((pid) => usage(Number(pid)).catch(() => null)));
  return found.filter((one) => one !== null).sort((a, b) => a.pid - b.pid);
}

/** Null for another program. */
async function usage(pid: number): Promise<Usage | null> {
  const line = (await Deno.readTextFile(`/proc/${pid}/cmdline`)).split("\0");
  const main = line.findIndex((word) => /dist\/\w+\.js$/.test(word));
  if (main < 0) return null;
  const name = line[main + 1] ?? "";
  const rollup = await Deno.readTextFile(`/proc/${pid}/smaps_rollup`);
  const megabytes = (field: string): number =>
    Number(new RegExp(`^${field}:\\s+(\\d+)`, "m").exec(rollup)?.[1]) / 1024;
  const stat = await Deno.readTextFile(`/proc/${pid}/stat`);
  const numbers = stat.slice(stat.lastIndexOf(")") + 2).split(" ").map(Number);
  const schedule = await Deno.readTextFile(`/proc/${pid}/schedstat`);
  return {
    name: name === "--attached" ? "launcher" : name,
    pid,
    rss: megabytes("Rss"),
    pss: megabytes("Pss"),
    // Ticks: a hundredth of a second on every Linux of ours.
    seconds: (numbers[11]! + numbers[12]!) / 100,
    waited: Number(schedule.split(" ")[1]) / 1e9,
  };
}
