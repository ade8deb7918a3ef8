import { join } from "node:path";
import { Refusal } from "../errors/refusal.ts";
import { type Accounts, idsOf } from "./accounts.ts";
import type { ProcessDescriptor } from "./descriptor.ts";

/** Who a file or folder belongs to. */
interface Owner {
  readonly uid: number;
  readonly gid: number;
}

const ROOT: Owner = { uid: 0, gid: 0 };

/** Folders of the launcher below `state/`, which the api reads or connects in. */
const LAUNCHER_FOLDERS: ReadonlySet<string> = new Set(["launcher", "logs"]);
const LAUNCHER_LOCK = "launcher.lock";

/** Only its owner may put another file in the place of one. */
const STICKY = 0o1000;
const SHARED = 0o2770;

/** The folder of files that only this process, and root, may touch. */
export function privateFolder(home: string, { name }: Pick<ProcessDescriptor, "name">): string {
  return join(home, "private", name);
}

/** The folder where Deno keeps what it compiled of this process. */
export function cacheFolder(home: string, { name }: Pick<ProcessDescriptor, "name">): string {
  return join(home, "cache", name);
}

/**
 * Gives each part of a home to the user of its process: `configs/` to the api, each folder of `state/`
 * to those who share it, and the home itself to root, so that nobody puts another folder in the place
 * of one. A home in which everything was root's is converted. Throws {@link Refusal} where a link lies
 * in the place of a folder. No process but the launcher may run.
 */
export async function shareHome(
  home: string,
  processes: readonly ProcessDescriptor[],
  accounts: Accounts,
): Promise<void> {
  const withUnit = processes.flatMap(({ name, unit }) => unit === null ? [] : [{ name, unit }]);
  const api = withUnit.find(({ name }) => name === "api")!;
  const admin: Owner = idsOf(api.unit.account, accounts);
  const readers: Owner = { uid: 0, gid: admin.gid };
  const configs = join(home, "configs"), state = join(home, "state");
  await give(home, ROOT, 0o751);
  const isConverted = await has(configs, admin) && await has(state, readers);
  await give(configs, admin, 0o750);
  await give(state, readers, STICKY | 0o771);

  const folders = processes.flatMap(({ folders }) => folders).map(
    ({ path, owner, sticky = false }) => {
      const target = join(state, path);
      if (LAUNCHER_FOLDERS.has(path)) {
        return { path, target, owner: readers, files: readers, mode: 0o2750 };
      }
      if (owner === undefined) return { path, target, owner: admin, files: admin, mode: SHARED };
      const gid = accounts.groups.get(owner.group)!;
      // Files are those of the service, which writes into a folder that the api has.
      const service = withUnit.find(({ unit }) => unit.account.group === owner.group);
      const uid = accounts.users.get(service?.unit.account.user ?? owner.user)!;
      const its: Owner = { uid: accounts.users.get(owner.user)!, gid };
      return {
        path,
        target,
        owner: its,
        files: { uid, gid },
        mode: sticky ? STICKY | SHARED : SHARED,
      };
    },
  );
  if (!isConverted) {
    await giveTree(configs, { folder: admin, file: admin });
    for (const { name } of await entriesOf(state)) {
      const folder = folders.find(({ path }) => path.split("/")[0] === name);
      const { owner, files } = folder ?? { owner: admin, files: admin };
      const target = join(state, name);
      await giveTree(
        target,
        name === LAUNCHER_LOCK ? { folder: ROOT, file: ROOT } : { folder: owner, file: files },
      );
    }
  }
  for (const { path, target, owner, mode } of folders) {
    // What is above it, such as `plugins`.
    const above = path.split("/").slice(0, -1);
    for (const at of above.keys()) {
      const parent = above.slice(0, at + 1).join("/");
      if (folders.some((one) => one.path === parent)) continue;
      await give(join(state, parent), admin, SHARED);
    }
    await give(target, owner, mode);
  }
  for (const top of ["private", "cache"]) await give(join(home, top), ROOT, 0o711);
  for (const { name, unit } of withUnit) {
    const { uid, gid } = idsOf(unit.account, accounts);
    if (unit.privateState === true) await give(privateFolder(home, { name }), { uid, gid }, 0o700);
    if (uid !== 0) await give(cacheFolder(home, { name }), { uid, gid }, 0o700);
  }
}

/** Makes a folder, or gives the one that is there, to its owner. */
async function give(path: string, owner: Owner, mode: number): Promise<void> {
  try {
    await Deno.mkdir(path, { mode: 0o700 });
  } catch (error) {
    if (!(error instanceof Deno.errors.AlreadyExists)) throw error;
  }
  const found = await Deno.lstat(path);
  if (!found.isDirectory) {
    throw new Refusal(
      `${path} is a link or a file. Move it away: root writes only into folders there`,
    );
  }
  if (found.uid !== owner.uid || found.gid !== owner.gid) {
    await Deno.chown(path, owner.uid, owner.gid);
  }
  // A new owner takes the bits away that are more than permissions.
  if (((await Deno.lstat(path)).mode ?? 0) % 0o10000 !== mode) await Deno.chmod(path, mode);
}

async function has(path: string, { uid, gid }: Owner): Promise<boolean> {
  try {
    const found = await Deno.lstat(path);
    return found.uid === uid && found.gid === gid;
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return false;
    throw error;
  }
}

/**
 * Gives what is in a folder to its owners. Links are left as they are, and so is a file with a second
 * name, which may lie elsewhere.
 */
async function giveTree(
  path: string,
  owners: { readonly folder: Owner; readonly file: Owner },
): Promise<void> {
  const found = await Deno.lstat(path);
  if (found.isSymlink || (!found.isDirectory && (found.nlink ?? 1) > 1)) return;
  const owner = found.isDirectory ? owners.folder : owners.file;
  await Deno.chown(path, owner.uid, owner.gid);
  if (!found.isDirectory) return;
  for (const { name } of await entriesOf(path)) await giveTree(join(path, name), owners);
}

async function entriesOf(path: string): Promise<readonly Deno.DirEntry[]> {
  return await Array.fromAsync(Deno.readDir(path));
}
