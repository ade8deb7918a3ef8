import { maskSteps } from "./journal/secrets.ts";
import type { DecidedChange } from "./decide.ts";
import type { StagedDocument } from "./files/config_files.ts";
import type { ChangeRow } from "./journal/journal.ts";
import type { KernelPlan } from "../kernel/plan.ts";
import { movesAnything } from "./files/observations.ts";
import type { Observations, PatchEntry } from "./change.ts";
import type { Parts } from "./parts.ts";
import { mayBegin } from "./kernel/running_flows.ts";
import { errorText } from "../errors/error_text.ts";
import type { Turns } from "../time/slices.ts";

/** Names of changed entries that an event carries at most. */
const MAX_KEYS = 100;

/*
 * What follows a commit. The change is active and durable, so that none of it may throw: what
 * fails becomes a notice and is retried later.
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
    // It is active and in the journal: the files follow as soon as they can.
    const names = staged.map(({ name }) => name as keyof C & string);
    const detail = `A change is active, but its file could not be put in place: ${
      errorText(error)
    }`;
    parts.log.error("engine.file_not_placed", detail);
    await openNotice(parts, "files-not-written", detail);
    return names;
  }
}

/** Writes what was seen when it moved a device, so that a restart finds it there. */
export async function writeObservations<C>(
  before: Observations,
  after: Observations,
  parts: Parts<C>,
): Promise<void> {
  if (!movesAnything(before, after)) return;
  try {
    await parts.observations.write(after);
  } catch (error) {
    parts.log.error("engine.observations_not_written", "Could not write observations", { error });
  }
}

/** Ends the running connections that a plan no longer allows, by the state that stands at each try. */
export async function flushFlows<C>(plan: KernelPlan, parts: Parts<C>): Promise<void> {
  const { enforcement, planner, flows } = parts;
  await flows.end({
    reason: "not allowed",
    addresses: plan.recheck,
    select: (running) => {
      const { desired } = enforcement;
      return running.filter((flow) => !mayBegin(flow, { planner, desired }));
    },
  });
}

/** A listener that fails must not make a committed change look refused. */
export async function announce<C>(
  change: DecidedChange<C>,
  row: ChangeRow,
  { turns, parts }: { readonly turns: Turns; readonly parts: Parts<C> },
): Promise<void> {
  try {
    const masked = await turns.run(
      maskSteps(change.patch, (name) => parts.documents[name as keyof C]),
    );
    publishChange(masked, row, parts);
    await turns.pause();
  } catch (error) {
    parts.log.error("engine.announcement_failed", "Could not announce a committed change", {
      change: row.id,
      error,
    });
  }
}

/** Opens a notice; never throws. */
export async function openNotice<C>(
  parts: Parts<C>,
  kind: string,
  detail: string,
): Promise<void> {
  await parts.notices.open(kind, detail).catch((error) => {
    parts.log.error("notices.write_failed", "Could not save a notice", { error });
  });
}

/**
 * Publishes a committed change: on `changes`, and on the topic of each document that it touched with
 * the names of the entries that changed (null: too many, read it anew).
 */
function publishChange<C>(
  masked: readonly PatchEntry[],
  row: ChangeRow,
  parts: Parts<C>,
): void {
  const byDocument = Map.groupBy(masked, (entry) => entry.document);
  for (const [name, entries] of byDocument) {
    parts.bus.publish(parts.documents[name as keyof C].topic, {
      change: row.id,
      document: name,
      keys: changedKeys(entries),
    });
  }
  const { id, at, by, kind, summary } = row;
  parts.bus.publish("audit", auditEntry(row, masked), { kept: false });
  parts.bus.publish("changes", { id, at, by, kind, summary, documents: [...byDocument.keys()] });
}

/** Values of one entry of an audit event, as JSON, at most; and entries. */
const MAX_VALUE = 4096, MAX_ENTRIES = 200;

/** Who changed what, with the values before and after; `patch` is masked. */
function auditEntry(row: ChangeRow, patch: readonly PatchEntry[]) {
  const { id, at, by, source, kind, summary } = row;
  const short = (value: unknown) =>
    (JSON.stringify(value) ?? "").length > MAX_VALUE ? "(too long, see the change)" : value;
  return {
    ...{ id, at, by, from: source, kind, summary },
    patch: patch.slice(0, MAX_ENTRIES).map(({ document, path, ...entry }) => ({
      document,
      path,
      ...("before" in entry ? { before: short(entry.before) } : {}),
      ...("after" in entry ? { after: short(entry.after) } : {}),
    })),
    more: Math.max(0, patch.length - MAX_ENTRIES),
  };
}

function changedKeys(entries: readonly PatchEntry[]): readonly string[] | null {
  if (entries.some((entry) => entry.path.length === 0)) return null;
  const keys = new Set(entries.map((entry) => entry.path[0]!));
  return keys.size > MAX_KEYS ? null : [...keys];
}
