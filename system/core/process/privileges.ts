import { join } from "node:path";
import type { Log } from "../log/log.ts";
import type { UnitDescriptor } from "./descriptor.ts";
import { TOOL_FOLDERS } from "./machine_paths.ts";
import type { Settings } from "./settings.ts";

/** How a launcher that was started as root takes rights away from its children. */
export interface Restriction {
  /** Path of util-linux' `setpriv`. */
  readonly setpriv: string;
  /** The files belong to another user, so that root gets at them only by overriding their modes. */
  readonly overridesModes: boolean;
}

/** The command before a process of root: it keeps the capabilities of its unit, and gains none. */
export function restricted(
  { setpriv, overridesModes }: Restriction,
  { capabilities }: Pick<UnitDescriptor, "capabilities">,
): readonly string[] {
  const kept = [...capabilities, ...(overridesModes ? ["CAP_DAC_OVERRIDE", "CAP_FOWNER"] : [])];
  const names = kept.map((name) => `+${name.slice("CAP_".length).toLowerCase()}`);
  return [
    setpriv,
    "--no-new-privs",
    "--inh-caps=-all",
    `--bounding-set=${["-all", ...names].join(",")}`,
  ];
}

/** The restriction of this launcher's children; null where they have no rights of root, or it cannot be. */
export async function findRestriction(
  settings: Pick<Settings, "root" | "home">,
  { log, succeeds }: {
    readonly log: Log;
    /** Runs a command and says whether it succeeded. */
    readonly succeeds: (command: readonly string[]) => Promise<boolean>;
  },
): Promise<Restriction | null> {
  if (Deno.uid() !== 0) return null;
  const owners = await Promise.all(
    [settings.root, settings.home].map(async (path) => (await Deno.stat(path)).uid),
  );
  const overridesModes = owners.some((uid) => uid !== 0);
  for (const folder of TOOL_FOLDERS) {
    const restriction = { setpriv: join(folder, "setpriv"), overridesModes };
    // Tried, since other programs of this name know less, and a container may refuse it.
    if (await succeeds([...restricted(restriction, { capabilities: [] }), "true"])) {
      return restriction;
    }
  }
  log.warn(
    "launcher.not_restricted",
    "Every process keeps all rights of root: install util-linux, whose setpriv takes them away",
  );
  return null;
}
