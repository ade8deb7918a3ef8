import { run, runOrFail, toolWords } from "./run.ts";
import { Problem } from "../core/problem.ts";

/** Where pppd keeps the pid of a connection, by its `linkname`. */
export function pidFile(name: string): string {
  return `/run/ppp-${name}.pid`;
}

/**
 * The process of a connection that pppd says is its own; null when there is none. A pid that another
 * program has by now is not it.
 */
export async function pppdRunning(linkName: string): Promise<number | null> {
  let text: string;
  try {
    text = await Deno.readTextFile(pidFile(linkName));
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return null;
    throw error;
  }
  const [pid] = text.trim().split("\n");
  if (pid === undefined || !/^[1-9]\d{0,9}$/.test(pid)) return null;
  const shown = await run("ps", { args: ["-o", "comm=", "-p", pid] });
  return shown.ok && shown.stdout.trim() === "pppd" ? Number(pid) : null;
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
