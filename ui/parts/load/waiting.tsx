import type { VNode } from "preact";
import { signal } from "@preact/signals";
import { useLayoutEffect } from "preact/hooks";
import { slowRequests } from "../../api/waiting.ts";
import { lazyPart } from "./lazy.tsx";

const Bar = lazyPart(async () => (await import("./waiting_bar.tsx")).WaitingBar);

/** Ids of the modal dialogs that are open, the topmost last. */
const modals = signal<readonly string[]>([]);

/** Has what waits be said inside this modal dialog: a screen reader finds nothing outside of it. */
export function useModal(id: string): void {
  useLayoutEffect(() => {
    modals.value = [...modals.peek(), id];
    return () => {
      modals.value = modals.peek().filter((other) => other !== id);
    };
  }, [id]);
}

/**
 * Says that the router is at work while a request of a person's takes longer than two seconds. Each
 * modal dialog has one; the page has one for the time when none is open.
 */
export function Waiting({ modal }: { modal?: string }): VNode {
  const isShown = slowRequests.value > 0 && modals.value.at(-1) === modal;
  return <div class="waits" role="status">{isShown && <Bar />}</div>;
}
