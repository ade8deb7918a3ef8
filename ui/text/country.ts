import { locale, t } from "./language.ts";

/** A country for people; its code where it has no name. */
export function countryText(code: string): string {
  if (code === "") return t("Unknown country");
  try {
    return new Intl.DisplayNames(locale, { type: "region" }).of(code) ?? code;
  } catch {
    return code;
  }
}
