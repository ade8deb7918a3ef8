import { effect } from "@preact/signals";
import type { Asked, Told } from "./confirm_worker.ts";
import { answering, loadTrial, movedTo, network, trial } from "../state/store.ts";
import type { Preview } from "../wire.ts";

/** A change on trial, with what is needed to keep it from another address of the router. */
export interface Kept {
  readonly id: string;
  /** Single-use; never in an address or a log. */
  readonly token: string;
  /** The router's addresses while it stands. */
  readonly addresses: readonly string[];
}

/** Where it is kept over a reload of this tab. */
export const KEPT = "sluice.trial";

let worker: Worker | null = null;
let wait: ((problem: string) => void) | null = null;

/**
 * Makes ready for a change that moves addresses, while the router still answers where it is. On a model
 * the router has no address, and somebody else may have it.
 */
export function makeReady(preview: Pick<Preview, "system">): void {
  if (network.peek()?.state !== "applied") return;
  if (preview.system.some((line) => /^ip addr (add|del) /.test(line))) start();
}

function start(): Worker {
  if (worker !== null) return worker;
  worker = new Worker("/admin/confirm_worker.js");
  worker.addEventListener("message", ({ data }: MessageEvent<Told>) => {
    if (data.kind === "kept") wait?.(data.problem);
    else if (data.over.length > 0) endedBy(data.over);
    else answering.value = data.origins;
  });
  return worker;
}

/** Somebody else kept it, or it was undone: what is on trial is asked here, unless here is nobody. */
function endedBy(origins: readonly string[]): void {
  if (origins.includes(location.origin)) return void loadTrial();
  if (answering.peek()?.includes(location.origin)) return;
  movedTo.value = origins[0] ?? null;
  trial.value = null;
}

/** Looks for the router under all of its addresses until the trial is over, where it may move. */
export function watchTrial(next: Kept): void {
  if (worker === null) return;
  sessionStorage.setItem(KEPT, JSON.stringify(next));
  movedTo.value = null;
  const origins = [location.origin, ...next.addresses.map(originOf)];
  post({ kind: "watch", origins: [...new Set(origins)], token: next.token });
  const stop = effect(() => {
    if (trial.value?.id === next.id) return;
    sessionStorage.removeItem(KEPT);
    answering.value = null;
    post({ kind: "rest" });
    queueMicrotask(() => stop());
  });
}

/** Goes on after a reload. */
export function resume(id: string): void {
  const known = kept();
  if (known === null || known.id !== id || worker !== null) return;
  start();
  watchTrial(known);
}

/** Keeps the change from the first address that answers. Answers what went wrong; empty for nothing. */
export async function keepThere(id: string): Promise<string> {
  const known = kept();
  const [origin] = answering.peek() ?? [];
  if (known?.id !== id || origin === undefined) return "The router does not answer.";
  const problem = await new Promise<string>((resolve) => {
    wait = resolve;
    post({ kind: "keep", origin, id, token: known.token });
  });
  if (problem === "") {
    trial.value = null;
    if (origin !== location.origin) movedTo.value = origin;
  }
  return problem;
}

function kept(): Kept | null {
  const text = sessionStorage.getItem(KEPT);
  return text === null ? null : JSON.parse(text);
}

function post(asked: Asked): void {
  start().postMessage(asked);
}

/** As this page is called, at another address. */
function originOf(address: string): string {
  const host = address.includes(":") ? `[${address}]` : address;
  return `${location.protocol}//${host}${location.port === "" ? "" : `:${location.port}`}`;
}
