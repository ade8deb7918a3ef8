import { join } from "node:path";
import { ARCHIVE_LIMITS, type TarFile } from "./tar.ts";

/** Files that are being written, and are not there yet. */
const UNFINISHED = /^\..*\.tmp$|\.new$/;

/**
 * Every regular file below `folder`, under `prefix`, in the order of their paths. Links are not
 * followed: what lies elsewhere is no part of it.
 */
export async function collect(folder: string, prefix: string): Promise<readonly TarFile[]> {
  const files: TarFile[] = [];
  const walk = async (at: string, path: string, depth: number): Promise<void> => {
    const entries = await Array.fromAsync(Deno.readDir(at));
    for (const { name, isFile, isDirectory } of entries.sort((a, b) => a.name < b.name ? -1 : 1)) {
      if (isDirectory && depth < ARCHIVE_LIMITS.depth - 1) {
        await walk(join(at, name), `${path}/${name}`, depth + 1);
      } else if (isFile && !UNFINISHED.test(name)) {
        const bytes = await read(join(at, name));
        if (bytes !== null) files.push({ path: `${path}/${name}`, bytes });
      }
    }
  };
  await walk(folder, prefix, 1);
  return files;
}

/** The bytes of a file; null when it went meanwhile. Throws RangeError for one that no archive takes back. */
async function read(path: string): Promise<Uint8Array<ArrayBuffer> | null> {
  try {
    const { size } = await Deno.stat(path);
    if (size > ARCHIVE_LIMITS.file) throw new RangeError(`${path} is too large for a backup`);
    return await Deno.readFile(path);
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return null;
    throw error;
  }
}
