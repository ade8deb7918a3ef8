import type { VNode } from "preact";
import { failureText } from "../../api/problem.ts";
import { say } from "../../state/toast.ts";
import { Icon } from "./icon.tsx";
import { t } from "../../text/language.ts";

/** Copies a text, where the browser lets a page do so (on HTTPS and loopback). */
export function Copy({ text, what }: { text: string; what: string }): VNode | null {
  if (navigator.clipboard === undefined) return null;
  return (
    <button
      class="icon-btn"
      type="button"
      aria-label={t("Copy {what}", { what })}
      title={t("Copy {what}", { what })}
      onClick={() =>
        void navigator.clipboard.writeText(text).then(
          () => say({ text: t("Copied.") }),
          (error) => say({ text: failureText(error, (text) => t("Not copied. {text}", { text })) }),
        )}
    >
      <Icon name="copy" />
    </button>
  );
}
