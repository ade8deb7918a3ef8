import { join } from "node:path";
import { Problem } from "../../core/errors/problem.ts";
import { CODE_LIMITS, type CodeFile } from "./code.ts";

/**
 * The files below a folder, without those of git. Throws Problem 400 for a link, a special file, and
 * for more than a plugin may bring; 404 where there is no such folder.
 */
export async function readFolder(folder: string): Promise<readonly CodeFile[]> {
  const files: CodeFile[] = [];
  const total = { bytes: 0 };
  try {
    await walk(folder, "", 0, files, total);
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) throw new Problem(404, "There is no such folder");
    throw error;
  }
  return files;
}

async function walk(
  folder: string,
  below: string,
  depth: number,
  files: CodeFile[],
  total: { bytes: number },
): Promise<void> {
  if (depth > CODE_LIMITS.depth) throw new Problem(400, "The folders of the plugin lie too deep");
  for await (const { name, isFile, isDirectory } of Deno.readDir(join(folder, below))) {
    if (below === "" && name === ".git") continue;
    const path = `${below}${name}`;
    if (isDirectory) await walk(folder, `${path}/`, depth + 1, files, total);
    else if (!isFile) {
      throw new Problem(400, `${path} is a link or a special file, which is refused`);
    } else {
      const { size } = await Deno.lstat(join(folder, path));
      total.bytes += size;
      if (files.length >= CODE_LIMITS.files || total.bytes > CODE_LIMITS.bytes) {
        throw new Problem(400, "The plugin has more or larger files than a plugin may");
      }
      files.push({ path, bytes: await Deno.readFile(join(folder, path)) });
    }
  }
}
