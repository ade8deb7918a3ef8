import type { BuildResult, ListSource } from "./build_table.ts";

/** Builds a table. */
export type TableBuild = (
  folder: string,
  sources: readonly ListSource[],
  ending: AbortSignal,
) => Promise<BuildResult>;

/**
 * Builds the table of these lists in a worker that ends with it, so that queries are answered meanwhile
 * and its memory is released. Throws when the lists cannot be read, the table cannot be written, or the
 * signal aborts it.
 */
export const buildInWorker: TableBuild = async (folder, sources, ending) => {
  const worker = new Worker(new URL("./build_worker.ts", import.meta.url).href, {
    type: "module",
    name: "block lists",
  });
  const { promise, resolve, reject } = Promise.withResolvers<BuildResult>();
  const end = (): void => reject(ending.reason);
  try {
    worker.onmessage = ({ data }: MessageEvent<BuildResult | { readonly failed: string }>) => {
      if ("failed" in data) reject(new Error(data.failed));
      else resolve(data);
    };
    worker.onerror = (event) => {
      event.preventDefault();
      reject(new Error(event.message));
    };
    ending.throwIfAborted();
    ending.addEventListener("abort", end, { once: true });
    worker.postMessage({ folder, sources });
    return await promise;
  } finally {
    ending.removeEventListener("abort", end);
    worker.terminate();
  }
};
