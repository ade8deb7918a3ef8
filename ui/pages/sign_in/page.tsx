import type { VNode } from "preact";
import { useEffect } from "preact/hooks";
import { Fault } from "../../parts/form/fault.tsx";
import { LanguageChoice } from "../../parts/form/language_choice.tsx";
import { Icon } from "../../parts/show/icon.tsx";
import { SignInForm } from "./sign_in_form.tsx";
import { stage, start } from "../../state/session.ts";
import { t } from "../../text/language.ts";
import { rich } from "../../text/translate.ts";
import "../../styles/pages/sign_in.css";

const RETRY_INTERVAL_MS = 3000;

/** Sign-in: name and password, and a code where the account requires one. */
export function SignInPage(): VNode {
  const away = stage.value === "unreachable";
  useEffect(() => {
    document.title = t("Sign in · Sluice");
  }, []);
  useEffect(() => {
    if (!away) return;
    const timer = setInterval(() => void start(), RETRY_INTERVAL_MS);
    return () => clearInterval(timer);
  }, [away]);
  return (
    <div class="sign-in-page">
      <main id="main">
        <p class="brand">
          <Icon name="logo" />
          {t("Sluice")}
        </p>
        {away
          ? (
            <>
              <h1>{t("Connecting to the router")}</h1>
              <Fault warning title={t("The router is not responding.")}>
                {t("Trying again every 3 seconds.")}
              </Fault>
            </>
          )
          : (
            <>
              <h1>{t("Sign in")}</h1>
              <p class="s quiet">
                {rich(t("to {hostname}"), { hostname: <bdi>{location.hostname}</bdi> })}
              </p>
              <SignInForm
                codeFirst={stage.value === "code"}
                onDone={() => stage.value = "in"}
              />
            </>
          )}
        <LanguageChoice />
      </main>
    </div>
  );
}
