import type { ComponentChildren, VNode } from "preact";
import { useId, useLayoutEffect, useRef } from "preact/hooks";
import { Waiting } from "../load/waiting.tsx";
import { Icon } from "../show/icon.tsx";
import { rememberFocus } from "./focus_return.ts";
import { useModal } from "./use_modal.ts";
import { t } from "../../text/language.ts";
import "../../styles/parts/dialog.css";

/** A modal box or drawer: focus goes to its title and back to the opener; Esc closes. */
export function Dialog(
  { title, note, kind, onClose, closeLabel = t("Close"), children, focusTitle = true }: {
    title: ComponentChildren;
    note?: ComponentChildren;
    kind: "box" | "drawer";
    onClose: () => void;
    closeLabel?: string;
    /** False where a field takes the focus itself. */
    focusTitle?: boolean;
    children: ComponentChildren;
  },
): VNode {
  const dialog = useRef<HTMLDialogElement>(null);
  const heading = useRef<HTMLHeadingElement>(null);
  const id = useId();
  useModal(id);
  useLayoutEffect(() => {
    const element = dialog.current;
    const giveFocusBack = rememberFocus();
    element?.showModal();
    if (focusTitle) heading.current?.focus();
    // A browser may close it without asking, when Esc is pressed twice; then it is closed here too.
    element?.addEventListener("close", onClose);
    return () => {
      element?.removeEventListener("close", onClose);
      element?.close();
      giveFocusBack();
    };
  }, []);
  return (
    <dialog
      ref={dialog}
      class={kind}
      aria-labelledby={id}
      onCancel={(event) => {
        // A person who chooses no file after all means the field alone.
        if (event.target !== dialog.current) return;
        event.preventDefault();
        onClose();
      }}
      onClick={(event) => event.target === dialog.current && onClose()}
    >
      <header>
        <div>
          <h2 id={id} ref={heading} tabIndex={-1}>{title}</h2>
          {note && <p class="s quiet">{note}</p>}
        </div>
        <button class="icon-btn" type="button" aria-label={closeLabel} onClick={onClose}>
          <Icon name="x" />
        </button>
      </header>
      {children}
      <Waiting modal={id} />
    </dialog>
  );
}
