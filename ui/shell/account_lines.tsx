import type { VNode } from "preact";
import { LanguageChoice } from "../parts/form/language_choice.tsx";
import { Icon } from "../parts/show/icon.tsx";
import { Name } from "../parts/show/name.tsx";
import { role, signOut, user } from "../state/session.ts";
import { setTheme, type Theme, theme } from "../state/theme.ts";
import { t } from "../text/language.ts";
import { keysShown } from "./keys.tsx";
import "../styles/parts/menu.css";

const THEMES: readonly (readonly [Theme, string])[] = [
  ["system", t("System")],
  ["light", t("Light")],
  ["dark", t("Dark")],
];

/** What the account menu has: who is signed in, the colours, the language, and the way out. */
export function AccountLines({ onClose }: { onClose: () => void }): VNode {
  return (
    <>
      <p class="head">
        {t("Signed in as")}{" "}
        <b>
          <Name>{user.value}</Name>
        </b>
        {role.value !== null && role.value !== "admin" && ` (${role.value})`}
      </p>
      <hr />
      <fieldset>
        <legend>{t("Theme")}</legend>
        <div class="seg">
          {THEMES.map(([value, text]) => (
            <label key={value}>
              <input
                type="radio"
                name="theme"
                checked={theme.value === value}
                onChange={() => setTheme(value)}
              />
              {text}
            </label>
          ))}
        </div>
      </fieldset>
      <LanguageChoice />
      <hr />
      <a class="item" href="/admin/access" onClick={onClose}>
        <Icon name="key" />
        {t("Account and tokens")}
      </a>
      <button
        class="item"
        type="button"
        aria-keyshortcuts="?"
        onClick={() => {
          onClose();
          keysShown.value = true;
        }}
      >
        <Icon name="lines" />
        {t("Keyboard shortcuts")}
      </button>
      <button class="item" type="button" onClick={() => void signOut()}>
        <Icon name="out" />
        {t("Sign out")}
      </button>
    </>
  );
}
