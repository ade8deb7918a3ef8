import { createHash } from "node:crypto";
import { run } from "./run.ts";
import type { Tool } from "./tools.ts";

/**
 * An argument that identifies a process that we start: a hash of a path of this home, in characters that
 * ps does not escape.
 */
export function processMark(path: string): string {
  return `sluice-${createHash("sha256").update(path).digest("hex").slice(0, 32)}`;
}

/** Processes of a tool of this user whose command line matches. */
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

/** Signals processes; one that is gone already is no error. */
export async function endProcesses(
  pids: readonly number[],
  signal: "TERM" | "KILL",
): Promise<void> {
  for (const pid of pids) await run("kill", { args: [`-${signal}`, String(pid)] });
}
