/// <reference lib="deno.worker" />
import { buildTable, type ListSource } from "./build_table.ts";
import { ListFiles } from "../lists/list_files.ts";

/** A build for the worker. */
export interface BuildJob {
  readonly folder: string;
  readonly sources: readonly ListSource[];
}

self.onmessage = async ({ data }: MessageEvent<BuildJob>): Promise<void> => {
  const [a, b] = crypto.getRandomValues(new Uint32Array(2));
  try {
    self.postMessage(await buildTable(new ListFiles(data.folder), data.sources, [a!, b!]));
  } catch (error) {
    self.postMessage({ failed: error instanceof Error ? error.message : String(error) });
  }
};
