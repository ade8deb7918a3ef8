import { signal } from "@preact/signals";
import { type Answer, call, deviceTag, type Request } from "../api/client.ts";
import { prepareForMove, watchAddresses } from "./remote_confirm.ts";
import { reuseEqual } from "../state/reuse_equal.ts";
import { type Conflict, conflictOf, conflictsOf } from "./conflict.ts";
import { ApiProblem, textOf } from "../api/problem.ts";
import {
  devices,
  loadDevices,
  loadGroups,
  loadPendingConfirm,
  pendingConfirm,
} from "../state/store.ts";
import { say, toast } from "../state/toast.ts";
import type { Devices, Preview } from "../wire.ts";

/** A change that a person is about to make, in words and as a request. */
export interface Action {
  readonly title: string;
  /** The subject, and the rest of the sentence: `Kids’ tablet` + `can no longer …`. */
  readonly subject: string;
  readonly sentence: string;
  /** Further sentences, such as what else a deletion removes. */
  readonly details?: readonly string[];
  /** Names the action: `Give Internet`. */
  readonly button: string;
  readonly danger?: boolean;
  /** Seconds of the proposed confirm window, for what may cut the router off. */
  readonly confirmWithin?: number;
  /** What happened, after the subject. */
  readonly done: string;
  /** Identity of the device that must not have changed since the preview. */
  readonly device?: string;
  /** True where the request holds every device, none of which may have changed since the preview. */
  readonly wholeList?: boolean;
  /**
   * Loads anew what the request is made of, and answers its entity tag, so that what somebody else wrote
   * since the preview is noticed and not written over.
   */
  readonly reload?: () => Promise<string | null>;
  /** The request for the present state; computed again after someone else's change. */
  readonly request: () => Request;
  /** The same action on all but one device; null where nothing would be left of it. */
  readonly excluding?: (identity: string) => Action | null;
  readonly after?: (answer: Answer<unknown>) => void;
}

export interface OpenedPreview {
  readonly action: Action;
  readonly request: Request | null;
  readonly preview: Preview | null;
  readonly problem: ApiProblem | null;
  /** Refusals of the change, which then needs a confirm window; empty for none. */
  readonly conflicts: readonly Conflict[];
  readonly applying: boolean;
  /** Somebody else changed the device between preview and apply. */
  readonly outdated: boolean;
}

/** How an open preview is applied. */
export interface ApplyOptions {
  /** Seconds of the confirm window; null for none. */
  readonly confirmWithin: number | null;
  /** Applies although access tests break. */
  readonly force?: boolean;
}

/** The open preview; null when there is none. */
export const openedPreview = signal<OpenedPreview | null>(null);

/** Shows what a change would do; nothing is applied before {@link apply}. */
export function openPreview(action: Action): void {
  show(action, {});
  void loadPreview(action);
}

function show(action: Action, part: Partial<OpenedPreview>): void {
  openedPreview.value = {
    action,
    request: null,
    preview: null,
    problem: null,
    conflicts: [],
    applying: false,
    outdated: false,
    ...part,
  };
}

export function closePreview(): void {
  openedPreview.value = null;
}

/** Computes the open preview again, after its refusals were dealt with. */
export async function refreshPreview(): Promise<void> {
  const open = openedPreview.value;
  if (open !== null) await loadPreview(open.action);
}

/** Computes the request by today's state, guarded so that a later edit by someone else is noticed. */
async function prepare(action: Action): Promise<Request> {
  if (action.wholeList) {
    const { body, etag } = await call<Devices>({ path: "/devices" });
    devices.value = reuseEqual(devices.peek(), body);
    return { ...action.request(), ifMatch: etag };
  }
  if (action.reload !== undefined) {
    const ifMatch = await action.reload();
    return { ...action.request(), ifMatch };
  }
  if (action.device === undefined) return action.request();
  const tag = await deviceTag(action.device);
  await loadDevices();
  return { ...action.request(), ifMatch: tag };
}

async function loadPreview(action: Action): Promise<void> {
  try {
    const request = await prepare(action);
    const preview = await dryRun(request);
    update(action, { request, preview, conflicts: conflictsOf(preview), problem: null });
  } catch (error) {
    const problem = problemFrom(error);
    const conflict = conflictOf(problem);
    if (conflict === null) update(action, { problem });
    else update(action, { request: action.request(), conflicts: [conflict] });
  }
}

