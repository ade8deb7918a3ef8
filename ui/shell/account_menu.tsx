import type { VNode } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { role, signOut, user } from "../state/session.ts";
import { setTheme, type Theme, theme } from "../state/theme.ts";
import { keysShown } from "./keys.tsx";
import { LanguageChoice } from "../parts/form/language_choice.tsx";
import { Icon } from "../parts/show/icon.tsx";
import { Name } from "../parts/show/name.tsx";
import { t } from "../text/language.ts";

const THEMES: readonly (readonly [Theme, string])[] = [
  ["system", t("System")],
  ["light", t("Light")],
  ["dark", t("Dark")],
];

/** Who is signed in, the colours, and the way out. */
export function AccountMenu(): VNode {
  const menu = useRef<HTMLDivElement>(null);
  const button = useRef<HTMLButtonElement>(null);
  useEffect(() => {
    const element = menu.current;
    const sync = () =>
      button.current?.setAttribute("aria-expanded", String(element?.matches(":popover-open")));
    element?.addEventListener("toggle", sync);
    return () => element?.removeEventListener("toggle", sync);
  }, []);
  const close = () => menu.current?.hidePopover();
  return (
    <>
      <button
        ref={button}
        class="account"
        type="button"
        aria-expanded="false"
        aria-controls="account-menu"
        onClick={() =>
          menu.current?.togglePopover({ source: button.current ?? undefined } as never)}
      >
        <Icon name="people" />
        <span class="vh">{t("Account:")}</span>
        <span class="t trunc">
          <Name>{user.value}</Name>
          {role.value === "read-only" && t(", read-only")}
        </span>
      </button>
      <div id="account-menu" class="menu" popover="auto" ref={menu}>
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
        <a class="item" href="/admin/access" onClick={close}>
          <Icon name="key" />
          {t("Account and tokens")}
        </a>
        <button
          class="item"
          type="button"
          aria-keyshortcuts="?"
          onClick={() => {
            close();
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
      </div>
    </>
  );
}
