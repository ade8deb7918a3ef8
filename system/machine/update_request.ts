import type { Config } from "../config.ts";
import type { ChangeEngine } from "../core/engine/change.ts";
import type { Notices } from "../notices/board.ts";
import type { Releases } from "./releases.ts";
import { wantedRelease } from "./wanted_release.ts";

/** Dependencies of {@link requestUpdate}. */
export interface UpdateRequestDeps {
  readonly engine: Pick<ChangeEngine<Config>, "config">;
  readonly releases: Releases;
  readonly notices: Pick<Notices, "open" | "settle">;
}

const KIND = "update-requested";

/**
 * Opens a notice that says how to install the wanted release, and returns the same words; null where
 * that release runs already.
 */
export async function requestUpdate(deps: UpdateRequestDeps): Promise<string | null> {
  const version = await wanted(deps);
  if (version === null) {
    await deps.notices.settle(KIND);
    return null;
  }
  const text = howTo(version);
  await deps.notices.open(KIND, text, { version });
  return text;
}

/** Settles the notice once the wanted release runs, as after its installation. */
export async function settleUpdate(deps: UpdateRequestDeps): Promise<void> {
  if (await wanted(deps) === null) await deps.notices.settle(KIND);
}

async function wanted({ engine, releases }: UpdateRequestDeps): Promise<string | null> {
  const { current } = releases;
  return wantedRelease({ current, tags: await releases.tags(), selected: engine.config.updates });
}

function howTo(version: string): string {
  return `${version} has to be installed by hand: no process of this router may write its own ` +
    `program. In the program's folder run git fetch --tags, git checkout ${version} and deno ci, ` +
    "and restart; rules, addresses and radios stay as they are meanwhile";
}
