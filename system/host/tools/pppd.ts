import { Problem } from "../../core/errors/problem.ts";
import { markOf, ownProcesses } from "./own_processes.ts";
import { run, runOrFail, toolWords } from "./run.ts";

/** How pppd is started with the options of a file. The last word tells its process from every other. */
export function pppdArgs(file: string): readonly string[] {
  return ["file", file, "ipparam", markOf(file)];
}

/** Our own process that runs with the options of a file; null when there is none. */
export async function pppdRunning(file: string): Promise<number | null> {
  const end = ` ${pppdArgs(file).slice(-2).join(" ")}`;
  const [pid] = await ownProcesses("pppd", (args) => args.endsWith(end));
  return pid ?? null;
}

/** Starts pppd with the options of a file; it goes on by itself. Throws Problem 502 with its words. */
export async function dialPppd(file: string): Promise<void> {
  const result = await run("pppd", { args: pppdArgs(file), seconds: 15, maxOutput: 65_536 });
  if (!result.ok) throw new Problem(502, `pppd: ${toolWords(result)}`);
}

/** Ends the connection that was dialled with the options of a file, if one runs. */
export async function hangUpPppd(file: string): Promise<void> {
  const pid = await pppdRunning(file);
  if (pid !== null) await runOrFail("kill", { args: ["-TERM", String(pid)] });
}
