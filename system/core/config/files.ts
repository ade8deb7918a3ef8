import { basename, dirname, join } from "node:path";

/** A file written beside its target, waiting to take the target's place. */
export interface Staged {
  readonly path: string;
  readonly temporary: string;
}

/** Tells two states of a file apart without reading it; null: no file. */
export type Stamp = string | null;

/** The effects on configuration files, so that a test can make each of them fail. */
export interface Files {
  /** Writes a file beside its target; {@link syncFiles} makes it durable. Leaves nothing behind when it throws. */
  stage(path: string, content: string | Uint8Array, id: string): Promise<Staged>;
  /** Renames staged files into place. Durable once their folders are synced. */
  place(staged: readonly Staged[]): Promise<void>;
  /** Syncs what these files say, as far as they are there and can be read. */
  syncFiles(paths: readonly string[]): Promise<void>;
  /** Syncs folders, so that what was renamed in them survives a power cut. */
  syncFolders(paths: readonly string[]): Promise<void>;
  /** Removes staged files. */
  discard(staged: readonly Staged[]): Promise<void>;
  /** The text of a file, or null when there is none. */
  read(path: string): Promise<string | null>;
  /** The bytes of a file, or null when there is none. */
  readBytes(path: string): Promise<Uint8Array | null>;
  stamp(path: string): Promise<Stamp>;
  /** Moves a file, replacing what is there. */
  move(from: string, to: string): Promise<void>;
  /** Removes what a crash left of staged files for this target. */
  sweep(path: string): Promise<void>;
}

/** The files of this machine. New files have mode 0600. */
export const files: Files = {
  ...{ stage, place, syncFiles, syncFolders, discard },
  ...{ read, readBytes, stamp, move, sweep },
};

/*
 * Only syncs wait for the disk. All else moves pages in memory, and takes less than to hand it to another
 * thread and back, which on a busy router waits for a core each time.
 */

async function stage(path: string, content: string | Uint8Array, id: string): Promise<Staged> {
  const staged = stagedAs(path, id);
  return await written(staged, content, () => staged);
}

function stagedAs(path: string, id: string): Staged {
  return { path, temporary: join(dirname(path), `.${basename(path)}.${id}.tmp`) };
}

/** Writes a staged file, and goes on with it open. Leaves nothing behind when it throws. */
async function written<R>(
  staged: Staged,
  content: string | Uint8Array,
  then: (file: Deno.FsFile) => R | Promise<R>,
): Promise<R> {
  try {
    using file = createInFolder(staged.temporary);
    const bytes = typeof content === "string" ? new TextEncoder().encode(content) : content;
    for (let done = 0; done < bytes.length;) done += file.writeSync(bytes.subarray(done));
    return await then(file);
  } catch (error) {
    await discard([staged]);
    throw error;
  }
}

function createInFolder(path: string): Deno.FsFile {
  const create = () => Deno.openSync(path, { write: true, createNew: true, mode: 0o600 });
  try {
    return create();
  } catch (error) {
    if (error instanceof Deno.errors.AlreadyExists) Deno.removeSync(path);
    else if (!(error instanceof Deno.errors.NotFound)) throw error;
    else Deno.mkdirSync(dirname(path), { recursive: true, mode: 0o750 });
    return create();
  }
}

/**
 * Creates a file anew for writing. One that a crash left is removed, never opened: processes write
 * into folders that other users may write to as well, who could place a link there.
 */
export async function createAnew(path: string, mode = 0o600): Promise<Deno.FsFile> {
  const options = { write: true, createNew: true, mode };
  try {
    return await Deno.open(path, options);
  } catch (error) {
    if (!(error instanceof Deno.errors.AlreadyExists)) throw error;
    await removeFile(path);
    return await Deno.open(path, options);
  }
}

/**
 * Opens a file that is kept from run to run, made when missing. Throws
 * {@link Deno.errors.FilesystemLoop} for a link in its place, which could lead into another user's files.
 */
