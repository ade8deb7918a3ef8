import type { Hold } from "./probe.ts";

/** What V8 writes of a profile: the calls as a tree, and at which of them each sample found it. */
interface Profile {
  readonly nodes: readonly {
    readonly id: number;
    readonly callFrame: {
      readonly functionName: string;
      readonly url: string;
      readonly lineNumber: number;
    };
    readonly children?: readonly number[];
  }[];
  /** Microseconds of the monotonic clock. */
  readonly startTime: number;
  readonly samples: readonly number[];
  readonly timeDeltas: readonly number[];
}

/** Microseconds below which a call is left out. */
const LEAST = 2500;
const MAX_LINES = 60;

/** Where the time of one stretch went: calls by what they and those below took, in milliseconds. */
export function stacksOf(text: string, { ended, passed }: Pick<Hold, "ended" | "passed">): string {
  const { nodes, samples, timeDeltas, startTime }: Profile = JSON.parse(text);
  const own = new Map<number, number>();
  let now = startTime;
  for (const [at, sample] of samples.entries()) {
    const took = timeDeltas[at]!;
    now += took;
    if (now < (ended - passed) * 1000 || now > ended * 1000) continue;
    own.set(sample, (own.get(sample) ?? 0) + took);
  }
  const byId = new Map(nodes.map((node) => [node.id, node]));
  const below = new Set(nodes.flatMap(({ children = [] }) => children));
  const totals = new Map<number, number>();
  const total = (id: number): number => {
    const sum = (byId.get(id)!.children ?? []).reduce(
      (sum, child) => sum + total(child),
      own.get(id) ?? 0,
    );
    totals.set(id, sum);
    return sum;
  };
  const lines: string[] = [];
  const write = (id: number, depth: number): void => {
    const took = totals.get(id)!;
    if (took < LEAST) return;
    const { callFrame, children = [] } = byId.get(id)!;
    const file = callFrame.url.split("/").slice(-2).join("/");
    const name = callFrame.functionName || "(anonymous)";
    const alone = own.get(id) ?? 0;
    lines.push(
      `${"  ".repeat(depth)}${(took / 1000).toFixed(1)}${
        alone >= LEAST ? ` (itself ${(alone / 1000).toFixed(1)})` : ""
      } ${name} ${file}:${callFrame.lineNumber + 1}`,
    );
    for (const child of children.toSorted((a, b) => totals.get(b)! - totals.get(a)!)) {
      write(child, depth + 1);
    }
  };
  for (const { id } of nodes) {
    if (below.has(id)) continue;
    total(id);
    write(id, 0);
  }
  return lines.slice(0, MAX_LINES).join("\n");
}
