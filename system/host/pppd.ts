import { run, runOrFail, toolWords } from "./run.ts";
import { Problem } from "../core/problem.ts";

/** The process that runs with the options of a file; null when there is none. */
export async function pppdRunning(file: string): Promise<number | null> {
  const shown = await run("ps", { args: ["-C", "pppd", "-o", "pid=,args="] });
  for (const line of shown.stdout.split("\n")) {
    const [pid = "", ...args] = line.trim().split(/ +/);
    if (/^[1-9]\d{0,9}$/.test(pid) && args.slice(-2).join(" ") === `file ${file}`) {
      return Number(pid);
    }
  }
  return null;
}

/** Starts pppd with the options of a file; it goes on by itself. Throws Problem 502 with its words. */
export async function dialPppd(file: string): Promise<void> {
  const result = await run("pppd", { args: ["file", file], seconds: 15, maxOutput: 65_536 });
  if (!result.ok) throw new Problem(502, `pppd: ${toolWords(result)}`);
}

/** Ends a connection. */
export async function hangUpPppd(pid: number): Promise<void> {
  await runOrFail("kill", { args: ["-TERM", String(pid)] });
}