function problemFrom(error: unknown): ApiProblem {
  return error instanceof ApiProblem ? error : new ApiProblem(0, textOf(error));
}

/** What a write would do; nothing is applied. Throws ApiProblem. */
export async function dryRun(request: Request): Promise<Preview> {
  const query = { ...request.query, dryRun: "true" };
  const { body } = await call<Preview>({ ...request, query });
  prepareForMove(body);
  return body;
}

function update(action: Action, part: Partial<OpenedPreview>): void {
  if (openedPreview.value?.action === action) {
    openedPreview.value = { ...openedPreview.value, ...part };
  }
}

/** Applies the open preview. */
export async function apply({ confirmWithin, force }: ApplyOptions): Promise<void> {
  const open = openedPreview.value;
  if (open === null || open.request === null || open.applying) return;
  const { action, request } = open;
  update(action, { applying: true, problem: null });
  const query = force ? { ...request.query, force: "true" } : request.query;
  try {
    await commit(action, { ...request, ...(query === undefined ? {} : { query }), confirmWithin });
    closePreview();
  } catch (error) {
    const problem = problemFrom(error);
    const conflict = conflictOf(problem);
    if (conflict !== null) update(action, { applying: false, conflicts: [conflict] });
    else if (problem.status === 412) {
      update(action, { applying: false, outdated: true, preview: null, request: null });
      await loadPreview(action);
    } else update(action, { applying: false, problem });
  }
}

async function commit(action: Action, request: Request): Promise<void> {
  const answer = await call<unknown>({ ...request, method: request.method ?? "PUT" });
  const toConfirm = Boolean(request.confirmWithin);
  if (toConfirm) {
    toast.value = null;
    showConfirmWindow(action, answer, request.confirmWithin ?? 0);
    // Where it is answered early, no confirm window is open yet, and soon the router has moved.
    if (!answer.early) await loadPendingConfirm();
  } else say({ subject: action.subject, text: action.done, undo: answer.changeId });
  void loadDevices();
  void loadGroups();
  action.after?.(answer);
}

/** Shows the confirm window of the response, and looks for the router from then on. */
function showConfirmWindow(
  action: Action,
  { changeId, confirm }: Answer<unknown>,
  seconds: number,
): void {
  if (changeId === null || confirm === null) return;
  const left = seconds * 1000;
  pendingConfirm.value = {
    id: changeId,
    summary: `${action.subject} ${action.done}`.replace(/\.$/, ""),
    endsAt: performance.now() + left,
    until: Date.now() + left,
    from: seconds,
  };
  watchAddresses({ id: changeId, ...confirm });
}

/**
 * Applies at once when nobody's access changes, else shows the preview first. Throws ApiProblem,
 * so that a form can point at the field.
 */
export async function applyOrPreview(action: Action): Promise<void> {
  const request = await prepare(action);
  const preview = await dryRun(request);
  const { allowed, denied, more } = preview.reach;
  const conflicts = conflictsOf(preview);
  if (allowed.length + denied.length + more + conflicts.length > 0) {
    show(action, { request, preview, conflicts });
    return;
  }
  await commit(action, request);
}

/**
 * Applies at once what was shown to the person already; the preview opens where something stands
 * against it. Throws ApiProblem, so that a form can point at the field.
 */
export async function applyAtOnce(action: Action): Promise<void> {
  const request = await prepare(action);
  const preview = await dryRun(request);
  const conflicts = conflictsOf(preview);
  if (conflicts.length > 0) show(action, { request, preview, conflicts });
  else await commit(action, request);
}

/** Applies at once what takes access from nobody; does nothing otherwise. Throws ApiProblem. */
export async function applyHarmless(action: Action): Promise<void> {
  const request = await prepare(action);
  const preview = await dryRun(request);
  const { denied, more } = preview.reach;
  if (denied.length + more + conflictsOf(preview).length === 0) await commit(action, request);
}

/**
 * Opens the preview of what a form would write, over the form, once the API takes what was typed.
 * Throws ApiProblem where it does not, so that the form can point at the field.
 */
export async function previewForm(action: Action): Promise<void> {
  const request = await prepare(action);
  try {
    const preview = await dryRun(request);
    show(action, { request, preview, conflicts: conflictsOf(preview) });
  } catch (error) {
    const conflict = error instanceof ApiProblem ? conflictOf(error) : null;
    if (conflict === null) throw error;
    show(action, { request, conflicts: [conflict] });
  }
}
