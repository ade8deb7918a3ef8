import type { ComponentChildren, VNode } from "preact";
import { Fault } from "./fault.tsx";
import { WriteFault } from "./write_fault.tsx";
import type { Draft } from "./use_draft.ts";
import type { FormState } from "./use_form.ts";
import { t } from "../../text/language.ts";

/**
 * A form that writes: what is wrong beside its fields stands above them, and so does that somebody
 * else was faster, with the two ways on from there.
 */
export function Form(
  { write, failed, id, class: extra = "form", draft, onReload = draft?.discard, children }: {
    write: FormState;
    /** What did not happen, when it did not: `The group was not made.` */
    failed: string;
    /** For a button outside of it. */
    id?: string;
    class?: string;
    /** Its fields, where it says as soon as someone else changed what they were filled from. */
    draft?: Pick<Draft<unknown>, "isOutdated" | "discard">;
    /** Fills the form with the present values; without it the page shows them by itself. */
    onReload?: () => void;
    children: ComponentChildren;
  },
): VNode {
  return (
    <form
      class={extra}
      id={id}
      ref={write.form}
      noValidate
      aria-busy={write.busy}
      onSubmit={(event) => void write.submit(event)}
    >
      {(write.outdated || draft?.isOutdated) && (
        <Fault warning focusable title={t("Changed by someone else.")}>
          {t("Your input is kept, and nothing was saved.")}
          <div class="row wrap">
            {onReload && (
              <button
                class="btn small"
                type="button"
                onClick={() => {
                  write.clear();
                  onReload();
                }}
              >
                {t("Load current values")}
              </button>
            )}
            {write.outdated && (
              <button
                class="btn small"
                type="button"
                onClick={() => void write.overwrite()}
              >
                {t("Overwrite")}
              </button>
            )}
          </div>
        </Fault>
      )}
      {write.message !== null && (
        <WriteFault focusable failed={failed} error={write.problem}>{write.message}</WriteFault>
      )}
      {children}
      <span class="vh" role="status">{write.busy ? t("Saving") : ""}</span>
    </form>
  );
}

/** The button that sends a form; it waits, and keeps the focus, while the form is on its way. */
export function SubmitButton(
  { write, form, class: extra = "btn primary", value, children }: {
    write: FormState;
    /** Id of the form where the button stands outside of it. */
    form?: string;
    class?: string;
    /** What `submitter.value` says, where a form has two. */
    value?: string;
    children: ComponentChildren;
  },
): VNode {
  return (
    <button class={extra} type="submit" form={form} value={value} aria-disabled={write.busy}>
      {children}
    </button>
  );
}
