import { DnsFilter } from "../../../system/dns/block/verdict/dns_filter.ts";
import { nameBytes } from "../../../system/dns/codec/name.ts";
import { blockConfig, blockList } from "../../kit/dns/block.ts";

/**
 * Measures block lists in a process of their own, so that memory is theirs alone: `table <folder>`
 * builds ours, `start <folder>` starts with it, `set <folder>` is what one would write first. The
 * folder holds `0.txt`, `1.txt`, ….
 */
const [kind, folder] = Deno.args;
const LOOKUPS = 300_000;

/** What was measured: milliseconds, bytes, and nanoseconds for a look-up. */
export interface BlockMeasures {
  readonly names: number;
  /** From an empty folder, or from nothing, until all is in force. */
  readonly ready: number;
  /** The longest that the event loop stood still meanwhile. */
  readonly pause: number;
  readonly memory: number;
  readonly each: number;
  readonly blocked: number;
  readonly other: number;
}

const files = [...Deno.readDirSync(folder!)].map(({ name }) => name)
  .filter((name) => name.endsWith(".txt")).sort();
const before = resident();
const text = JSON.stringify(kind === "set" ? await plain() : await ours());
await Deno.stdout.write(new TextEncoder().encode(text));

async function ours(): Promise<BlockMeasures> {
  const config = blockConfig({
    BlockLists: files.map((name) => blockList(`https://lists.example/${name}`)),
  });
  let pause = 0, last = performance.now();
  const timer = setInterval(() => {
    pause = Math.max(pause, performance.now() - last - 1);
    last = performance.now();
  }, 1);
  let blocking: DnsFilter | null = null;
  const ready = await timed(async () => {
    blocking = await DnsFilter.open({
      folder: `${folder}/lists`,
      fetch: async ({ uri, target }) => {
        await Deno.copyFile(`${folder}/${uri.split("/").at(-1)}`, target);
        return { changed: true, bytes: 0, etag: "", modified: "" };
      },
      now: Date.now,
      log: { info() {}, warn() {} },
    });
    blocking.configure(config, []);
    await blocking.lists.settled();
  });
  clearInterval(timer);
  return await looked(blocking!, { ready, pause });
}

async function looked(
  blocking: DnsFilter,
  known: Pick<BlockMeasures, "ready" | "pause">,
): Promise<BlockMeasures> {
  const { image } = blocking.lists.table;
  const memory = await settledMemory();
  const decide = (names: readonly Uint8Array[]) => (i: number) => {
    blocking.decide({ name: names[i]!, address: "192.168.2.6", now: 0 });
  };
  const measures = {
    ...known,
    names: image.count,
    memory,
    each: image.words.byteLength / image.count,
    blocked: look(decide(queryFiles("ads"))),
    other: look(decide(queryFiles("fine"))),
  };
  await blocking.close();
  return measures;
}

/** Names as strings in a set, each parent domain cut out of the query name. */
async function plain(): Promise<BlockMeasures> {
  let set = new Set<string>();
  const read = async () => {
    set = new Set();
    for (const file of files) {
      for (const line of (await Deno.readTextFile(`${folder}/${file}`)).split("\n")) {
        const name = line.split(" ").at(-1)!;
        if (name !== "") set.add(name);
      }
    }
  };
  const ready = await timed(read);
  const memory = await settledMemory();
  const decode = new TextDecoder();
  const decide = (names: readonly Uint8Array[]) => (i: number) => {
    let text = "";
    for (let at = 0, name = names[i]!; name[at] !== 0; at += name[at]! + 1) {
      text += `${decode.decode(name.subarray(at + 1, at + 1 + name[at]!))}.`;
    }
    text = text.slice(0, -1);
    for (let dot = 0; dot >= 0; dot = text.indexOf(".")) {
      if (set.has(text)) return;
      text = text.slice(text.indexOf(".") + 1);
      if (!text.includes(".")) return;
    }
  };
  return {
    names: set.size,
    ready,
    pause: ready,
    memory,
    each: memory / set.size,
    blocked: look(decide(queryFiles("ads"))),
    other: look(decide(queryFiles("fine"))),
  };
}

function queryFiles(word: string): readonly Uint8Array[] {
  return Array.from(
    { length: LOOKUPS },
    (_, i) => nameBytes(`www.${word}${(i * 7919) % 1_000_000}.tracker${i % 97}.example`)!,
  );
}

/** Nanoseconds of one look-up, the middle of five rounds. */
function look(one: (i: number) => void): number {
  const rounds = Array.from({ length: 5 }, () => {
    const begun = performance.now();
    for (let i = 0; i < LOOKUPS; i++) one(i);
    return (performance.now() - begun) * 1e6 / LOOKUPS;
  });
  return rounds.sort((a, b) => a - b)[2]!;
}

async function timed(work: () => Promise<void>): Promise<number> {
  const begun = performance.now();
  await work();
  return performance.now() - begun;
}

/** Bytes more than at the start, once what a build used is given back. */
async function settledMemory(): Promise<number> {
  (globalThis as { gc?: () => void }).gc?.();
  await new Promise((resolve) => setTimeout(resolve, 500));
  return resident() - before;
}

function resident(): number {
  const status = Deno.readTextFileSync("/proc/self/status");
  return Number(/VmRSS:\s+(\d+)/.exec(status)?.[1]) * 1024;
}
