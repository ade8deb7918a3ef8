/**
 * Milliseconds after a process or thread has started until what only its start needed is freed, and
 * until the same is done for the work that comes first: the network is applied, feeds are read.
 */
const DELAYS_MS = [5000, 30_000];

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
    const timer = setTimeout(
      // As when memory runs out: until nothing more is found, and what becomes free is given back.
      () => gc({ type: "major", execution: "sync", flavor: "last-resort" }),
      delay,
    );
    Deno.unrefTimer(timer);
  }
}
