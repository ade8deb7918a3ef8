import type { VNode } from "preact";
import { useEffect, useState } from "preact/hooks";
import { failureText } from "../../api/problem.ts";
import { say, type Toast, toast } from "../../state/toast.ts";
import { t } from "../../text/language.ts";
import { loadOnPress } from "../load/lazy.tsx";
import { Icon } from "../show/icon.tsx";
import { Name } from "../show/name.tsx";

const TOAST_DURATION_MS = 10_000;

/** Undoes a change; what that takes comes when it is asked for. */
async function undo(id: string, subject?: string): Promise<void> {
  try {
    const { undoNow } = await loadOnPress(() => import("../../actions/undo.ts"));
    await undoNow(id, subject);
  } catch (error) {
    say({ text: failureText(error, (text) => t("Not reverted. {text}", { text })) });
  }
}

/** What a toast says, with Undo where there is one; it goes by itself unless it is held. */
export function ToastBox({ current }: { current: Toast }): VNode {
  const [held, setHeld] = useState(false);
  useEffect(() => {
    if (held) return;
    const timer = setTimeout(() => toast.value = null, TOAST_DURATION_MS);
    return () => clearTimeout(timer);
  }, [current, held]);
  return (
    <div
      class="toast"
      onMouseEnter={() => setHeld(true)}
      onMouseLeave={() => setHeld(false)}
      onFocusIn={() => setHeld(true)}
      onFocusOut={() => setHeld(false)}
    >
      <span class="clamp">
        {current.subject && <Name>{current.subject}</Name>} {current.text}
      </span>
      <span class="row">
        {(current.undo || current.onUndo) && (
          <button
            class="btn"
            type="button"
            onClick={() => {
              toast.value = null;
              setHeld(false);
              if (current.undo) void undo(current.undo, current.subject);
              else current.onUndo?.();
            }}
          >
            <Icon name="undo" small />
            {t("Undo")}
          </button>
        )}
        <button
          class="icon-btn"
          type="button"
          aria-label={t("Dismiss")}
          onClick={() => {
            toast.value = null;
            setHeld(false);
          }}
        >
          <Icon name="x" small />
        </button>
      </span>
    </div>
  );
}
