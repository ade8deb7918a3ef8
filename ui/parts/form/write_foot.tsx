import type { ComponentChildren, VNode } from "preact";
import type { Write } from "./use_write.ts";
import { WriteButton } from "./write_form.tsx";

/** The foot of a drawer with a form: the button that sends it, what else there is, and the way back. */
export function WriteFoot(
  { write, form, words, onClose, children }: {
    write: Write;
    /** Id of the form. */
    form: string;
    /** What the button does: `Preview this list`. */
    words: string;
    /** Where there is a way back beside the cross. */
    onClose?: (() => void) | undefined;
    children?: ComponentChildren;
  },
): VNode {
  return (
    <footer>
      <div class="row">
        <WriteButton write={write} form={form} class="btn primary grow">{words}</WriteButton>
        {children}
        {onClose && <button class="btn" type="button" onClick={onClose}>Back</button>}
      </div>
    </footer>
  );
}
