import type { Ids } from "../../system/core/process/accounts.ts";
import { command } from "./lab/command.ts";

/** The command as a user and groups, without any capability; needs root. */
export function asUser({ uid, gid, groups }: Ids, words: readonly string[]): readonly string[] {
  return [
    "setpriv",
    ...[`--reuid=${uid}`, `--regid=${gid}`],
    groups.length > 0 ? `--groups=${groups.join(",")}` : "--clear-groups",
    ...["--inh-caps=-all", "--bounding-set=-all", ...words],
  ];
}

/** Files below a folder that a user may read, or write. */
export async function filesOf(
  ids: Ids,
  folder: string,
  access: "readable" | "writable",
): Promise<readonly string[]> {
  const find = ["find", folder, "-mindepth", "1", "!", "-type", "d", `-${access}`, "-print"];
  const [name, ...args] = asUser(ids, find);
  // What it may not enter is an error of find's.
  const { stdout } = await command(name!, args);
  return stdout.split("\n").filter((path) => path !== "");
}
