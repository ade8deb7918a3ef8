import type { VNode } from "preact";
import { Icon } from "../../parts/show/icon.tsx";
import { culprits, type Facet, inFacet, parseFilter } from "./filter.ts";
import type { Entry } from "./columns.tsx";
import { t } from "../../text/language.ts";

/** A filter that finds nothing, and which part of it to drop. */
export function NothingFound(
  { entries, text, facet, onGo }: {
    entries: readonly Entry[];
    text: string;
    facet: Facet;
    onGo: (next: { q?: string; show?: Facet }) => void;
  },
): VNode {
  const terms = parseFilter(text);
  const inside = entries.filter(([, device]) => inFacet(device, facet));
  const drop = culprits(terms, inside);
  return (
    <div class="empty">
      <Icon name="search" />
      <h2>{t("No matches")}</h2>
      {facet !== "all" && (
        <button
          class="btn small"
          type="button"
          onClick={() => onGo({ show: "all" })}
        >
          {t("Search all devices")}
        </button>
      )}
      {drop.map((term) => (
        <button
          key={term.text}
          class="btn small"
          type="button"
          onClick={() =>
            onGo({ q: terms.filter((other) => other !== term).map(({ text }) => text).join(" ") })}
        >
          {t("Remove “{term}”", { term: term.text })}
        </button>
      ))}
      {text !== "" && (
        <button class="btn small" type="button" onClick={() => onGo({ q: "" })}>
          {t("Clear filters")}
        </button>
      )}
    </div>
  );
}
