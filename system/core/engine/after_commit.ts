import { announce } from "./announce.ts";
import type { Decided } from "./change_job.ts";
import type { StagedDocument } from "./files/config_files.ts";
import type { ChangeRow } from "./journal/journal.ts";
import type { KernelPlan } from "../kernel/host.ts";
import { movedLink } from "./files/observations.ts";
import type { Observed } from "./change.ts";
import type { Parts } from "./parts.ts";
import { cutRefused } from "./kernel/running_flows.ts";
import { words } from "./words.ts";

/*
 * What follows a commit. The change is in force and durable, so that none of it may throw: what
 * fails is told to people and made up for later.
 */

/** Renames staged files into place. Answers the documents for which that failed. */
export async function placeAll<C>(
  staged: readonly StagedDocument[],
  parts: Parts<C>,
): Promise<readonly (keyof C & string)[]> {
  try {
    await parts.files.place(staged);
    parts.step("files:placed");
    return [];
  } catch (error) {
    // It is in force and in the journal: the files follow as soon as they can.
    const names = staged.map(({ name }) => name as keyof C & string);
    await tell(
      parts,
      "files-not-written",
      `A change is in force, but its file could not be put in place: ${words(error)}`,
    );
    return names;
  }
}

/** Writes what was seen when it moved a device, so that a restart finds it there. */
export async function noteSeen<C>(
  before: Observed,
  after: Observed,
  parts: Parts<C>,
): Promise<void> {
  if (!movedLink(before, after)) return;
  try {
    await parts.observations.write(after);
  } catch (error) {
    parts.log.error("engine.observations_not_written", "Could not write observations", { error });
  }
}

/** Ends the running connections that a plan no longer allows. */
export async function cut<C>(plan: KernelPlan, parts: Parts<C>): Promise<void> {
  const { host, desired } = parts.enforcement;
  try {
    await cutRefused(plan.recheck, { host, planner: parts.planner, desired });
  } catch (error) {
    await tell(
      parts,
      "flows-not-cut",
      `Connections that are no longer allowed could not be ended: ${words(error)}`,
    );
  }
}

/** A listener that fails must not make a committed change look refused. */
export function tellOthers<C>(change: Decided<C>, row: ChangeRow, parts: Parts<C>): void {
  try {
    announce(change, row, parts);
  } catch (error) {
    parts.log.error("engine.announcement_failed", "Could not announce a committed change", {
      change: row.id,
      error,
    });
  }
}

/** Writes to the log and opens a notice; never throws. */
export async function tell<C>(parts: Parts<C>, kind: string, detail: string): Promise<void> {
  parts.log.error("engine.file_not_placed", detail);
  await parts.notices.open(kind, detail).catch((error) => {
    parts.log.error("notices.write_failed", "Could not save a notice", { error });
  });
}
