import type { VNode } from "preact";
import { useId } from "preact/hooks";
import {
  chooseLanguage,
  chosenLanguage,
  type Language,
  LANGUAGES,
  t,
} from "../../text/language.ts";

/** Chooses the language of the pages; each is listed by its own name. */
export function LanguageChoice(): VNode {
  const id = useId();
  return (
    <div class="language-choice">
      <label for={id}>{t("Language")}</label>
      <select
        id={id}
        class="select"
        value={chosenLanguage() ?? ""}
        onChange={({ currentTarget: { value } }) =>
          chooseLanguage(value === "" ? null : value as Language)}
      >
        <option value="">{t("Automatic")}</option>
        {Object.entries(LANGUAGES).map(([code, { name }]) => (
          <option key={code} value={code} lang={code}>{name}</option>
        ))}
      </select>
    </div>
  );
}
