import { effect } from "@preact/signals";
import type { WorkerMessage, WorkerRequest } from "./confirm_worker.ts";
import {
  confirmElsewhere,
  loadPendingConfirm,
  movedTo,
  network,
  pendingConfirm,
  reachableOrigins,
} from "../state/store.ts";
import { type ApiProblem, lostWrite, notResponding, problemOf } from "../api/problem.ts";
import type { Preview } from "../wire.ts";

/** A change in a confirm window, with what is needed to confirm it from another address of the router. */
export interface WatchedChange {
  readonly id: string;
  /** Single-use; never in an address or a log. */
  readonly token: string;
  /** The router's addresses during the confirm window. */
  readonly addresses: readonly string[];
}

/** Where it is kept over a reload of this tab. */
const STORAGE_KEY = "sluice.confirm";

let worker: Worker | null = null;
type Kept = Extract<WorkerMessage, { kind: "kept" }>["answer"];

let settle: ((answer: Kept) => void) | null = null;

/**
 * Makes ready for a change that moves addresses, while the router still answers where it is. On a model
 * the router has no address, and somebody else may have it.
 */
export function prepareForMove(preview: Pick<Preview, "system">): void {
  if (network.peek()?.state !== "applied") return;
  if (preview.system.some((line) => /^ip addr (add|del) /.test(line))) start();
}

function start(): Worker {
  if (worker !== null) return worker;
  worker = new Worker("/admin/confirm_worker.js");
  worker.addEventListener("message", ({ data }: MessageEvent<WorkerMessage>) => {
    if (data.kind === "kept") settle?.(data.answer);
    else if (data.over.length > 0) endedBy(data.over);
    else reachableOrigins.value = data.origins;
  });
  return worker;
}

/** It was confirmed or reverted elsewhere: asks for the open confirm window, unless the router is unreachable here. */
function endedBy(origins: readonly string[]): void {
  if (origins.includes(location.origin)) return void loadPendingConfirm();
  if (reachableOrigins.peek()?.includes(location.origin)) return;
  movedTo.value = origins[0] ?? null;
  pendingConfirm.value = null;
}

/** Looks for the router under all of its addresses during the confirm window. */
export function watchAddresses(next: WatchedChange): void {
  if (worker === null) return;
  sessionStorage.setItem(STORAGE_KEY, JSON.stringify(next));
  confirmElsewhere.value = confirmRemotely;
  movedTo.value = null;
  const origins = [location.origin, ...next.addresses.map(originOf)];
  post({ kind: "watch", origins: [...new Set(origins)], token: next.token });
  const stop = effect(() => {
    if (pendingConfirm.value?.id === next.id) return;
    sessionStorage.removeItem(STORAGE_KEY);
    reachableOrigins.value = null;
    post({ kind: "rest" });
    queueMicrotask(() => stop());
  });
}

/** Resumes after a reload. */
export function resumeWatch(id: string): void {
  const known = watchedChange();
  if (known === null || known.id !== id || worker !== null) return;
  start();
  watchAddresses(known);
}

/** Confirms the change from the first address that responds. Returns the problem; null for none. */
async function confirmRemotely(id: string): Promise<ApiProblem | null> {
  const known = watchedChange();
  const [origin] = reachableOrigins.peek() ?? [];
  if (known?.id !== id || origin === undefined) return notResponding();
  const answer = await new Promise<Kept>((resolve) => {
    settle = resolve;
    post({ kind: "keep", origin, id, token: known.token });
  });
  if (answer === null) return lostWrite();
  const { status, text } = answer;
  if (status >= 300) return await problemOf({ status, text: () => Promise.resolve(text) });
  pendingConfirm.value = null;
  if (origin !== location.origin) movedTo.value = origin;
  return null;
}

function watchedChange(): WatchedChange | null {
  const text = sessionStorage.getItem(STORAGE_KEY);
  return text === null ? null : JSON.parse(text);
}

function post(request: WorkerRequest): void {
  start().postMessage(request);
}

/** The address of this page on another host. */
function originOf(address: string): string {
  const host = address.includes(":") ? `[${address}]` : address;
  return `${location.protocol}//${host}${location.port === "" ? "" : `:${location.port}`}`;
}
