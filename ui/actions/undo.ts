import { call } from "../api/client.ts";
import { type Action, openPreview } from "./action.ts";
import { conflictOf } from "./conflict.ts";
import { ApiProblem, wordsOf } from "../api/problem.ts";
import { loadPendingConfirm, reachableOrigins } from "../state/store.ts";
import { say } from "../state/toast.ts";

/** The preview of taking a change back. */
export function undoAction(id: string, summary: string): Action {
  return {
    title: "Preview: undo",
    subject: `“${summary}”`,
    sentence: "is taken back. What was true before it is true again.",
    button: "Undo this change",
    done: "is undone.",
    request: () => ({ method: "PUT", path: `/changes/${encodeURIComponent(id)}/undo` }),
  };
}

/** The preview of bringing everything back to what it was right after a change. */
export function restoreAction(id: string, summary: string): Action {
  return {
    title: "Preview: restore",
    subject: "Everything",
    sentence: `is again what it was right after “${summary}”. All later changes are taken back.`,
    button: "Restore to this point",
    danger: true,
    done: `is as it was after “${summary}”.`,
    request: () => ({ method: "PUT", path: `/changes/${encodeURIComponent(id)}/restore` }),
  };
}

/** Takes a change back at once; shows why when it cannot. */
export async function undoNow(id: string, summary = "The change"): Promise<void> {
  try {
    await call({ method: "PUT", path: `/changes/${encodeURIComponent(id)}/undo` });
    say({ text: "Undone. What was true before is true again." });
    await loadPendingConfirm();
  } catch (error) {
    if (error instanceof ApiProblem && conflictOf(error) !== null) {
      openPreview(undoAction(id, summary));
    } else say({ text: `Not undone. ${wordsOf(error)}` });
  }
}

/** Ends the trial by keeping the change. */
export async function confirmChange(id: string): Promise<void> {
  const there = reachableOrigins.peek();
  if (there !== null && !there.includes(location.origin)) {
    const { confirmRemotely: keepThere } = await import("./remote_confirm.ts");
    const problem = await keepThere(id);
    if (problem !== "") say({ text: `Not kept. ${problem}` });
    return;
  }
  try {
    await call({ method: "PUT", path: `/changes/${encodeURIComponent(id)}/confirm` });
    say({ text: "Kept. It stays as it is.", undo: id });
  } catch (error) {
    say({ text: `Not kept. ${wordsOf(error)}` });
  }
  await loadPendingConfirm();
}
