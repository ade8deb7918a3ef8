import { dirname, join } from "node:path";
import { type Accounts, findAccounts, FIRST_ID } from "./accounts.ts";
import type { ProcessDescriptor } from "./descriptor.ts";
import { findSetpriv, restricted, type Restriction, type Succeeds } from "./privileges.ts";
import { heldCapabilities } from "./held_capabilities.ts";
import type { Settings } from "./settings.ts";
import type { Log } from "../log/log.ts";
import { isFileError } from "../errors/disk_error.ts";

/** What the restriction of this launcher's children is found by. */
export interface SeparationOptions {
  readonly processes: readonly ProcessDescriptor[];
  readonly settings: Pick<Settings, "root" | "home">;
  readonly log: Log;
  readonly succeeds: Succeeds;
}

/**
 * The restriction of this launcher's children; null where they have no rights of root, or it cannot
 * be. Each has a user of its own where the home is root's, and where the program, Deno and the home
 * can be reached by others than root.
 */
export async function findRestriction(options: SeparationOptions): Promise<Restriction | null> {
  const { settings, log, succeeds } = options;
  if (Deno.uid() !== 0) return null;
  const setpriv = await findSetpriv(succeeds);
  if (setpriv === null) {
    log.warn(
      "launcher.not_restricted",
      "Every process keeps all rights of root: install util-linux, whose setpriv takes them away",
    );
    return null;
  }
  const found = await findOwnUsers(options, setpriv);
  const holds = heldCapabilities(await textOf("/proc/self/status"));
  if (typeof found !== "string") return { setpriv, overridesModes: false, accounts: found, holds };
  log.warn(
    "launcher.users_shared",
    "Every process runs as root with few of its rights, instead of as a user of its own",
    { reason: found },
  );
  const { root, home } = settings;
  const owners = await Promise.all(
    [root, home, join(home, "configs")].map(ownerOf),
  );
  const overridesModes = owners.some((uid) => uid !== null && uid !== 0);
  return { setpriv, overridesModes, accounts: null, holds };
}

/** The accounts of the processes, or why they have none. */
async function findOwnUsers(
  { processes, settings: { root, home }, succeeds }: SeparationOptions,
  setpriv: string,
): Promise<Accounts | string> {
  const accounts = findAccounts(processes, {
    passwd: await textOf("/etc/passwd"),
    group: await textOf("/etc/group"),
  });
  if (typeof accounts === "string") return accounts;
  // A home that was the launcher's before the users had names.
  const numbered = processes.flatMap(({ unit }) => unit === null ? [] : [unit.account.number]);
  const ours = new Set([
    ...accounts.users.values(),
    ...numbered.map((number) => FIRST_ID + number),
  ]);
  for (const path of [home, join(home, "configs"), join(home, "state")]) {
    const owner = await ownerOf(path);
    if (owner !== null && !ours.has(owner)) return `${path} belongs to another user`;
  }
  const api = processes.find(({ unit }) => unit !== null && unit.account.user !== "root");
  if (api === undefined) return "no process has a user";
  const as = restricted({ setpriv, overridesModes: false, accounts }, api);
  const may = (...command: readonly string[]): Promise<boolean> => succeeds([...as, ...command]);
  if (!await may("true")) return "this machine does not let users be changed";
  // The home itself is opened by the launcher.
  if (!await may("test", "-x", dirname(home))) return `only root can reach ${home}`;
  if (!await may("test", "-r", join(root, "program.ts"))) return `only root can read ${root}`;
  if (!await may("test", "-r", join(root, "node_modules"))) return `only root can read ${root}`;
  if (!await may(Deno.execPath(), "--version")) return `only root can run ${Deno.execPath()}`;
  return accounts;
}

/** The uid of a path itself; null where there is nothing. */
async function ownerOf(path: string): Promise<number | null> {
  try {
    return (await Deno.lstat(path)).uid;
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return null;
    throw error;
  }
}

async function textOf(path: string): Promise<string> {
  try {
    return await Deno.readTextFile(path);
  } catch (error) {
    if (error instanceof Deno.errors.NotFound || isFileError(error)) return "";
    throw error;
  }
}
