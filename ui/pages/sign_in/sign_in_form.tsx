import type { VNode } from "preact";
import { useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { ApiProblem, textOf } from "../../api/problem.ts";
import { passkeysWork } from "../../api/passkey.ts";
import { signInNote, user } from "../../state/session.ts";
import { proveByPasskey, proveOtp, signIn, signInByPasskey } from "../../state/sign_in.ts";
import { Fault } from "../../parts/form/fault.tsx";
import { Field } from "../../parts/form/field.tsx";
import { clockOffset, codeRefusal, WrongClock } from "./wrong_clock.tsx";
import { t } from "../../text/language.ts";
import "../../styles/parts/form.css";

/** Name and password, then a code where the account requires one; `onDone` once verified. */
export function SignInForm(
  { onDone, codeFirst, fixedName }: {
    onDone: () => void;
    codeFirst?: boolean;
    fixedName?: string;
  },
): VNode {
  const name = useSignal(fixedName ?? "");
  const password = useSignal("");
  const code = useSignal("");
  const step = useSignal<"password" | "code">(codeFirst ? "code" : "password");
  const problem = useSignal<string | null>(null);
  /** Seconds by which the router's clock is wrong; null: it is not known to be. */
  const off = useSignal<number | null>(null);
  const note = useSignal("");
  const busy = useSignal(false);
  const form = useRef<HTMLFormElement>(null);

  useEffect(() => {
    note.value = signInNote.peek();
    signInNote.value = "";
  }, []);
  useEffect(() => {
    const empty = [...form.current?.querySelectorAll("input") ?? []].find((input) => !input.value);
    empty?.focus();
  }, [step.value]);

  async function submit(event: Event): Promise<void> {
    event.preventDefault();
    if (busy.value) return;
    busy.value = true;
    problem.value = off.value = null;
    note.value = "";
    try {
      if (step.value === "password") {
        const next = await signIn(name.value.trim(), password.value);
        if (next === "code") step.value = "code";
        else onDone();
      } else {
        await proveOtp(code.value.replace(/\s/g, ""));
        onDone();
      }
    } catch (error) {
      problem.value = refusal(error, step.value);
      off.value = clockOffset(error);
      form.current?.querySelector<HTMLInputElement>("input:last-of-type")?.select();
    } finally {
      busy.value = false;
    }
  }

  function clockSet(): void {
    problem.value = off.value = null;
    code.value = "";
    note.value = t("The clock is set. Enter the next code.");
    form.current?.querySelector("input")?.focus();
  }

  async function byPasskey(): Promise<void> {
    if (busy.value) return;
    busy.value = true;
    problem.value = null;
    try {
      await (step.value === "password" ? signInByPasskey() : proveByPasskey());
      onDone();
    } catch (error) {
      problem.value = textOf(error);
    } finally {
      busy.value = false;
    }
  }

  return (
    <form class="form" ref={form} onSubmit={(event) => void submit(event)}>
      {problem.value && <Fault title={problem.value} />}
      {off.value !== null && <WrongClock off={off.value} onSet={clockSet} />}
      {note.value && <p class="s" role="status">{note.value}</p>}
      {step.value === "password"
        ? (
          <>
            <Field
              label={t("Name")}
              name="username"
              autocomplete="username"
              required
              readOnly={fixedName !== undefined && fixedName !== ""}
              value={name.value}
              onValue={(value) => name.value = value}
            />
            <Field
              label={t("Password")}
              secret
              name="password"
              autocomplete="current-password"
              required
              value={password.value}
              onValue={(value) => password.value = value}
            />
          </>
        )
        : (
          <>
            <p class="s soft">
              {t("Enter the code from your authenticator app.")}
            </p>
            <CodeField value={code.value} onValue={(value) => code.value = value} />
          </>
        )}
      <button class="btn primary" type="submit" disabled={busy.value}>
        {step.value === "password" ? t("Sign in") : t("Verify")}
      </button>
      {passkeysWork() && (
        <button
          class="btn"
          type="button"
          disabled={busy.value}
          onClick={() => void byPasskey()}
        >
          {t("Use a passkey")}
        </button>
      )}
      {step.value === "code" && (
        <button
          class="btn text"
          type="button"
          onClick={() => {
            step.value = "password";
            name.value = user.value;
          }}
        >
          {t("Use another account")}
        </button>
      )}
    </form>
  );
}

/** Six digits of an authenticator app, or a recovery code where one is accepted. */
export function CodeField(
  { value, onValue, problem, appOnly }: {
    value: string;
    onValue: (value: string) => void;
    problem?: string | null;
    /** Takes no recovery code: the app is being set up. */
    appOnly?: boolean;
  },
): VNode {
  const recovery = useSignal(false);
  return (
    <>
      {recovery.value
        ? (
          <Field
            key="recovery"
            label={t("Recovery code")}
            class="code"
            autocomplete="off"
            maxLength={32}
            required
            help={t("One of the codes that you saved. It works once")}
            problem={problem ?? null}
            value={value}
            onValue={onValue}
          />
        )
        : (
          <Field
            key="app"
            label={t("Code")}
            class="code"
            name="one-time-code"
            autocomplete="one-time-code"
            inputMode="numeric"
            pattern="[0-9 ]{6,7}"
            maxLength={7}
            required
            help={t("6 digits from your authenticator app")}
            problem={problem ?? null}
            value={value}
            onValue={onValue}
          />
        )}
      {!appOnly && (
        <button
          class="btn text"
          type="button"
          onClick={() => {
            recovery.value = !recovery.value;
            onValue("");
          }}
        >
          {recovery.value ? t("Use the authenticator app") : t("Use a recovery code")}
        </button>
      )}
    </>
  );
}

function refusal(error: unknown, step: "password" | "code"): string {
  if (!(error instanceof ApiProblem)) return textOf(error);
  if (step === "password" && error.status === 401) {
    return t("Wrong user name or password");
  }
  return codeRefusal(error);
}
