import { fileURLToPath } from "node:url";
import { inFolder } from "../../kit/process.ts";
import type { BlockMeasures } from "./block_child.ts";
import { print } from "../print.ts";
import type { Row } from "../table.ts";

/** Names in all lists; a fifth of each list stands in the next one too. */
const NAMES = 1_000_000;
const LISTS = 3;

/** A million blocked names of three lists that overlap, beside names as strings in a `Set`. */
export async function blockLists(): Promise<readonly Row[]> {
  return await inFolder(async (folder) => {
    await writeLists(folder);
    const built = await measured("table", folder);
    const started = await measured("start", folder);
    const set = await measured("set", folder);
    print(`Block lists: ${built.names} names, ${built.each.toFixed(1)} bytes each in the table`);
    const row = (what: string, unit: Row["unit"], ours: number, baseline: number): Row => ({
      what: `block lists, ${what}`,
      ours,
      baseline,
      unit,
      beside: "names in a Set",
    });
    return [
      { ...row("bytes a name", "B", built.each, set.each), aim: 0.5 },
      { ...row("memory", "MB", started.memory / 2 ** 20, set.memory / 2 ** 20), aim: 0.5 },
      row("from lists to in force", "ms", built.ready, set.ready),
      { ...row("start with them", "ms", started.ready, set.ready), aim: 0.5 },
      { ...row("longest pause while built", "ms", built.pause, set.pause), aim: 0.2 },
      { ...row("decide a blocked name", "ns", started.blocked, set.blocked), aim: 1 },
      { ...row("decide another name", "ns", started.other, set.other), aim: 1 },
    ];
  });
}

async function writeLists(folder: string): Promise<void> {
  const part = Math.ceil(NAMES / LISTS);
  for (let list = 0; list < LISTS; list++) {
    const lines: string[] = [];
    const end = Math.min(NAMES, (list + 1) * part + part / 5);
    for (let i = list * part; i < end; i++) {
      lines.push(`${list === 0 ? "0.0.0.0 " : ""}ads${i}.tracker${i % 97}.example`);
    }
    await Deno.writeTextFile(`${folder}/${list}.txt`, `${lines.join("\n")}\n`);
  }
}

async function measured(kind: string, folder: string): Promise<BlockMeasures> {
  const script = fileURLToPath(new URL("block_child.ts", import.meta.url));
  const { stdout, success } = await new Deno.Command(Deno.execPath(), {
    args: ["run", "-q", "-A", "--no-check", "--v8-flags=--expose-gc", script, kind, folder],
    stderr: "inherit",
  }).output();
  if (!success) throw new Error(`Measuring ${kind} failed`);
  return JSON.parse(new TextDecoder().decode(stdout));
}
