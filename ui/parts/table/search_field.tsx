import type { VNode } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { t } from "../../text/language.ts";
import { Icon } from "../show/icon.tsx";

/** Characters of a search at most, as the API takes them. */
const MAX_LENGTH = 200;

/**
 * The field that searches a list. `/` goes to it from anywhere that is no field, Esc empties it, ↓ goes
 * to the first row.
 */
export function SearchField(
  { label, hint = t("Search"), text, onText }: {
    /** What is searched; a screen reader's name of the field. */
    label: string;
    /** What may be typed, in the empty field. */
    hint?: string;
    text: string;
    onText: (text: string) => void;
  },
): VNode {
  const field = useSlash();
  return (
    <div class="filter" role="search">
      <Icon name="search" />
      <input
        ref={field}
        type="search"
        aria-label={label}
        aria-keyshortcuts="/"
        placeholder={hint}
        dir="auto"
        maxLength={MAX_LENGTH}
        value={text}
        onInput={(event) => onText(event.currentTarget.value)}
        onKeyDown={(event) => {
          if (event.key === "Escape" && text !== "") onText("");
          const row = document.querySelector<HTMLElement>("[data-row]");
          if (event.key === "ArrowDown" && row !== null) {
            event.preventDefault();
            row.focus();
          }
        }}
      />
      <kbd>/</kbd>
    </div>
  );
}

function useSlash(): { current: HTMLInputElement | null } {
  const field = useRef<HTMLInputElement>(null);
  useEffect(() => {
    const listen = (event: KeyboardEvent): void => {
      const target = event.target as HTMLElement;
      if (event.key !== "/" || target.closest("input, textarea, select, dialog") !== null) return;
      event.preventDefault();
      field.current?.focus();
      field.current?.select();
    };
    addEventListener("keydown", listen);
    return () => removeEventListener("keydown", listen);
  }, []);
  return field;
}
