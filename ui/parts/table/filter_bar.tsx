import type { ComponentChildren, VNode } from "preact";
import { numberText } from "../../text/format.ts";
import { t } from "../../text/language.ts";
import { SearchField } from "./search_field.tsx";

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
 * The field that narrows a list by words, and its facets.
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
  return (
    <div class="tools">
      <SearchField label={label} hint={hint} text={text} onText={onText} />
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

/** True where a text has each of the words that are looked for, in any order and case. */
export function hasText(text: string, wanted: string): boolean {
  const all = text.toLowerCase();
  return wanted.trim().toLowerCase().split(/\s+/).every((word) => all.includes(word));
}
