import { pathToFileURL } from "node:url";

/** A test file; its size in bytes stands for the time that it takes. */
export interface SizedFile {
  /** Absolute. */
  readonly path: string;
  readonly size: number;
}

/**
 * Divides files among so many shards of about equal size, largest first to the emptiest shard. Empty
 * shards are left out.
 */
export function divide(files: readonly SizedFile[], shards: number): readonly SizedFile[][] {
  const all = Array.from({ length: shards }, () => ({ files: [] as SizedFile[], size: 0 }));
  for (const file of files.toSorted((a, b) => b.size - a.size || (a.path < b.path ? -1 : 1))) {
    const emptiest = all.reduce((a, b) => b.size < a.size ? b : a);
    emptiest.files.push(file);
    emptiest.size += file.size;
  }
  return all.map((shard) => shard.files).filter((shard) => shard.length > 0);
}

/**
 * A module that is all tests of these files. What they import is loaded once for all of them, which
 * is half of the time that a layer of small tests takes; the report names each test's own file.
 */
export function shardModule(files: readonly SizedFile[]): string {
  const paths = files.map(({ path }) => path).toSorted();
  return paths.map((path) => `import ${JSON.stringify(pathToFileURL(path).href)};\n`).join("");
}
