import type { VNode } from "preact";
import { useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { call } from "../api/client.ts";
import { textOf } from "../api/problem.ts";
import { passkeysWork } from "../api/passkey.ts";
import { reauthPrompt, settleReauth, user } from "../state/session.ts";
import { proveByPasskey, proveOtp } from "../state/sign_in.ts";
import type { OtpStatus } from "../wire.ts";
import { Dialog } from "../parts/overlay/dialog.tsx";
import { CodeField, SignInForm } from "../pages/sign_in/sign_in_form.tsx";
import { clockOffset, codeRefusal, WrongClock } from "../pages/sign_in/wrong_clock.tsx";
import { t } from "../text/language.ts";

/** Asks to sign in again or for a code, over the page, which keeps what was typed. */
export function ReauthDialog(): VNode | null {
  switch (reauthPrompt.value) {
    case "signIn":
      return (
        <Dialog
          kind="box"
          title={t("Sign in again")}
          note={t("Your session has expired. Nothing on this page is lost.")}
          focusTitle={false}
          onClose={() => settleReauth(false)}
        >
          <div class="inner">
            <SignInForm fixedName={user.value} onDone={() => settleReauth(true)} />
          </div>
        </Dialog>
      );
    case "otp":
      return <OtpDialog />;
    default:
      return null;
  }
}

function OtpDialog(): VNode {
  const code = useSignal("");
  const problem = useSignal<string | null>(null);
  /** Seconds by which the router's clock is wrong; null: it is not known to be. */
  const off = useSignal<number | null>(null);
  const enrolled = useSignal(true);
  const form = useRef<HTMLFormElement>(null);

  useEffect(() => {
    form.current?.querySelector("input")?.focus();
    call<OtpStatus>({ path: "/otp_status", query: { name: user.value }, quiet: true })
      .then(({ body }) => enrolled.value = body.State === "registered")
      .catch(textOf);
  }, []);

  async function submit(event: Event): Promise<void> {
    event.preventDefault();
    try {
      await proveOtp(code.value.replace(/\s/g, ""));
      settleReauth(true);
    } catch (error) {
      problem.value = codeRefusal(error);
      off.value = clockOffset(error);
      form.current?.querySelector("input")?.select();
    }
  }

  function clockSet(): void {
    off.value = null;
    code.value = "";
    problem.value = t("The clock is set. Enter the next code.");
    form.current?.querySelector("input")?.focus();
  }

  return (
    <Dialog
      kind="box"
      title={t("Verify")}
      note={t("Enter the code from your authenticator app.")}
      focusTitle={false}
      onClose={() => settleReauth(false)}
    >
      <form class="inner form" ref={form} onSubmit={(event) => void submit(event)}>
        {enrolled.value
          ? (
            <>
              <CodeField
                value={code.value}
                problem={problem.value}
                onValue={(value) => code.value = value}
              />
              <button class="btn primary" type="submit">{t("Verify")}</button>
              {off.value !== null && <WrongClock off={off.value} onSet={clockSet} />}
              <Passkey />
            </>
          )
          : (
            <>
              <p class="s">
                {t(
                  "This account has no second factor yet. Set one up under Account and tokens, then try again.",
                )}
              </p>
              <a class="btn primary" href="/admin/access" onClick={() => settleReauth(false)}>
                {t("Set up")}
              </a>
              <Passkey />
            </>
          )}
      </form>
    </Dialog>
  );
}

/** The proof by a passkey, where this page can use one. */
function Passkey(): VNode | null {
  const problem = useSignal<string | null>(null);
  if (!passkeysWork()) return null;
  async function prove(): Promise<void> {
    try {
      await proveByPasskey();
      settleReauth(true);
    } catch (error) {
      problem.value = textOf(error);
    }
  }
  return (
    <>
      <button class="btn" type="button" onClick={() => void prove()}>{t("Use a passkey")}</button>
      {problem.value && <p class="problem" role="alert">{problem.value}</p>}
    </>
  );
}
