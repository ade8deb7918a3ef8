import type { DecidedChange } from "../decide.ts";
import { jsonSteps, prepareDigest } from "../../config/json.ts";
import { type Image, imageDigest } from "../files/config_files.ts";
import type { ChangeRow, DocumentRow, WindowRow } from "./journal.ts";
import type { KernelPlan } from "../../kernel/plan.ts";
import type { Parts } from "../parts.ts";

/** Kernel lines of one change that are kept. */
const MAX_SYSTEM_LINES = 200;

/** Names of the documents that changes touch. */
export function changedNames<C>(
  changes: readonly DecidedChange<C>[],
): readonly (keyof C & string)[] {
  const names = changes.flatMap((change) => change.patch.map((entry) => entry.document));
  return [...new Set(names)] as (keyof C & string)[];
}

/**
 * Does in small steps what {@link draftRows} and the staging of files take long for: it is quick
 * afterwards.
 */
export function* prepareRows<C>(
  changes: readonly DecidedChange<C>[],
  parts: Parts<C>,
): Generator<void, void> {
  const { after } = changes.at(-1)!;
  for (const name of changedNames(changes)) {
    yield* prepareDigest(after[name]);
    yield* parts.files.prepare(name, after[name]);
  }
}

/** The journal's rows of changes that share one transaction; each says what it alone does. */
export function draftRows<C>(
  changes: readonly DecidedChange<C>[],
  plan: KernelPlan,
  parts: Parts<C>,
): readonly Omit<ChangeRow, "seq" | "state">[] {
  const plans = ownPlans(changes, plan, parts);
  return changes.map((change, at) => {
    // A file is written once for all of them: only what the last one makes of it comes to the disk.
    const later = new Set(changedNames(changes.slice(at + 1)));
    const placed = changedNames([change]).filter((name) => !later.has(name));
    return draftRow(change, { plan: plans[at]!, placed }, parts);
  });
}

/** What each change does in the plan of them all; planned once more by itself where that does not say. */
function ownPlans<C>(
  changes: readonly DecidedChange<C>[],
  plan: KernelPlan,
  { planner, enforcement }: Parts<C>,
): readonly KernelPlan[] {
  if (changes.length === 1) return [plan];
  const shares = planner.shares?.(plan, changes.map(({ patch }) => patch)) ?? null;
  if (shares !== null) return shares;
  let before = enforcement.desired;
  return changes.map((change) => {
    const after = enforcement.desire(change.after, change.observedAfter);
    const own = planner.diff(before, after);
    before = after;
    return own;
  });
}

function draftRow<C>(
  change: DecidedChange<C>,
  { plan, placed }: {
    readonly plan: KernelPlan;
    /** Documents whose files will say what this change makes of them. */
    readonly placed: readonly (keyof C & string)[];
  },
  parts: Parts<C>,
): Omit<ChangeRow, "seq" | "state"> {
  const { command, options, undoes, file } = change.job;
  const digests = placed.map((name) => [
    name,
    imageDigest({
      value: change.after[name],
      rejected: file?.name === name ? file.rejected : parts.active.imageOf(name).rejected,
    }),
  ]);
  return {
    id: parts.randomId(),
    at: parts.now(),
    by: options.caller.by,
    source: options.caller.from,
    kind: command.kind,
    summary: command.summary,
    patch: change.patch,
    system: shortened(parts.planner.describe(plan)),
    digests: Object.fromEntries(digests),
    undoes: undoes ?? null,
  };
}

function shortened(lines: readonly string[]): readonly string[] {
  if (lines.length <= MAX_SYSTEM_LINES) return lines;
  return [...lines.slice(0, MAX_SYSTEM_LINES), `and ${lines.length - MAX_SYSTEM_LINES} more`];
}

/** A window to open together with a change, and its token. */
export function draftWindow<C>(
  change: DecidedChange<C>,
  id: string,
  parts: Parts<C>,
): { readonly row: WindowRow; readonly token: string } | undefined {
  const seconds = change.job.options.confirmWithin;
  if (seconds === undefined) return undefined;
  const token = parts.randomId();
  const summary = change.job.command.summary;
  return { row: parts.window.draft(id, { summary, token, seconds }), token };
}

/** The whole image of a document for the journal, as it stands after the row `seq`, in small steps. */
export function* draftImage(
  name: string,
  image: Image<unknown>,
  seq: number,
): Generator<void, DocumentRow> {
  yield* prepareDigest(image.value);
  return { name, image: yield* jsonSteps(image), seq, written: imageDigest(image) };
}
