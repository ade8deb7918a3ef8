import type { VNode } from "preact";
import { signal } from "@preact/signals";
import { slowRequests } from "../../api/waiting.ts";
import { lazyPart } from "./lazy.tsx";

const Bar = lazyPart(async () => (await import("./waiting_bar.tsx")).WaitingBar);

/** Ids of the modal dialogs that are open, the topmost last. */
export const modals = signal<readonly string[]>([]);

/**
 * Says that the router is at work while a request of a person's takes longer than two seconds. Each
 * modal dialog has one; the page has one for the time when none is open.
 */
export function Waiting({ modal }: { modal?: string }): VNode {
  const isShown = slowRequests.value > 0 && modals.value.at(-1) === modal;
  return <div class="waits" role="status">{isShown && <Bar />}</div>;
}
