import { dirname, join } from "node:path";
import { isDiskFull, isFileError } from "../errors/disk_error.ts";
import { createAnew, removeFile, syncFolder, writeDurably } from "./files.ts";
import { exists, folder } from "./folders.ts";
import { isRecord } from "./json.ts";

const OPEN = 0o750;
const PRIVATE = 0o700;

/** Folders of the shipped `configs/` that are no part of a live tree. */
const NOT_LIVE = new Set(["systemd"]);
const NOT_COPIED = new Set(["README.md", ".gitkeep"]);

/** Which defaults a home was given, as a JSON list of their paths below `configs/`. */
const RECORD = "state/defaults.json";
const USERS = "configs/auth/auth_users.json";

/**
 * Brings every default file to a home that was never there, as the first start does with all that are
 * missing. One that is gone since is not brought again: it would pass for an edit that takes back what
 * was decided. Those for which the disk has no room come at a later start. Answers the files made.
 * `create`: opens a new file; a test lets it fail.
 */
export async function bringDefaults(
  root: string,
  home: string,
  create: typeof createAnew = createAnew,
): Promise<readonly string[]> {
  const from = join(root, "configs"), to = join(home, "configs");
  await folder(to, OPEN);
  const before = await recorded(home);
  const known = await isFirstStart(home) ? new Set<string>() : before;
  const brought = new Set(before);
  const made: string[] = [];
  let refused: { readonly error: unknown } | null = null;
  for (const path of await shipped(from, "")) {
    const target = join(to, path);
    try {
      if (path.endsWith("/")) await folder(target, path.startsWith("auth/") ? PRIVATE : OPEN);
      else if (!known.has(path)) {
        const outcome = await bring(join(from, path), target, create);
        if (outcome === "made") made.push(target);
        if (outcome !== "no room") brought.add(path);
      }
    } catch (error) {
      // One place that cannot be looked at or written keeps nobody from starting.
      if (!isFileError(error)) throw error;
      refused ??= { error };
    }
  }
  if (refused !== null && brought.size === 0) throw refused.error;
  if (brought.size > before.size) await record(home, [...brought].sort());
  return made;
}

/** Paths of the shipped files; those of folders end in a slash and come before what is in them. */
async function shipped(from: string, below: string): Promise<readonly string[]> {
  const paths: string[] = [];
  for await (const { name, isFile, isDirectory } of Deno.readDir(join(from, below))) {
    const path = `${below}${name}`;
    if (isDirectory && !NOT_LIVE.has(name)) {
      paths.push(`${path}/`, ...await shipped(from, `${path}/`));
    } else if (isFile && !NOT_COPIED.has(name)) paths.push(path);
  }
  return paths;
}

/** A home without any user has not been set up, whatever else it contains. */
async function isFirstStart(home: string): Promise<boolean> {
  try {
    const users: unknown = JSON.parse(await Deno.readTextFile(join(home, USERS)));
    return isRecord(users) && Object.keys(users).length === 0;
  } catch (error) {
    return error instanceof Deno.errors.NotFound;
  }
}

async function recorded(home: string): Promise<ReadonlySet<string>> {
  try {
    const list: unknown = JSON.parse(await Deno.readTextFile(join(home, RECORD)));
    return new Set(Array.isArray(list) ? list.filter((path) => typeof path === "string") : []);
  } catch (error) {
    // Without it, as in homes of earlier versions, what is missing is brought once more.
    if (isFileError(error) || error instanceof SyntaxError) return new Set();
    throw error;
  }
}

async function record(home: string, paths: readonly string[]): Promise<void> {
  const path = join(home, RECORD);
  try {
    await writeDurably(path, `${JSON.stringify(paths)}\n`, "new");
  } catch (error) {
    if (!isFileError(error)) throw error;
  }
}

/** A file that a power cut leaves empty would pass for one that somebody emptied. */
async function writeSynced(file: Deno.FsFile, bytes: Uint8Array): Promise<void> {
  for (let done = 0; done < bytes.length;) done += await file.write(bytes.subarray(done));
  await file.sync();
}

/** Writes a file that is not there yet, whole or not at all. */
async function bring(
  from: string,
  to: string,
  create: typeof createAnew,
): Promise<"made" | "there" | "no room"> {
  // A disk that is full takes no file, but none is needed where it lies already.
  if (await exists(to)) return "there";
  const temporary = `${to}.new`;
  try {
    await folder(dirname(to), OPEN);
    {
      using file = await create(temporary, 0o640);
      await writeSynced(file, await Deno.readFile(from));
    }
    await Deno.link(temporary, to);
    await syncFolder(dirname(to));
    return "made";
  } catch (error) {
    if (error instanceof Deno.errors.AlreadyExists) return "there";
    if (isDiskFull(error)) return "no room";
    throw error;
  } finally {
    await removeFile(temporary);
  }
}
