import { dirname, join } from "node:path";
import { Problem } from "../../core/errors/problem.ts";
import { CONTAINER_SOCKETS, type ContainerPlan } from "../../core/machine/container_plan.ts";
import { cText, openLibc } from "../sockets/libc.ts";

/** Where the folders that containers see lie on this machine. */
export interface FolderHost {
  readonly home: string;
  /** The folder that only netd may write to; default: none. */
  readonly privateState?: string | null;
}

/** Where socket folders of containers lie below the home, in a folder of netd. */
const SOCKETS = CONTAINER_SOCKETS, SOCKETS_PARENT = dirname(CONTAINER_SOCKETS);
const STICKY = 0o1000, OTHERS_WRITE = 0o022;

const SYMBOLS = {
  statx: { parameters: ["i32", "buffer", "i32", "u32", "buffer"], result: "i32" },
} as const;

/** Of fcntl.h and linux/stat.h: a path from the root, itself instead of what it links to, the usual fields. */
const AT_FDCWD = -100, AT_SYMLINK_NOFOLLOW = 0x100, STATX_BASIC_STATS = 0x7ff;
/** Size of struct statx, and where owner and mode lie in it; the same on every machine (statx(2)). */
const SIZE = 256, UID = 20, MODE = 28;
const KIND = 0o170_000, FOLDER = 0o040_000;

/** Where a folder of a plan lies on this machine: `state/plugins/<Name>/…` is in netd's own folder. */
export function folderOf(source: string, { home, privateState = null }: FolderHost): string {
  if (source.startsWith(`${SOCKETS}/`)) return join(home, source);
  if (privateState === null) throw noFolder();
  return join(privateState, "containers", source.slice("state/plugins/".length));
}

/** Throws Problem 409 where a plan has folders and this machine has no place for them. */
export function requireFolders(
  { containers }: ContainerPlan,
  { privateState = null }: FolderHost,
): void {
  if (privateState === null && containers.some(({ mounts }) => mounts.length > 0)) throw noFolder();
}

/**
 * Makes the folders of a plan. An engine follows links as root, at each start anew: so each part of
 * their paths has to be a folder that netd alone may rename. No container of the plugin may run
 * meanwhile. Throws Problem 409.
 */
export async function makeFolders({ containers }: ContainerPlan, host: FolderHost): Promise<void> {
  const { home, privateState = null } = host;
  const sources = new Set(containers.flatMap(({ mounts }) => mounts.map((one) => one.source)));
  if (sources.size === 0) return;
  if (privateState === null) throw noFolder();
  for (const source of sources) {
    const isSocket = source.startsWith(`${SOCKETS}/`);
    const base = isSocket ? join(home, SOCKETS_PARENT) : privateState;
    if (isSocket) checkAbove(base);
    await checkParent(base);
    let path = base;
    for (const part of folderOf(source, host).slice(base.length + 1).split("/")) {
      path = join(path, part);
      try {
        await Deno.mkdir(path, { mode: 0o750 });
      } catch (error) {
        if (!(error instanceof Deno.errors.AlreadyExists)) throw unusable(source, error);
      }
      const found = await looked(path, source);
      if (found.isSymlink || !found.isDirectory) {
        throw new Problem(
          409,
          `/${source} is reached by a link or is no folder; it is not mounted`,
        );
      }
      if (isSocket && (found.uid !== Deno.uid() || (found.mode ?? 0) & OTHERS_WRITE)) {
        throw new Problem(409, `/${source} was made by another program; remove it`);
      }
    }
  }
}

/**
 * What is above has to be root's, as the launcher and the units make the home and its `state`: who owns
 * a folder may put another in the place of what is in it.
 */
function checkAbove(base: string): void {
  for (let path = dirname(base);; path = dirname(path)) {
    const found = folderOwner(path);
    const isOpen = found === null || ![0, Deno.uid()].includes(found.uid) ||
      (found.mode & OTHERS_WRITE) !== 0 && (found.mode & STICKY) === 0;
    if (isOpen) {
      throw new Problem(409, `Other programs may change ${path}: no folder below it is mounted`);
    }
    if (path === "/") return;
  }
}

/**
 * Owner and permissions of a folder that this process may not list; null where there is none. Deno would
 * grant a look at it only together with everything in it. Throws Problem 503 without a C library.
 */
function folderOwner(path: string): { readonly uid: number; readonly mode: number } | null {
  const library = openLibc(SYMBOLS), found = new Uint8Array(SIZE);
  try {
    const status = library.symbols.statx(
      ...[AT_FDCWD, cText(path), AT_SYMLINK_NOFOLLOW] as const,
      ...[STATX_BASIC_STATS, found] as const,
    );
    const view = new DataView(found.buffer), mode = view.getUint16(MODE, true);
    if (status !== 0 || (mode & KIND) !== FOLDER) return null;
    return { uid: view.getUint32(UID, true), mode: mode & ~KIND };
  } finally {
    library.close();
  }
}

/** Others may not rename what lies in this folder. */
async function checkParent(path: string): Promise<void> {
  const { uid, mode, isDirectory } = await looked(path, path.slice(1));
  const isOpen = ((mode ?? 0) & OTHERS_WRITE) !== 0 && ((mode ?? 0) & STICKY) === 0;
  if (isDirectory && uid === Deno.uid() && !isOpen) return;
  throw new Problem(409, `Other programs may change ${path}: no folder in it is mounted`);
}

async function looked(path: string, source: string): Promise<Deno.FileInfo> {
  try {
    return await Deno.lstat(path);
  } catch (error) {
    throw unusable(source, error);
  }
}

function unusable(source: string, cause: unknown): Problem {
  return new Problem(409, `The folder /${source} cannot be made`, { cause });
}

function noFolder(): Problem {
  return new Problem(
    409,
    "Containers get no folders here: netd has no folder of its own. Install Sluice with its own " +
      "users, or leave volumes out",
  );
}
