import type { ComponentChildren, VNode } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { numberText } from "../../text/format.ts";
import { Icon } from "../show/icon.tsx";
import { t } from "../../text/language.ts";

/** One way to narrow a list to a part of it, with how many that are. */
export interface Facet {
  readonly name: string;
  readonly word: string;
  /** Null where it is not known. */
  readonly number: number | null;
  /** It is about what waits for a person. */
  readonly warning?: boolean;
}

/**
 * The field that narrows a list by words, and its facets. `/` goes to the field from anywhere that is
 * no field, Esc empties it, ↓ goes to the first row.
 */
export function FilterBar(
  { label, hint, text, onText, facets = [], chosen, onFacet, children }: {
    label: string;
    /** What may be typed, in the empty field. */
    hint: string;
    text: string;
    onText: (text: string) => void;
    facets?: readonly Facet[];
    /** Name of the chosen facet. */
    chosen?: string;
    onFacet?: (name: string) => void;
    /** What stands at the end of the bar. */
    children?: ComponentChildren;
  },
): VNode {
  const field = useSlash();
  return (
    <div class="tools">
      <div class="filter" role="search">
        <Icon name="search" />
        <input
          ref={field}
          type="search"
          aria-label={label}
          aria-keyshortcuts="/"
          placeholder={hint}
          dir="auto"
          value={text}
          onInput={(event) => onText(event.currentTarget.value)}
          onKeyDown={(event) => {
            if (event.key === "Escape" && text !== "") onText("");
            if (event.key === "ArrowDown") {
              event.preventDefault();
              document.querySelector<HTMLElement>("[data-row]")?.focus();
            }
          }}
        />
        <kbd>/</kbd>
      </div>
      {facets.length > 0 && (
        <div class="facets wrap" role="group" aria-label={t("Show")}>
          {facets.map(({ name, word, number, warning }) => (
            <button
              key={name}
              type="button"
              class={warning ? "warning" : ""}
              aria-pressed={chosen === name}
              onClick={() => onFacet?.(name)}
            >
              {word} {number !== null && <b>{numberText(number)}</b>}
            </button>
          ))}
        </div>
      )}
      {children}
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

/** True where a text has each of the words that are looked for, in any order and case. */
export function hasText(text: string, wanted: string): boolean {
  const all = text.toLowerCase();
  return wanted.trim().toLowerCase().split(/\s+/).every((word) => all.includes(word));
}
