import { signal } from "@preact/signals";
import { type Answer, call, deviceTag, type Request } from "../api/client.ts";
import { makeReady, watchTrial } from "./remote_confirm.ts";
import { keepSame } from "../state/reuse_equal.ts";
import { type Obstacle, obstacleOf, obstaclesOf } from "./conflict.ts";
import { ApiProblem, wordsOf } from "../api/problem.ts";
import { devices, loadDevices, loadGroups, loadTrial, trial } from "../state/store.ts";
import { say, toast } from "../state/toast.ts";
import type { Devices, Preview } from "../wire.ts";

/** A write that a person is about to make, in words and as a request. */
export interface Act {
  readonly title: string;
  /** Who it is about, and the rest of the sentence: `Kids’ tablet` + `can no longer …`. */
  readonly subject: string;
  readonly sentence: string;
  /** Further sentences, such as what a deletion takes along. */
  readonly also?: readonly string[];
  /** Names the act: `Give Internet`. */
  readonly button: string;
  readonly danger?: boolean;
  /** Seconds of the trial that is proposed, for what may cut the router off. */
  readonly trial?: number;
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
  readonly fresh?: () => Promise<string | null>;
  /** The request by what is true now; asked anew when somebody else was faster. */
  readonly request: () => Request;
  /** The same act on all but one device; null where nothing would be left of it. */
  readonly leavingOut?: (identity: string) => Act | null;
  readonly after?: (answer: Answer<unknown>) => void;
}

export interface Drawer {
  readonly act: Act;
  readonly request: Request | null;
  readonly preview: Preview | null;
  readonly problem: ApiProblem | null;
  /** What stands against it, so that it may only be tried; empty where nothing does. */
  readonly obstacles: readonly Obstacle[];
  readonly applying: boolean;
  /** Somebody else changed the device between preview and apply. */
  readonly overtaken: boolean;
}

/** How an open preview is applied. */
export interface Way {
  /** Seconds of the trial; null for good. */
  readonly confirmWithin: number | null;
  /** Breaks the tests of reach that stand against it. */
  readonly force?: boolean;
}

/** The open preview; null when there is none. */
export const drawer = signal<Drawer | null>(null);

/** Shows what a write would do; nothing moves before {@link apply}. */
export function openPreview(act: Act): void {
  show(act, {});
  void ask(act);
}

function show(act: Act, part: Partial<Drawer>): void {
  drawer.value = {
    act,
    request: null,
    preview: null,
    problem: null,
    obstacles: [],
    applying: false,
    overtaken: false,
    ...part,
  };
}

export function closePreview(): void {
  drawer.value = null;
}

/** Asks anew what the open preview would do, after what stood against it was seen to. */
export async function askAgain(): Promise<void> {
  const open = drawer.value;
  if (open !== null) await ask(open.act);
}

/** Computes the request by today's state, guarded so that a later edit by someone else is noticed. */
async function prepare(act: Act): Promise<Request> {
  if (act.wholeList) {
    const { body, etag } = await call<Devices>({ path: "/devices" });
    devices.value = keepSame(devices.peek(), body);
    return { ...act.request(), ifMatch: etag };
  }
  if (act.fresh !== undefined) {
    const ifMatch = await act.fresh();
    return { ...act.request(), ifMatch };
  }
  if (act.device === undefined) return act.request();
  const tag = await deviceTag(act.device);
  await loadDevices();
  return { ...act.request(), ifMatch: tag };
}

async function ask(act: Act): Promise<void> {
  try {
    const request = await prepare(act);
    const preview = await dryRun(request);
    update(act, { request, preview, obstacles: obstaclesOf(preview), problem: null });
  } catch (error) {
    const problem = problemFrom(error);
    const obstacle = obstacleOf(problem);
    if (obstacle === null) update(act, { problem });
    else update(act, { request: act.request(), obstacles: [obstacle] });
  }
}

function problemFrom(error: unknown): ApiProblem {
  return error instanceof ApiProblem ? error : new ApiProblem(0, wordsOf(error));
}

async function dryRun(request: Request): Promise<Preview> {
  const query = { ...request.query, dryRun: "true" };
  const { body } = await call<Preview>({ ...request, query });
  makeReady(body);
  return body;
}

function update(act: Act, part: Partial<Drawer>): void {
  if (drawer.value?.act === act) drawer.value = { ...drawer.value, ...part };
}

/** Applies the open preview. */
export async function apply({ confirmWithin, force }: Way): Promise<void> {
  const open = drawer.value;
  if (open === null || open.request === null || open.applying) return;
  const { act, request } = open;
  update(act, { applying: true, problem: null });
  const query = force ? { ...request.query, force: "true" } : request.query;
  try {
    await commit(act, { ...request, ...(query === undefined ? {} : { query }), confirmWithin });
    closePreview();
  } catch (error) {
    const problem = problemFrom(error);
    const obstacle = obstacleOf(problem);
    if (obstacle !== null) update(act, { applying: false, obstacles: [obstacle] });
    else if (problem.status === 412) {
      update(act, { applying: false, overtaken: true, preview: null, request: null });
      await ask(act);
    } else update(act, { applying: false, problem });
  }
}

async function commit(act: Act, request: Request): Promise<void> {
  const answer = await call<unknown>({ ...request, method: request.method ?? "PUT" });
  const onTrial = Boolean(request.confirmWithin);
  if (onTrial) {
    toast.value = null;
    begin(act, answer, request.confirmWithin ?? 0);
    // Where it is answered early, nothing is on trial yet, and soon the router is elsewhere.
    if (!answer.early) await loadTrial();
  } else say({ subject: act.subject, text: act.done, undo: answer.changeId });
  void loadDevices();
  void loadGroups();
  act.after?.(answer);
}

/** Shows the trial by what the answer says, and looks for the router from then on. */
function begin(act: Act, { changeId, confirm }: Answer<unknown>, seconds: number): void {
  if (changeId === null || confirm === null) return;
  const left = seconds * 1000;
  trial.value = {
    id: changeId,
    summary: `${act.subject} ${act.done}`.replace(/\.$/, ""),
    endsAt: performance.now() + left,
    until: Date.now() + left,
    from: seconds,
  };
  watchTrial({ id: changeId, ...confirm });
}

/**
 * Applies at once when nobody's access changes, else shows the preview first. Throws ApiProblem,
 * so that a form can point at the field.
 */
export async function applySmall(act: Act): Promise<void> {
  const request = await prepare(act);
  const preview = await dryRun(request);
  const { allowed, denied, more } = preview.reach;
  const obstacles = obstaclesOf(preview);
  if (allowed.length + denied.length + more + obstacles.length > 0) {
    show(act, { request, preview, obstacles });
    return;
  }
  await commit(act, request);
}

/**
 * Opens the preview of what a form would write, over the form, once the API takes what was typed.
 * Throws ApiProblem where it does not, so that the form can point at the field.
 */
export async function previewForm(act: Act): Promise<void> {
  const request = await prepare(act);
  try {
    const preview = await dryRun(request);
    show(act, { request, preview, obstacles: obstaclesOf(preview) });
  } catch (error) {
    const obstacle = error instanceof ApiProblem ? obstacleOf(error) : null;
    if (obstacle === null) throw error;
    show(act, { request, obstacles: [obstacle] });
  }
}
