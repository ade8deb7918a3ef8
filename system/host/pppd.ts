import { createHash } from "node:crypto";
import { Problem } from "../core/problem.ts";
import { run, runOrFail, toolWords } from "./run.ts";

/**
 * How pppd is started with the options of a file. The last word tells its process from every other:
 * it is made of the path and has no letter that a list of processes would show as another.
 */
export function pppdArgs(file: string): readonly string[] {
  const mark = createHash("sha256").update(file).digest("hex").slice(0, 32);
  return ["file", file, "ipparam", `sluice-${mark}`];
}

/** Our own process that runs with the options of a file; null when there is none. */
export async function pppdRunning(file: string): Promise<number | null> {
  const shown = await run("ps", { args: ["-ww", "-C", "pppd", "-o", "pid=,euid=,args="] });
  const end = ` ${pppdArgs(file).slice(-2).join(" ")}`;
  for (const line of shown.stdout.split("\n")) {
    const [, pid, user] = /^ *([1-9]\d{0,9}) +(\d+) /.exec(line) ?? [];
    if (pid === undefined || Number(user) !== Deno.uid()) continue;
    if (line.endsWith(end)) return Number(pid);
  }
  return null;
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
