import { createAnew } from "../core/config/files.ts";

/** Ends the name of a file until it is whole. */
export const UNFINISHED = ".new";

/** The text of a file; null where there is none. */
export async function readPrivate(path: string): Promise<string | null> {
  try {
    return await Deno.readTextFile(path);
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return null;
    throw error;
  }
}

/** Writes a file for its owner alone, whole or not at all. */
export async function writePrivate(path: string, text: string): Promise<void> {
  const temporary = `${path}${UNFINISHED}`;
  {
    using file = await createAnew(temporary);
    const bytes = new TextEncoder().encode(text);
    for (let done = 0; done < bytes.length;) done += await file.write(bytes.subarray(done));
    await file.sync();
  }
  await Deno.rename(temporary, path);
}

/** Names of what is in a folder. */
export async function fileNames(folder: string): Promise<readonly string[]> {
  return (await Array.fromAsync(Deno.readDir(folder))).map(({ name }) => name);
}
