import type { Lab } from "./lab.ts";

/** The command lines of all processes in the lab's router, by their ids. */
async function commands(lab: Lab): Promise<ReadonlyMap<number, string>> {
  const { stdout } = await lab.exec("router", "ip", ["netns", "pids", lab.space("router")]);
  const pids = stdout.split("\n").filter((line) => line !== "").map(Number);
  const found = new Map<number, string>();
  for (const pid of pids) {
    found.set(pid, await Deno.readTextFile(`/proc/${pid}/cmdline`).catch(() => ""));
  }
  return found;
}

/** Ids of the processes of that name in Sluice's table that run in the lab's router. */
export async function pidsOf(lab: Lab, name: string): Promise<readonly number[]> {
  const all = [...await commands(lab)];
  return all.filter(([, line]) => line.includes(`/${name}.js\0${name}\0`)).map(([pid]) => pid);
}

/** Ids of the programs of that name that run in the lab's router. */
export async function programsIn(lab: Lab, name: string): Promise<readonly number[]> {
  const all = [...await commands(lab)];
  return all.filter(([, line]) => line.split("\0")[0]?.split("/").at(-1) === name)
    .map(([pid]) => pid);
}
