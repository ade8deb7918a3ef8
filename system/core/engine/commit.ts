import type { Outcome } from "./change.ts";
import { Turns } from "../time/slices.ts";
import { type DecidedChange, isUnguarded } from "./decide.ts";
import {
  changedNames,
  draftImage,
  draftRows,
  draftWindow,
  prepareRows,
} from "./journal/change_rows.ts";
import type { StagedDocument } from "./files/config_files.ts";
import type { Desired } from "../kernel/desired.ts";
import type { KernelPlan } from "../kernel/plan.ts";
import type { ChangeRow, CommitExtras } from "./journal/journal.ts";
import { announce, flushFlows, openNotice, placeAll, writeObservations } from "./after_commit.ts";
import { callerPathChange, lockout, pathRefusal } from "./kernel/lockout.ts";
import { enteredLinks, movesAnything } from "./files/observations.ts";
import { ownAddresses } from "../net/own_addresses.ts";
import type { Parts } from "./parts.ts";
import { Problem } from "../errors/problem.ts";
import { errorText } from "../errors/error_text.ts";

/** Milliseconds for which an early answer may leave the machine before its own path changes. */
const EARLY_ANSWER_DELAY_MS = 100;

/** What came of a transaction. */
export interface Committed<C> {
  readonly rows: readonly ChangeRow[];
  /** Documents whose files could not be put in place; the configuration is durable all the same. */
  readonly unplaced: readonly (keyof C & string)[];
  /** The kernel's steps that were run. */
  readonly plan: KernelPlan;
}

interface Batch<C> {
  readonly decided: readonly DecidedChange<C>[];
  /** Those of them that change the configuration. */
  readonly moving: readonly DecidedChange<C>[];
  readonly last: DecidedChange<C>;
  readonly desired: Desired;
  readonly plan: KernelPlan;
  /** It changes the very way to its caller, who is answered before that happens. */
  readonly early: boolean;
  /** Others have theirs between two parts of it, of which each takes long where it is large. */
  readonly turns: Turns;
}

/**
 * Takes decided changes through the commit order as one transaction, and answers their callers.
 * Throws Problem, before any response, when nothing of it was applied.
 */
export async function commitAll<C>(
  decided: readonly DecidedChange<C>[],
  parts: Parts<C>,
): Promise<Committed<C>> {
  const last = decided.at(-1)!;
  const moving = decided.filter((change) => change.patch.length > 0);
  if (moving.length === 0 && !movesAnything(parts.active.observed, last.observedAfter)) {
    parts.active.activate(last.after, last.observedAfter);
    for (const change of decided) answer(change, null, parts);
    return { rows: [], unplaced: [], plan: { steps: [], recheck: [] } };
  }
  const turns = new Turns();
  await parts.enforcement.refreshFor(enteredLinks(parts.active.observed, last.observedAfter));
  const desired = await turns.run(parts.enforcement.desireSteps(last.after, last.observedAfter));
  await turns.pause();
  const plan = parts.enforcement.plan(desired);
  await turns.pause();
  const batch = { decided, moving, last, desired, plan, early: false, turns };
  if (moving.length === 0) return await commitObservations(batch, parts);
  const early = await refuseLockout(batch, parts);
  return await commitChanges({ ...batch, early }, parts);
}

/** Throws Problem 409 for a change that locks its caller out. True for one that may, and will. */
async function refuseLockout<C>(batch: Batch<C>, parts: Parts<C>): Promise<boolean> {
  const { enforcement, planner } = parts;
  const question = {
    planner,
    routeTo: (source: string) => enforcement.routeTo(source),
    before: enforcement.desired,
    after: batch.desired,
  };
  for (const { job } of batch.moving) {
    const { caller } = job.options;
    const unguarded = isUnguarded(job);
    const refusal = unguarded ? null : await lockout(caller, question);
    if (refusal !== null) throw refusal;
    const path = await callerPathChange(caller, question);
    if (path === null) continue;
    if (!unguarded) throw pathRefusal(path);
    // A caller that is answered early must not share a transaction that may yet be refused and retried.
    if (batch.decided.length > 1) throw new Problem(500, "This change must be taken alone");
    return true;
  }
  return false;
}

/** Only what was seen moves the kernel: nothing for the journal. */
async function commitObservations<C>(batch: Batch<C>, parts: Parts<C>): Promise<Committed<C>> {
  const plan = await parts.enforcement.transition(batch.desired, batch.plan);
  parts.enforcement.adopt(batch.desired);
  parts.active.activate(batch.last.after, batch.last.observedAfter);
  await Promise.all([
    flushFlows(plan, parts),
    writeObservations(batch.decided[0]!.observedBefore, batch.last.observedAfter, parts),
  ]);
  for (const change of batch.decided) answer(change, null, parts);
  return { rows: [], unplaced: [], plan };
}

