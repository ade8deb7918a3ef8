import { signal } from "@preact/signals";
import type { Answer, Request } from "../api/client.ts";
import type { ApiProblem } from "../api/problem.ts";
import type { Preview } from "../wire.ts";
import type { Conflict } from "./conflict.ts";

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

/** The open preview; null when there is none. */
export const openedPreview = signal<OpenedPreview | null>(null);

/** Shows what a change would do, which the drawer loads; nothing is applied before that is confirmed. */
export function openPreview(action: Action): void {
  showPreview(action, {});
}

/** Opens the drawer with what is known of the preview already. */
export function showPreview(action: Action, part: Partial<OpenedPreview>): void {
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
