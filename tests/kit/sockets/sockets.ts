import { join } from "node:path";

/** Paths of the unix sockets in a folder and below. */
export async function socketFiles(folder: string): Promise<string[]> {
  const found: string[] = [];
  for await (const entry of Deno.readDir(folder)) {
    const path = join(folder, entry.name);
    if (entry.isDirectory) found.push(...await socketFiles(path));
    else if (!entry.isFile && !entry.isSymlink) found.push(path);
  }
  return found;
}
