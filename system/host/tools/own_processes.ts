import { createHash } from "node:crypto";
import { run } from "./run.ts";
import type { Tool } from "./tools.ts";

/**
 * A word that tells a process that we start from every other, put among its arguments. It is made of a
 * path of this home, and has no letter that a list of processes would show as another.
 */
export function markOf(path: string): string {
  return `sluice-${createHash("sha256").update(path).digest("hex").slice(0, 32)}`;
}

/** Our own processes of a tool whose arguments, the tool's path before them, are such. */
export async function ownProcesses(
  tool: Tool,
  isOurs: (args: string) => boolean,
): Promise<readonly number[]> {
  const shown = await run("ps", { args: ["-ww", "-C", tool, "-o", "pid=,euid=,args="] });
  return shown.stdout.split("\n").flatMap((line) => {
    const [, pid, user, args] = /^ *([1-9]\d{0,9}) +(\d+) (.*)$/.exec(line) ?? [];
    if (pid === undefined || args === undefined || Number(user) !== Deno.uid()) return [];
    return isOurs(args) ? [Number(pid)] : [];
  });
}

/** Ends processes; one that is gone already is no error. */
export async function endProcesses(
  pids: readonly number[],
  signal: "TERM" | "KILL",
): Promise<void> {
  for (const pid of pids) await run("kill", { args: [`-${signal}`, String(pid)] });
}
