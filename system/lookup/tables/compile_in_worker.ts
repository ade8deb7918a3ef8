import type { CompileAnswer, CompileJob } from "./compile.ts";
import { DataError } from "./data_error.ts";

/**
 * Compiles a table in a worker that ends with it, so that lookups are answered meanwhile and its memory
 * is released. Throws {@link DataError} for files that are no data.
 */
export async function compileInWorker(job: CompileJob, ending: AbortSignal): Promise<void> {
  const worker = new Worker(new URL("./compile_worker.ts", import.meta.url).href, {
    type: "module",
    name: `compile ${job.dataset}`,
  });
  const { promise, resolve, reject } = Promise.withResolvers<CompileAnswer>();
  const end = (): void => reject(ending.reason);
  try {
    worker.onmessage = ({ data }: MessageEvent<CompileAnswer>) => resolve(data);
    worker.onerror = (event) => {
      event.preventDefault();
      reject(new Error(event.message));
    };
    ending.throwIfAborted();
    ending.addEventListener("abort", end, { once: true });
    worker.postMessage(job);
    const answer = await promise;
    if (answer === "done") return;
    throw answer.isRefusal ? new DataError(answer.message) : new Error(answer.message);
  } finally {
    ending.removeEventListener("abort", end);
    worker.terminate();
  }
}
