import type { Hit } from "../../shell/palette/commands.ts";
import { t } from "../../text/language.ts";
import type { ManualEntry } from "./manual.ts";

/** Letters from which sections of the manual are listed, and how many of them. */
const MIN_LETTERS = 3, MAX_HITS = 6;

const HELP_WORDS = t("help manual docs documentation").split(" ");

/**
 * Where typed words lead in the manual: to its pages after the word "help" alone, else to pages and
 * sections with all other words in their headings.
 */
export function manualHits(text: string, entries: readonly ManualEntry[]): readonly Hit[] {
  const typed = text.trim().toLowerCase().split(/\s+/);
  const words = typed.filter((word) => !HELP_WORDS.includes(word));
  const asked = words.length < typed.length;
  if (words.join("").length < MIN_LETTERS && !(asked && words.join("") === "")) return [];
  const has = (heading: string): boolean =>
    words.every((word) =>
      heading.toLowerCase().split(/[^\p{L}\p{N}]+/u)
        .some((one) => one.startsWith(word))
    );
  const found = entries.flatMap(({ id, title, sections }): readonly Hit[] => [
    ...(has(title) ? [hit(title, "", id)] : []),
    ...(words.length === 0 ? [] : sections.filter((section) => has(section.title))
      .map((section) => hit(section.title, title, `${id}#${section.id}`))),
  ]);
  return asked ? found : found.slice(0, MAX_HITS);
}

function hit(heading: string, page: string, at: string): Hit {
  return {
    kind: "Help",
    text: heading,
    note: page === "" ? t("Help") : t("Help: {page}", { page }),
    icon: "help",
    href: `/admin/help/${at}`,
  };
}
