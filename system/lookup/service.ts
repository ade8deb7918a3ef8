import type { Log } from "../core/log/log.ts";
import { removeFile } from "../core/config/files.ts";
import { join } from "node:path";
import { BlockedListStore } from "./blocked/list_store.ts";
import { Datasets } from "./datasets.ts";
import { compileInWorker } from "./tables/compile_in_worker.ts";

/** Options of {@link startLookup}. */
export interface LookupOptions {
  /** Folder of the tables. */
  readonly folder: string;
  /** Folder with the packages that have the first data. */
  readonly packages: string;
  readonly log: Log;
}

/** The running lookup service. */
export interface Lookup {
  readonly datasets: Datasets;
  readonly lists: BlockedListStore;
  /** Resolves once the tables were loaded or compiled, or could not be. */
  readonly opened: Promise<void>;
  stop(): Promise<void>;
}

/**
 * Starts the lookup service over the tables of its folder. Those that are missing are compiled meanwhile;
 * until then addresses belong to no network.
 */
export async function startLookup({ folder, packages, log }: LookupOptions): Promise<Lookup> {
  const ending = new AbortController();
  await removeLeftovers(folder);
  const datasets = new Datasets({
    folder,
    packages,
    log,
    compile: compileInWorker,
    now: Date.now,
    ending: ending.signal,
  });
  const opened = datasets.open().catch((error) =>
    log.warn("lookup.tables_failed", "The tables cannot be used", { error })
  );
  return {
    datasets,
    lists: new BlockedListStore(folder),
    opened,
    async stop() {
      ending.abort();
      await opened;
    },
  };
}

/** Removes what a crash left of uploads and unfinished tables. */
async function removeLeftovers(folder: string): Promise<void> {
  await Deno.mkdir(folder, { recursive: true });
  for await (const { name } of Deno.readDir(folder)) {
    if (/\.(upload|new)$/.test(name)) await removeFile(join(folder, name));
  }
}