async function commitChanges<C>(batch: Batch<C>, parts: Parts<C>): Promise<Committed<C>> {
  const { journal, enforcement, step } = parts;
  step("change:planned");
  const { turns } = batch;
  await turns.run(prepareRows(batch.moving, parts));
  const drafts = draftRows(batch.moving, batch.plan, parts);
  await turns.pause();
  const staged: StagedDocument[] = [];
  // The disk takes the files while the journal is written: a staged file moves nothing, and what a
  // crash leaves of one is swept by the next start.
  const staging = stageAll(batch, staged, { id: drafts[0]!.id, parts });
  staging.catch(() => {}); // Awaited below, once the journal has its rows.
  const rows = await inJournal(() => journal.begin(drafts)).catch(async (error) => {
    await staging.catch(() => {});
    await parts.files.discard(staged);
    throw error;
  });
  step("journal:pending");
  const window = draftWindow(batch.moving[0]!, rows[0]!.id, parts);
  const stood = !isBroken(parts);
  let plan: KernelPlan;
  // What was seen is true whatever is decided: its file is synced while the kernel moves.
  let seen: Promise<void> = Promise.resolve();
  try {
    await staging;
    step("files:staged");
    if (batch.early) {
      if (window !== undefined) parts.window.expect(window.row);
      const addresses = ownAddresses(batch.desired);
      await answerEarly(batch.last, { id: rows[0]!.id, window, addresses }, parts);
    }
    seen = writeObservations(batch.decided[0]!.observedBefore, batch.last.observedAfter, parts);
    plan = await enforcement.transition(batch.desired, batch.plan);
    await commitRows(rows, { ...await extras(batch, parts), window: window?.row }, parts);
  } catch (error) {
    parts.window.forget();
    await seen;
    await parts.files.discard(staged);
    const isKnown = await removeRows(rows, stood && isBroken(parts), parts);
    await flushReverted(batch, parts);
    const reported = isKnown ? error : inDoubt(error);
    if (!isKnown) await openNotice(parts, "change-in-doubt", errorText(reported));
    if (batch.early) await reportLateFailure(rows[0]!, reported, parts);
    throw reported;
  }
  step("journal:committed");
  activate(batch, parts);
  const unplaced = await conclude({ ...batch, plan }, { rows, staged, seen, window }, parts);
  return { rows, unplaced, plan };
}

/**
 * What follows a commit, the answers to the callers among it. Returns the documents whose files are not
 * in place. Never throws: the change is active and durable, and must not be taken a second time.
 */
async function conclude<C>(
  batch: Batch<C>,
  { rows, staged, seen, window }: {
    readonly rows: readonly ChangeRow[];
    readonly staged: readonly StagedDocument[];
    readonly seen: Promise<void>;
    readonly window: ReturnType<typeof draftWindow>;
  },
  parts: Parts<C>,
): Promise<readonly (keyof C & string)[]> {
  const { turns, moving, decided } = batch;
  let confirm = {};
  const ids = new Map(moving.map((change, index) => [change, rows[index]!.id]));
  const answerAll = (): void => {
    for (const change of decided) {
      const id = ids.get(change) ?? null;
      answer(change, id, parts, id === null ? {} : confirm);
    }
  };
  turns.begin();
  // Never rejects, and is over before another change of the same documents.
  const placing = placeAll(staged, parts);
  try {
    if (window !== undefined) {
      confirm = {
        confirm: {
          token: window.token,
          until: parts.window.open(window.row),
          addresses: ownAddresses(batch.desired),
        },
      };
    }
    await Promise.all([flushFlows(batch.plan, parts), seen]);
    await placing;
    for (const [index, change] of moving.entries()) {
      await announce(change, rows[index]!, { turns, parts });
    }
    // Services take no entity tag, and do not wait for it.
    const tagged = decided.some(({ job }) => job.options.observation !== true);
    if (tagged) await prepareTags(batch, parts);
    answerAll();
    parts.step("change:announced");
    if (!tagged) await prepareTags(batch, parts);
  } catch (error) {
    parts.log.error("engine.follow_up_failed", "What follows a change failed", { error });
    answerAll();
  }
  return await placing;
}

/** Never throws: the change is committed, and a tag that is not prepared is made when it is needed. */
async function prepareTags<C>(
  { moving, last, turns }: Batch<C>,
  { active, log }: Parts<C>,
): Promise<void> {
  try {
    for (const name of changedNames(moving)) {
      await turns.run(active.prepareTag(last.after, name));
    }
  } catch (error) {
    log.error("engine.tags_not_prepared", "Could not prepare the entity tags of a change", {
      error,
    });
  }
}

