import type { ComponentChildren, VNode } from "preact";
import type { FormState } from "./use_form.ts";
import { SubmitButton } from "./form.tsx";
import { t } from "../../text/language.ts";

/** The footer of a drawer with a form: submit, further actions, cancel. */
export function FormFooter(
  { write, form, text, onClose, children }: {
    write: FormState;
    /** Id of the form. */
    form: string;
    /** What the button does: `Preview this list`. */
    text: string;
    /** Where there is a way back beside the cross. */
    onClose?: (() => void) | undefined;
    children?: ComponentChildren;
  },
): VNode {
  return (
    <footer>
      <div class="row">
        <SubmitButton write={write} form={form} class="btn primary grow">{text}</SubmitButton>
        {children}
        {onClose && <button class="btn" type="button" onClick={onClose}>{t("Cancel")}</button>}
      </div>
    </footer>
  );
}
