import { dirname, join } from "node:path";
import { diskTrouble } from "./disk_trouble.ts";
import { Refusal } from "./refusal.ts";
import { STATE_FOLDERS } from "./processes.ts";

/** Shared by a pair of processes and closed to everyone else. */
const SHARED = 0o770;
const PRIVATE = 0o700;

/** Folders of the shipped `configs/` that are no part of a live tree. */
const NOT_LIVE = new Set(["systemd"]);
const NOT_COPIED = new Set(["README.md", ".gitkeep"]);

/**
 * Makes the live tree, or what is missing of it: the folders of `configs/` and `state/`, and every
 * default file that is not there yet. Files that exist are never touched. Answers the files made.
 * Defaults for which the disk has no room are left out: a router starts on a full disk as well, and
 * goes without them.
 */
export async function prepareHome(root: string, home: string): Promise<readonly string[]> {
  return await writable(home, async () => {
    await folder(home, 0o750);
    await folder(join(home, "state"), 0o750);
    for (const name of STATE_FOLDERS) await folder(join(home, "state", name), SHARED);
    return await copyMissing(join(root, "configs"), join(home, "configs"), 0o750);
  });
}

/** A kernel lock on a file; held until disposed or until the process ends, however it ends. */
export interface Lock extends Disposable {
  readonly path: string;
}

/** How long to go on trying for a lock, and how waiting is done. */
export interface LockOptions {
  /** Milliseconds that a predecessor is given to end. */
  readonly patience: number;
  readonly wait: (milliseconds: number) => Promise<void>;
}

const LOCK_STEP_MS = 100;

/**
 * Takes the lock `state/<name>.lock` of a home. It is a lock of the kernel, so that one left behind
 * by a crash holds nobody up. Throws {@link Refusal} when another process keeps it.
 */
export async function lockHome(home: string, name: string, options: LockOptions): Promise<Lock> {
  const path = join(home, "state", `${name}.lock`);
  const file = await writable(home, async () => {
    await folder(dirname(path), 0o750);
    return await Deno.open(path, { read: true, write: true, create: true, mode: 0o600 });
  });
  for (let waited = 0;; waited += LOCK_STEP_MS) {
    if (await file.tryLock(true)) return { path, [Symbol.dispose]: () => file.close() };
    if (waited >= options.patience) break;
    await options.wait(LOCK_STEP_MS);
  }
  file.close();
  throw new Refusal(
    `Another Sluice is running on ${home}. Stop it, or set SLUICE_HOME to another folder`,
  );
}

/** Turns "permission denied" and a disk that takes nothing into a sentence that says what to do. */
async function writable<T>(home: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    const trouble = diskTrouble(error);
    if (trouble !== null) {
      throw new Refusal(`Sluice cannot write to its home ${home}. ${trouble}`, { cause: error });
    }
    if (
      !(error instanceof Deno.errors.PermissionDenied ||
        error instanceof Deno.errors.NotADirectory || error instanceof Deno.errors.FilesystemLoop)
    ) throw error;
    throw new Refusal(
      `Sluice cannot write to its home ${home}. Set SLUICE_HOME to a folder of yours (${error.message})`,
      { cause: error },
    );
  }
}

/** Makes a folder with exactly this mode; one that exists keeps the mode that someone gave it. */
async function folder(path: string, mode: number): Promise<void> {
  // Only what is missing is looked at further up: a process may not see what lies above its home.
  if (await exists(path)) return;
  const parent = dirname(path);
  if (parent !== path) await folder(parent, mode);
  try {
    await Deno.mkdir(path);
  } catch (error) {
    if (error instanceof Deno.errors.AlreadyExists) return;
    throw error;
  }
  // The mode of mkdir is narrowed by the umask of whoever started us.
  await Deno.chmod(path, mode);
}

async function exists(path: string): Promise<boolean> {
  try {
    await Deno.lstat(path);
    return true;
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return false;
    throw error;
  }
}

async function copyMissing(from: string, to: string, mode: number): Promise<string[]> {
  await folder(to, mode);
  const made: string[] = [];
  for await (const entry of Deno.readDir(from)) {
    const target = join(to, entry.name);
    if (entry.isDirectory) {
      if (NOT_LIVE.has(entry.name)) continue;
      const inside = entry.name === "auth" ? PRIVATE : mode;
      made.push(...await copyMissing(join(from, entry.name), target, inside));
    } else if (entry.isFile && !NOT_COPIED.has(entry.name)) {
      const bytes = await Deno.readFile(join(from, entry.name));
      if (await writeNew(target, bytes)) made.push(target);
    }
  }
  return made;
}

/** Writes a file that is not there yet, whole or not at all. Answers whether it was missing. */
async function writeNew(path: string, bytes: Uint8Array<ArrayBuffer>): Promise<boolean> {
  // A disk that is full takes no file, but none is needed where it lies already.
  if (await exists(path)) return false;
  const temporary = `${path}.new`;
  try {
    await Deno.writeFile(temporary, bytes, { mode: 0o640 });
    await Deno.link(temporary, path);
    return true;
  } catch (error) {
    if (error instanceof Deno.errors.AlreadyExists || isFull(error)) return false;
    throw error;
  } finally {
    await Deno.remove(temporary).catch((error) => {
      if (!(error instanceof Deno.errors.NotFound)) throw error;
    });
  }
}

function isFull(error: unknown): boolean {
  const code = error instanceof Error && "code" in error ? error.code : null;
  return code === "ENOSPC" || code === "EDQUOT";
}