/** Answers before anything moves; what comes of it is in the history. */
async function answerEarly<C>(
  change: DecidedChange<C>,
  given: {
    readonly id: string;
    readonly window: ReturnType<typeof draftWindow>;
    readonly addresses: readonly string[];
  },
  parts: Parts<C>,
): Promise<void> {
  const { id, window, addresses } = given;
  const until = window && parts.now() + window.row.seconds * 1000;
  answer(change, id, parts, {
    early: true,
    ...(window && until !== undefined
      ? { confirm: { token: window.token, until, addresses } }
      : {}),
  });
  await new Promise((resolve) => setTimeout(resolve, EARLY_ANSWER_DELAY_MS));
}

async function reportLateFailure<C>(
  row: ChangeRow,
  error: unknown,
  parts: Parts<C>,
): Promise<void> {
  const detail = `A change that was accepted did not take effect: ${row.summary}. ${
    errorText(error)
  }`;
  parts.log.error("engine.change_not_applied", detail);
  await openNotice(parts, "change-not-applied", detail);
}

/** Answers with the entity tags that this very change left, whatever shared its transaction. */
function answer<C>(
  change: DecidedChange<C>,
  id: string | null,
  parts: Parts<C>,
  more: Pick<Outcome<unknown>, "confirm" | "early"> = {},
): void {
  const etagOf = (document: string): string =>
    parts.active.tagOf(change.after, document as keyof C & string);
  change.job.resolve({ result: change.result, id, etagOf, ...more });
}

async function stageAll<C>(
  batch: Batch<C>,
  staged: StagedDocument[],
  context: { readonly id: string; readonly parts: Parts<C> },
): Promise<void> {
  const { files, active } = context.parts;
  for (const name of changedNames(batch.moving)) {
    // An edited file says already what it should, in its editor's own form.
    if (batch.last.job.file?.name === name) continue;
    try {
      staged.push(await files.stage(name, active.imageOf(name, batch.last.after), context.id));
    } catch (error) {
      throw new Problem(500, `The configuration could not be written: ${errorText(error)}`, {
        cause: error,
      });
    }
  }
}

/** The commit point; the kernel goes back when it cannot be noted. */
async function commitRows<C>(
  rows: readonly ChangeRow[],
  extras: CommitExtras,
  parts: Parts<C>,
): Promise<void> {
  try {
    await inJournal(() => parts.journal.commit(rows, extras));
  } catch (error) {
    await parts.enforcement.rollBack();
    throw error;
  }
}

async function extras<C>(batch: Batch<C>, parts: Parts<C>): Promise<CommitExtras> {
  const { undoes, file } = batch.last.job;
  const name = file?.name as (keyof C & string) | undefined;
  return {
    endsWindow: undoes !== undefined && undoes === parts.window.change ? undoes : undefined,
    images: file === undefined || name === undefined ? [] : [
      await batch.turns.run(draftImage(
        name,
        { value: batch.last.after[name], rejected: file.rejected },
        parts.journal.last,
      )),
    ],
  };
}

function activate<C>(batch: Batch<C>, parts: Parts<C>): void {
  parts.enforcement.adopt(batch.desired);
  parts.active.activate(batch.last.after, batch.last.observedAfter);
  const { undoes, file } = batch.last.job;
  if (file !== undefined) parts.active.setRejected(file.name, file.rejected);
  if (undoes !== undefined && undoes === parts.window.change) parts.window.close();
}

/** Ends what could begin while the new state stood for a moment. */
async function flushReverted<C>(batch: Batch<C>, parts: Parts<C>): Promise<void> {
  // Where nothing stands, the load to come does it.
  if (isBroken(parts)) return;
  const back = parts.planner.diff(batch.desired, parts.enforcement.desired);
  await flushFlows(back, parts);
}

/** What to say of a change that is refused while the disk may hold it as committed. */
function inDoubt(error: unknown): Problem {
  return new Problem(
    500,
    `${
      errorText(error)
    }. The change is not in force now, but it is not known whether the disk has it: ` +
      "after a restart it could be. It is taken back as soon as the disk can be written",
    { cause: error },
  );
}

/**
 * Takes a refused change out of the journal; one that could not be taken back stays, as `broken`.
 * False where the disk did not take that either.
 */
async function removeRows<C>(
  rows: readonly ChangeRow[],
  broken: boolean,
  parts: Parts<C>,
): Promise<boolean> {
  try {
    await parts.journal.takeBack(rows, broken);
    return true;
  } catch (error) {
    // The rows stay pending; a tick or the next start takes them back.
    parts.log.error(
      "journal.row_not_removed",
      "Could not remove a refused change from the journal",
      { error },
    );
    return false;
  }
}

function isBroken<C>(parts: Parts<C>): boolean {
  return parts.enforcement.network.state === "broken";
}

async function inJournal<R>(write: () => Promise<R>): Promise<R> {
  try {
    return await write();
  } catch (error) {
    throw new Problem(500, `The change could not be noted in the journal: ${errorText(error)}`, {
      cause: error,
    });
  }
}
