import type { Series } from "../../../parts/chart/series.ts";
import type { LogState } from "../wire.ts";
import { t } from "../../../text/language.ts";

/** The facets, each with the verdicts that it means. */
export const FACETS: readonly {
  readonly name: string;
  readonly word: string;
  readonly verdicts: readonly string[];
}[] = [
  { name: "all", word: t("All"), verdicts: [] },
  { name: "blocked", word: t("Blocked"), verdicts: ["block", "rebind", "quarantine", "refused"] },
  { name: "decided", word: t("Custom"), verdicts: ["permit", "rewrite"] },
  { name: "home", word: t("Local"), verdicts: ["local"] },
];

/** How many queries a facet holds, by the counts of a day. */
export function facetCount(facet: string, counts: Readonly<Record<string, number>>): number {
  const wanted = FACETS.find(({ name }) => name === facet)?.verdicts ?? [];
  return Object.entries(counts)
    .filter(([verdict]) => wanted.length === 0 || wanted.includes(verdict))
    .reduce((sum, [, count]) => sum + count, 0);
}

/** Queries by period and by what became of them; every query counts once. */
export function queriesOverTime(day: Pick<LogState, "series">): readonly Series[] {
  const values = (of: (counts: LogState["counts"]) => number): Series["values"] =>
    day.series.map(({ counts }) => of(counts));
  return [
    {
      word: t("Answered"),
      values: values((counts) =>
        facetCount("all", counts) - facetCount("blocked", counts) - facetCount("decided", counts)
      ),
    },
    { word: t("Custom"), values: values((counts) => facetCount("decided", counts)) },
    { word: t("Blocked"), values: values((counts) => facetCount("blocked", counts)) },
  ];
}
