import { locale } from "../../text/language.ts";

/** A country by its code, in the language of the page. */
function countryName(code: string): string {
  try {
    const name = new Intl.DisplayNames(locale, { type: "region" }).of(code);
    return name === undefined || name === code ? code : `${name} (${code})`;
  } catch {
    return code;
  }
}

/** Countries as options, by their names; one that is chosen already is among them. */
export function countryOptions(
  known: readonly string[],
  chosen: string,
): readonly (readonly [string, string])[] {
  const all = known.includes(chosen) ? known : [chosen, ...known];
  return all.map((code) => [code, countryName(code)] as const)
    .toSorted(([, one], [, other]) => one.localeCompare(other));
}

/** The country that a browser's language names, as `DE` of `de-DE`; "" where it names none. */
export function countryOfBrowser(languages: readonly string[]): string {
  for (const language of languages) {
    try {
      const { region } = new Intl.Locale(language);
      if (/^[A-Z]{2}$/.test(region ?? "")) return region!;
    } catch {
      // Not every browser's languages are well-formed.
    }
  }
  return "";
}
