import { useLayoutEffect } from "preact/hooks";
import { modals } from "../load/waiting.tsx";

/** Has what waits be said inside this modal dialog: a screen reader finds nothing outside of it. */
export function useModal(id: string): void {
  useLayoutEffect(() => {
    modals.value = [...modals.peek(), id];
    return () => {
      modals.value = modals.peek().filter((other) => other !== id);
    };
  }, [id]);
}
