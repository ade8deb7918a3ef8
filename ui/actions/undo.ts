import { call } from "../api/client.ts";
import { type Action, openPreview } from "./action.ts";
import { conflictOf } from "./conflict.ts";
import { ApiProblem, failureText, notResponding } from "../api/problem.ts";
import { confirmElsewhere, loadPendingConfirm, reachableOrigins } from "../state/store.ts";
import { say } from "../state/toast.ts";
import { t } from "../text/language.ts";

/** Previews the undo of a change. */
export function undoAction(id: string, summary: string): Action {
  return {
    title: t("Preview: revert"),
    subject: `“${summary}”`,
    sentence: t("is reverted. Settings return to what they were before it."),
    button: t("Revert change"),
    done: t("was reverted."),
    request: () => ({ method: "PUT", path: `/changes/${encodeURIComponent(id)}/undo` }),
  };
}

/** Previews restoring the configuration to a point of the history. */
export function restoreAction(id: string, summary: string): Action {
  return {
    title: t("Preview: revert to this point"),
    subject: t("All settings"),
    sentence: t(
      "return to what they were right after “{summary}”. All later changes are reverted.",
      { summary },
    ),
    button: t("Revert to this point"),
    danger: true,
    done: t("are as they were after “{summary}”.", { summary }),
    request: () => ({ method: "PUT", path: `/changes/${encodeURIComponent(id)}/restore` }),
  };
}

/** Undoes a change at once; shows the error if that fails. */
export async function undoNow(id: string, summary = t("The change")): Promise<void> {
  try {
    await call({ method: "PUT", path: `/changes/${encodeURIComponent(id)}/undo` });
    say({ text: t("Reverted.") });
    await loadPendingConfirm();
  } catch (error) {
    if (error instanceof ApiProblem && conflictOf(error) !== null) {
      openPreview(undoAction(id, summary));
    } else say({ text: failureText(error, (text) => t("Not reverted. {text}", { text })) });
  }
}

function sayNotConfirmed(error: unknown): void {
  say({ text: failureText(error, (text) => t("Not confirmed. {text}", { text })) });
}

/** Confirms the change. */
export async function confirmChange(id: string): Promise<void> {
  const there = reachableOrigins.peek();
  if (there !== null && !there.includes(location.origin)) {
    const confirm = confirmElsewhere.peek();
    const problem = confirm === null ? notResponding() : await confirm(id);
    if (problem !== null) sayNotConfirmed(problem);
    return;
  }
  try {
    await call({ method: "PUT", path: `/changes/${encodeURIComponent(id)}/confirm` });
    say({ text: t("Changes kept."), undo: id });
  } catch (error) {
    sayNotConfirmed(error);
  }
  await loadPendingConfirm();
}
