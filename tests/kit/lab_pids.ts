import type { Lab } from "./lab.ts";

/** Ids of the processes of that name in Sluice's table that run in the lab's router. */
export async function pidsOf(lab: Lab, name: string): Promise<readonly number[]> {
  const { stdout } = await lab.exec("router", "ip", ["netns", "pids", lab.space("router")]);
  const pids = stdout.split("\n").filter((line) => line !== "").map(Number);
  const found: number[] = [];
  for (const pid of pids) {
    const line = await Deno.readTextFile(`/proc/${pid}/cmdline`).catch(() => "");
    if (line.includes(`main.ts\0${name}\0`)) found.push(pid);
  }
  return found;
}
