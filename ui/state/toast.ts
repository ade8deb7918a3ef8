import { signal } from "@preact/signals";

/** What happened, said once at the bottom of the page. */
export interface Toast {
  readonly subject?: string;
  readonly text: string;
  /** Change that "Undo" takes back. */
  readonly undo?: string | null;
  /** Undoes what is no change. */
  readonly onUndo?: () => void;
}

/** The one toast that shows; a new one takes its place. */
export const toast = signal<Toast | null>(null);

/** Says something politely to screen readers without showing it. */
export const announcement = signal("");

export function say(next: Toast): void {
  toast.value = next;
}
