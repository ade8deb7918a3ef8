import { dirname, join } from "node:path";
import { bringDefaults } from "./default_files.ts";
import { diskError } from "../errors/disk_error.ts";
import { openKept } from "./files.ts";
import { folder } from "./folders.ts";
import { Refusal } from "../errors/refusal.ts";

/** Shared by a pair of processes and closed to everyone else. */
const SHARED = 0o770;

/**
 * Makes the live tree, or what is missing of it: the folders of `configs/` and `state/`, and the
 * default files. Files that exist are never touched. Answers the files made.
 */
export async function prepareHome(
  { root, home }: { readonly root: string; readonly home: string },
  folders: readonly { readonly path: string }[],
): Promise<readonly string[]> {
  return await writable(home, async () => {
    await folder(home, 0o750);
    await folder(join(home, "state"), 0o750);
    for (const { path } of folders) await folder(join(home, "state", path), SHARED);
    return await bringDefaults(root, home);
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
 * by a crash does not block a start. Throws {@link Refusal} when another process keeps it.
 */
export async function lockHome(home: string, name: string, options: LockOptions): Promise<Lock> {
  const path = join(home, "state", `${name}.lock`);
  const file = await writable(home, async () => {
    await folder(dirname(path), 0o750);
    return openKept(path, { read: true, write: true, mode: 0o600 });
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
    const detail = diskError(error);
    if (detail !== null) {
      throw new Refusal(`Sluice cannot write to its home ${home}. ${detail}`, { cause: error });
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