export function openKept(
  path: string,
  options: Pick<Deno.OpenOptions, "read" | "write" | "append" | "mode">,
): Deno.FsFile {
  try {
    // Appending alone creates nothing.
    return Deno.openSync(path, { ...options, write: true, createNew: true });
  } catch (error) {
    if (!(error instanceof Deno.errors.AlreadyExists)) throw error;
  }
  if (Deno.lstatSync(path).isSymlink) {
    throw new Deno.errors.FilesystemLoop(`${path} is a symbolic link`);
  }
  return Deno.openSync(path, options);
}

// deno-lint-ignore require-await -- what it throws rejects, as with every other effect
async function place(staged: readonly Staged[]): Promise<void> {
  for (const { temporary, path } of staged) Deno.renameSync(temporary, path);
}

async function syncFiles(paths: readonly string[]): Promise<void> {
  await Promise.all(paths.map(async (path) => {
    try {
      await syncFile(path);
    } catch (error) {
      // What somebody else laid in its place is not ours to sync.
      const isOthers = error instanceof Deno.errors.PermissionDenied ||
        error instanceof Deno.errors.FilesystemLoop;
      if (!isOthers && !isAbsent(error)) throw error;
    }
  }));
}

async function syncFile(path: string): Promise<void> {
  using file = await Deno.open(path);
  await file.sync();
}

async function syncFolders(paths: readonly string[]): Promise<void> {
  await Promise.all(paths.map(syncFolder));
}

/** Syncs a folder, so that what was renamed in it survives a power cut. */
export async function syncFolder(path: string): Promise<void> {
  using folder = Deno.openSync(path);
  await folder.sync();
}

async function discard(staged: readonly Staged[]): Promise<void> {
  for (const { temporary } of staged) {
    await Deno.remove(temporary).catch(() => {
      // It was not made, or is gone; the next start sweeps what remains.
    });
  }
}

function read(path: string): Promise<string | null> {
  return ifThere(Deno.readTextFile(path));
}

function readBytes(path: string): Promise<Uint8Array | null> {
  return ifThere(Deno.readFile(path));
}

async function ifThere<T>(reading: Promise<T>): Promise<T | null> {
  try {
    return await reading;
  } catch (error) {
    if (isAbsent(error)) return null;
    throw error;
  }
}

// deno-lint-ignore require-await -- what it throws rejects, as with every other effect
async function stamp(path: string): Promise<Stamp> {
  try {
    const { ino, size, mtime } = Deno.statSync(path);
    return `${ino} ${size} ${mtime?.getTime()}`;
  } catch (error) {
    if (isAbsent(error)) return null;
    throw error;
  }
}

/** A file is not there either where something else than a folder is on its path. */
function isAbsent(error: unknown): boolean {
  return error instanceof Deno.errors.NotFound || error instanceof Deno.errors.NotADirectory;
}

async function move(from: string, to: string): Promise<void> {
  await Deno.rename(from, to);
}

async function sweep(path: string): Promise<void> {
  const prefix = `.${basename(path)}.`;
  try {
    for await (const entry of Deno.readDir(dirname(path))) {
      if (!entry.name.startsWith(prefix) || !entry.name.endsWith(".tmp")) continue;
      await Deno.remove(join(dirname(path), entry.name));
    }
  } catch (error) {
    if (!isAbsent(error)) throw error;
  }
}

/** Removes a file; one that is not there is gone already. */
export async function removeFile(path: string): Promise<void> {
  try {
    await Deno.remove(path);
  } catch (error) {
    if (!(error instanceof Deno.errors.NotFound)) throw error;
  }
}

/** Writes a whole file durably: beside its target, synced, renamed, folder synced. */
export async function writeDurably(
  path: string,
  content: string | Uint8Array,
  id: string,
): Promise<void> {
  const staged = stagedAs(path, id);
  await written(staged, content, (file) => file.sync());
  await place([staged]);
  await syncFolder(dirname(path));
}
