import { join } from "node:path";
import { type Accounts, type Ids, idsOf } from "./accounts.ts";
import type { ProcessDescriptor } from "./descriptor.ts";
import { TOOL_FOLDERS } from "./machine_paths.ts";

/** How a launcher that was started as root takes rights away from its children. */
export interface Restriction {
  /** Path of util-linux' `setpriv`. */
  readonly setpriv: string;
  /** The files belong to another user, so that root gets at them only by overriding their modes. */
  readonly overridesModes: boolean;
  /** Users of their own; null: all are root. */
  readonly accounts: Accounts | null;
  /** What the launcher can hand on at all; default everything. */
  readonly holds?: (capability: string) => boolean;
}

/** The command before a process of root: it keeps the capabilities of its descriptor, and gains none. */
export function restricted(
  { setpriv, overridesModes, accounts, holds = () => true }: Restriction,
  { unit, capabilities = [] }: Pick<ProcessDescriptor, "unit" | "capabilities">,
): readonly string[] {
  const ids = accounts === null || unit === null ? null : idsOf(unit.account, accounts);
  const kept = [
    ...unit?.capabilities ?? [],
    // Without what a container withholds the process starts all the same.
    ...capabilities.filter(holds),
    ...(overridesModes ? ["CAP_DAC_OVERRIDE", "CAP_FOWNER"] : []),
  ];
  const names = [
    "-all",
    ...new Set(kept.map((name) => `+${name.slice("CAP_".length).toLowerCase()}`)),
  ]
    .join(",");
  // What is not root keeps capabilities only by handing them on.
  const isOther = ids !== null && ids.uid !== 0;
  return [
    setpriv,
    "--no-new-privs",
    ...(ids === null ? [] : identity(ids)),
    `--inh-caps=${isOther ? names : "-all"}`,
    ...(isOther ? [`--ambient-caps=${names}`] : []),
    `--bounding-set=${names}`,
  ];
}

function identity({ uid, gid, groups }: Ids): readonly string[] {
  return [
    `--regid=${gid}`,
    groups.length > 0 ? `--groups=${groups.join(",")}` : "--clear-groups",
    ...(uid === 0 ? [] : [`--reuid=${uid}`]),
  ];
}

/** Runs a command and says whether it succeeded. */
export type Succeeds = (command: readonly string[]) => Promise<boolean>;

/** Path of a `setpriv` that can take capabilities away; null where there is none. */
export async function findSetpriv(succeeds: Succeeds): Promise<string | null> {
  for (const folder of TOOL_FOLDERS) {
    const setpriv = join(folder, "setpriv");
    const restriction = { setpriv, overridesModes: false, accounts: null };
    // Tried, since other programs of this name know less, and a container may refuse it.
    if (await succeeds([...restricted(restriction, { unit: null }), "true"])) return setpriv;
  }
  return null;
}
