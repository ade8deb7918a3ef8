import { join } from "node:path";
import { conflict, type Problem } from "../core/errors/problem.ts";
import { ARCHIVE_LIMITS, type TarFile } from "./tar.ts";

/** Temporary files of pending writes. */
const TEMPORARY = /^\..*\.tmp$|\.new$/;

/**
 * Every regular file below `folder`, under `prefix`, sorted by path. Links are not followed. Throws
 * Problem 409 for what could not be restored from an archive.
 */
export async function collect(folder: string, prefix: string): Promise<readonly TarFile[]> {
  const files: TarFile[] = [];
  const walk = async (at: string, path: string, depth: number): Promise<void> => {
    const entries = await Array.fromAsync(Deno.readDir(at));
    for (const { name, isFile, isDirectory } of entries.sort((a, b) => a.name < b.name ? -1 : 1)) {
      const inside = `${path}/${name}`;
      if (isDirectory) {
        if (depth >= ARCHIVE_LIMITS.depth - 1) throw noBackup(`The folder ${inside} lies too deep`);
        await walk(join(at, name), inside, depth + 1);
      } else if (isFile && !TEMPORARY.test(name)) {
        const bytes = await read(join(at, name), inside);
        if (bytes !== null) files.push({ path: inside, bytes });
      }
    }
  };
  await walk(folder, prefix, 1);
  return files;
}

/** The bytes of a file; null when it went meanwhile. Throws Problem 409 for one that is too large. */
async function read(path: string, shown: string): Promise<Uint8Array<ArrayBuffer> | null> {
  try {
    const { size } = await Deno.stat(path);
    if (size > ARCHIVE_LIMITS.file) {
      throw noBackup(`${shown} is larger than ${ARCHIVE_LIMITS.file} bytes`);
    }
    return await Deno.readFile(path);
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return null;
    throw error;
  }
}

/** The error for a tree that cannot be backed up. */
export function noBackup(why: string): Problem {
  return conflict(`No backup of this can be made, since none could be brought back. ${why}`);
}
