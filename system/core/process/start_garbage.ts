import { getHeapStatistics } from "node:v8";

/**
 * Milliseconds after a process or thread has started until what only its start needed is freed, and
 * until the same is done for the work that comes first: the network is applied, feeds are read.
 */
const DELAYS_MS = [5000, 30_000];

/**
 * Bytes of a heap that is collected as a whole. A larger one would keep its thread from everything else
 * for longer than 50 ms; V8 has collected it by then, which starts its memory reducer.
 */
const MAX_AT_ONCE = 16 << 20;

/**
 * Flags by which V8's memory reducer begins 5 s after the first collection of a heap, rather than 30 s,
 * and looks again after 5 s whether the process is at rest. It collects a heap by and by beside other
 * work, and gives back what becomes free.
 */
export const MEMORY_REDUCER: readonly string[] = [
  "--gc-memory-reducer-start-delay-ms=5000",
  "--memory-reducer-delay-ms=5000",
];

/** V8's own, where the process was started with `--expose-gc`. */
type Collect = (options: { readonly [name: string]: string }) => void;

/**
 * Has the memory that only the start of this process or thread needed freed once it is over. V8 would
 * collect the garbage only after the heap has grown by half of what it holds by then, to which a
 * process at rest does not come, and would keep room for young objects as large as the start filled.
 */
export function freeStartMemory(): void {
  const { gc } = globalThis as { readonly gc?: Collect };
  if (gc === undefined) return;
  for (const delay of DELAYS_MS) {
    const timer = setTimeout(() => {
      if (getHeapStatistics().used_heap_size > MAX_AT_ONCE) return;
      // As when memory runs out: until nothing more is found, and what becomes free is given back.
      gc({ type: "major", execution: "sync", flavor: "last-resort" });
    }, delay);
    Deno.unrefTimer(timer);
  }
}
