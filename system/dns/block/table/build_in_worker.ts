import type { BuildSource, Built } from "./build_table.ts";

/** Makes tables; one at a time. */
export type Build = (
  folder: string,
  sources: readonly BuildSource[],
  ending: AbortSignal,
) => Promise<Built>;

/**
 * Makes the table of these lists in a thread of its own, which ends with it: answers are not held up
 * meanwhile, and what it used is given back. Throws when the lists cannot be read, the table cannot be
 * written, or the signal ends it.
 */
export const buildApart: Build = async (folder, sources, ending) => {
  const thread = new Worker(new URL("./build_worker.ts", import.meta.url).href, {
    type: "module",
    name: "block lists",
  });
  const { promise, resolve, reject } = Promise.withResolvers<Built>();
  const end = (): void => reject(ending.reason);
  try {
    thread.onmessage = ({ data }: MessageEvent<Built | { readonly failed: string }>) => {
      if ("failed" in data) reject(new Error(data.failed));
      else resolve(data);
    };
    thread.onerror = (event) => {
      event.preventDefault();
      reject(new Error(event.message));
    };
    ending.throwIfAborted();
    ending.addEventListener("abort", end, { once: true });
    thread.postMessage({ folder, sources });
    return await promise;
  } finally {
    ending.removeEventListener("abort", end);
    thread.terminate();
  }
};
