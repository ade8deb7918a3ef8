import { isFileError } from "../../../core/errors/disk_error.ts";

/** Milliseconds after which the file of an unfinished upload counts as abandoned. */
const UPLOAD_ABANDONED_MS = 3600_000;

/** Removes partial files that a crash left in a folder. `now`: unix milliseconds. */
export async function removeLeftovers(folder: string, now: number): Promise<void> {
  const entries = await Array.fromAsync(Deno.readDir(folder)).catch((error) => {
    if (isFileError(error)) return [];
    throw error;
  });
  for (const { name } of entries) {
    const path = `${folder}/${name}`;
    if (/\.(new|part)$/.test(name)) await removeFiles([path]);
    else if (/\.upload\.[0-9a-f]{8}$/.test(name)) {
      const stat = await Deno.stat(path).catch(() => null);
      // The API may be writing it now.
      if (stat !== null && now - (stat.mtime?.getTime() ?? 0) > UPLOAD_ABANDONED_MS) {
        await removeFiles([path]);
      }
    }
  }
}

/** Removes files; a missing one is no error. */
export async function removeFiles(paths: readonly string[]): Promise<void> {
  for (const path of paths) {
    await Deno.remove(path).catch(() => {
      // It does not exist.
    });
  }
}

export async function exists(path: string): Promise<boolean> {
  return await fingerprintOf(path) !== null;
}

/** A text that changes with the content of a file, and its size; null for a missing file. */
export async function fingerprintOf(path: string): Promise<{ text: string; size: number } | null> {
  try {
    const { size, mtime, ino } = await Deno.stat(path);
    return { text: `${ino} ${size} ${mtime?.getTime()}`, size };
  } catch (error) {
    // What cannot be looked at is fetched again.
    if (isFileError(error)) return null;
    throw error;
  }
}
