/** Milliseconds after which what an upload left half done is no upload any more: an hour. */
const ABANDONED = 3600_000;

/** Removes what a crash left half written in a folder. `now`: unix milliseconds. */
export async function sweep(folder: string, now: number): Promise<void> {
  for await (const { name } of Deno.readDir(folder)) {
    const path = `${folder}/${name}`;
    if (/\.(new|part)$/.test(name)) await removeAll([path]);
    else if (/\.upload\.[0-9a-f]{8}$/.test(name)) {
      const stat = await Deno.stat(path).catch(() => null);
      // The api may be writing it just now.
      if (stat !== null && now - (stat.mtime?.getTime() ?? 0) > ABANDONED) await removeAll([path]);
    }
  }
}

/** Removes files; one that is not there is no fault. */
export async function removeAll(paths: readonly string[]): Promise<void> {
  for (const path of paths) {
    await Deno.remove(path).catch(() => {
      // It never was there.
    });
  }
}

/** True when there is such a file. */
export async function exists(path: string): Promise<boolean> {
  return await stampOf(path) !== null;
}

/** Tells one content of a file from another, and its size; null when there is none. */
export async function stampOf(path: string): Promise<{ text: string; size: number } | null> {
  try {
    const { size, mtime, ino } = await Deno.stat(path);
    return { text: `${ino} ${size} ${mtime?.getTime()}`, size };
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return null;
    throw error;
  }
}
