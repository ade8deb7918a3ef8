import { PROCESSES } from "../../system/processes.ts";
import { withBed } from "../kit/lab/bed.ts";
import { pidsOf } from "../kit/lab/pids.ts";
import { writeLargeHome } from "../kit/builders/large_home.ts";
import { answered, inFolder, startProgram } from "../kit/process.ts";
import { startScript } from "./script.ts";
import type { Row } from "./table.ts";

/** Milliseconds after the first answer until a process counts as at rest. */
const REST = 3000;

/** Resident memory of each process, beside a bare script that listens. */
export async function memory(): Promise<readonly Row[]> {
  return await inFolder(async (home) => {
    await writeLargeHome(home, { devices: 250, groups: 20 });
    await using program = startProgram({ home });
    await (await answered(program)).body?.cancel();
    await using bare = await startScript("bare_server.ts");
    await new Promise((resolve) => setTimeout(resolve, REST));
    const baseline = await resident(bare.pid);
    const row = (name: string, ours: number): Row => ({
      what: `memory at rest, ${name}`,
      ours,
      baseline,
      unit: "MB",
      beside: "a script that listens",
    });
    const rows = [row("launcher", await resident(program.pid))];
    for (const { name, pid } of await children(program.pid)) {
      rows.push(row(name, await resident(pid)));
    }
    return [...rows, ...(await applied()).map(({ name, size }) => row(`${name}, applied`, size))];
  });
}

/** Megabytes of each process of a router whose network is applied, with one client. */
async function applied(): Promise<readonly { readonly name: string; readonly size: number }[]> {
  const found: { readonly name: string; readonly size: number }[] = [];
  const router = { services: "all" };
  await withBed({ name: "memory", lab: { clients: 1 }, router }, async ({ lab }) => {
    await new Promise((resolve) => setTimeout(resolve, REST));
    for (const { name } of PROCESSES) {
      const [pid] = await pidsOf(lab, name);
      if (pid !== undefined) found.push({ name, size: await resident(pid) });
    }
  });
  return found;
}

async function resident(pid: number): Promise<number> {
  const status = await Deno.readTextFile(`/proc/${pid}/status`);
  return Number(/VmRSS:\s+(\d+)/.exec(status)?.[1]) / 1024;
}

/** The launcher's processes, by the name that stands behind its bundle on their command line. */
async function children(
  parent: number,
): Promise<readonly { readonly name: string; readonly pid: number }[]> {
  const tasks = await Deno.readTextFile(`/proc/${parent}/task/${parent}/children`);
  const lists = [tasks];
  for await (const { name } of Deno.readDir(`/proc/${parent}/task`)) {
    if (name === String(parent)) continue;
    lists.push(await Deno.readTextFile(`/proc/${parent}/task/${name}/children`));
  }
  const pids = lists.join(" ").split(" ").filter((text) => text.trim() !== "").map(Number);
  return await Promise.all(pids.map(async (pid) => {
    const line = (await Deno.readTextFile(`/proc/${pid}/cmdline`)).split("\0");
    const main = line.findIndex((word) => /dist\/\w+\.js$/.test(word));
    return { name: line[main + 1] ?? "?", pid };
  }));
}
