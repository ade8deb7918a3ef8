import type { VNode } from "preact";
import { useEffect, useLayoutEffect } from "preact/hooks";
import { openPreview } from "../../../actions/action.ts";
import { applyHarmless } from "../../../actions/apply.ts";
import { textOf } from "../../../api/problem.ts";
import { say } from "../../../state/toast.ts";
import type { Device } from "../../../wire.ts";
import { appliesAtOnce, staged, stagedAction, stagedOf, stagedText } from "./staged.ts";
import { t, tn } from "../../../text/language.ts";

/** What was edited and is not applied yet, at the foot of the page until it is reviewed or discarded. */
export function StagedBar(
  { identity, device }: { identity: string; device: Device },
): VNode | null {
  const edits = stagedOf(identity, device);
  const text = edits === null ? "" : stagedText(edits).join(", ");
  useEffect(() => {
    if (edits === null || !appliesAtOnce.peek()) return;
    // What takes access from somebody stays for a review.
    applyHarmless(stagedAction(edits)).catch((error) => say({ text: textOf(error) }));
  }, [text]);
  useLayoutEffect(() => {
    const listen = (event: KeyboardEvent): void => {
      const edits = stagedOf(identity, device);
      if (edits === null || event.key !== "Enter" || !(event.ctrlKey || event.metaKey)) return;
      if (document.querySelector("dialog[open]") !== null) return;
      event.preventDefault();
      openPreview(stagedAction(edits));
    };
    addEventListener("keydown", listen);
    return () => removeEventListener("keydown", listen);
  }, [identity, device]);
  if (edits === null) return null;
  const amount = tn("{count} change", "{count} changes", edits.switches.size + edits.groups.size);
  return (
    <section class="staged" aria-label={t("Changes that are not applied")}>
      <p class="grow" role="status">
        <b>{t("Not applied yet:")}</b> {text}
      </p>
      <button class="btn" type="button" onClick={() => staged.value = null}>{t("Discard")}</button>
      <button
        class="btn primary"
        type="button"
        aria-keyshortcuts="Control+Enter"
        onClick={() => openPreview(stagedAction(edits))}
      >
        {t("Review {amount}", { amount })}
      </button>
    </section>
  );
}
