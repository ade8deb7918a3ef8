import { Problem } from "../../core/errors/problem.ts";
import { ownProcesses, processMark } from "./own_processes.ts";
import { run, runOrFail, toolMessage } from "./run.ts";

/** How pppd is started with the options of a file. The last argument identifies the process. */
export function pppdArgs(file: string): readonly string[] {
  return ["file", file, "ipparam", processMark(file)];
}

/** Our process with the options of a file; null when there is none. */
export async function pppdRunning(file: string): Promise<number | null> {
  const end = ` ${pppdArgs(file).slice(-2).join(" ")}`;
  const [pid] = await ownProcesses("pppd", (args) => args.endsWith(end));
  return pid ?? null;
}

/** Starts pppd with the options of a file; it detaches itself. Throws Problem 502 with its error. */
export async function connectPppd(file: string): Promise<void> {
  const result = await run("pppd", { args: pppdArgs(file), seconds: 15, maxOutput: 65_536 });
  if (!result.ok) throw new Problem(502, `pppd: ${toolMessage(result)}`);
}

/** Ends the connection that was started with the options of a file, if one runs. */
export async function disconnectPppd(file: string): Promise<void> {
  const pid = await pppdRunning(file);
  if (pid !== null) await runOrFail("kill", { args: ["-TERM", String(pid)] });
}
