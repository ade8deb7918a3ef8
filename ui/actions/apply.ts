import { type Answer, call, deviceTag, type Request } from "../api/client.ts";
import {
  type Action,
  closePreview,
  type OpenedPreview,
  openedPreview,
  showPreview,
} from "./action.ts";
import { prepareForMove, watchAddresses } from "./remote_confirm.ts";
import { reuseEqual } from "../state/reuse_equal.ts";
import { conflictOf, conflictsOf } from "./conflict.ts";
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

/** How an open preview is applied. */
export interface ApplyOptions {
  /** Seconds of the confirm window; null for none. */
  readonly confirmWithin: number | null;
  /** Applies although access tests break. */
  readonly force?: boolean;
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

/** Computes the preview of the open action. */
export async function loadPreview(action: Action): Promise<void> {
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
    showPreview(action, { request, preview, conflicts });
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
  if (conflicts.length > 0) showPreview(action, { request, preview, conflicts });
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
    showPreview(action, { request, preview, conflicts: conflictsOf(preview) });
  } catch (error) {
    const conflict = error instanceof ApiProblem ? conflictOf(error) : null;
    if (conflict === null) throw error;
    showPreview(action, { request, conflicts: [conflict] });
  }
}
