import type { VNode } from "preact";
import { useSignal } from "@preact/signals";
import { useEffect, useState } from "preact/hooks";
import { call, put, setOtpToken } from "../../api/client.ts";
import { Fault } from "../../parts/form/fault.tsx";
import { Loading } from "../../parts/load/loading.tsx";
import { CodeField } from "../sign_in/sign_in_form.tsx";
import { ApiProblem, textOf } from "../../api/problem.ts";
import { Field } from "../../parts/form/field.tsx";
import { Copy } from "../../parts/show/copy.tsx";
import { user } from "../../state/session.ts";
import { say } from "../../state/toast.ts";
import type { OtpStatus } from "../../wire.ts";
import { Qr } from "../../parts/show/qr.tsx";
import { t, tn } from "../../text/language.ts";

interface Registered {
  readonly OTPUsers: readonly { readonly Name: string; readonly Secret: string }[];
}

/** The authenticator app and its recovery codes: set up, ask always, replace, turn off. */
export function SecondFactorPanel(): VNode {
  const [status, setStatus] = useState<OtpStatus | null>(null);
  const [problem, setProblem] = useState<string | null>(null);
  const [secret, setSecret] = useState<string | null>(null);
  const [codes, setCodes] = useState<readonly string[] | null>(null);

  async function load(): Promise<void> {
    try {
      setStatus((await call<OtpStatus>({ path: "/otp_status", query: { name: user.value } })).body);
    } catch (error) {
      setProblem(textOf(error));
    }
  }
  useEffect(() => void load(), []);

  async function register(code: string): Promise<void> {
    setProblem(null);
    setCodes(null);
    try {
      const { body } = await put<Registered>("/otp_register", { Name: user.value, Code: code });
      setSecret(body.OTPUsers.find((entry) => entry.Name === user.value)?.Secret ?? null);
    } catch (error) {
      setProblem(textOf(error));
    }
  }

  async function validate(code: string, alwaysOn?: boolean): Promise<void> {
    setProblem(null);
    const always = alwaysOn === undefined ? {} : { UpdateAlwaysOn: true, AlwaysOn: alwaysOn };
    try {
      const { body } = await put<string>("/otp_validate", {
        Name: user.value,
        Code: code,
        ...always,
      });
      setOtpToken(body);
      if (secret !== null) await makeCodes("");
      setSecret(null);
      say({
        text: alwaysOn === undefined
          ? t("Second factor set up.")
          : alwaysOn
          ? t("A code is now required at every sign-in.")
          : t("A code is now required for sensitive actions only."),
      });
      await load();
    } catch (error) {
      setProblem(textOf(error));
    }
  }

  async function makeCodes(code: string): Promise<void> {
    setProblem(null);
    try {
      const { body } = await put<{ readonly Codes: readonly string[] }>("/otp_recovery", {
        Name: user.value,
        Code: code,
      });
      setCodes(body.Codes);
      await load();
    } catch (error) {
      setProblem(textOf(error));
    }
  }

  async function turnOff(code: string, password: string): Promise<void> {
    setProblem(null);
    try {
      // The password is asked as well: a page that was left open is not enough.
      const basic = `${user.value}:${password}`;
      await call({ method: "PUT", path: "/auth/login", basic, quiet: true });
      await call({ method: "DELETE", path: "/otp_register", body: { Code: code }, quiet: true });
      setOtpToken(null);
      setCodes(null);
      say({ text: t("The second factor is off. The password alone opens this account.") });
      await load();
    } catch (error) {
      setProblem(
        error instanceof ApiProblem && error.status === 401 ? t("Wrong password") : textOf(error),
      );
    }
  }

  return (
    <section class="panel" aria-labelledby="otp">
      <header>
        <h2 id="otp">{t("Second factor")}</h2>
        <span class="note">{status === null ? "" : stateText(status)}</span>
      </header>
      {problem && <Fault title={t("Failed.")}>{problem}</Fault>}
      {codes !== null && <NewCodes codes={codes} onDone={() => setCodes(null)} />}
      {secret !== null
        ? <Enrol secret={secret} onCode={(code) => void validate(code)} />
        : status === null
        ? (problem === null && <Loading what={t("the second factor")} rows={2} />)
        : status.State === "registered"
        ? (
          <Manage
            status={status}
            onAlways={(code) => void validate(code, !status.AlwaysOn)}
            onReplace={(code) => void register(code)}
            onCodes={(code) => void makeCodes(code)}
            onOff={(code, password) => void turnOff(code, password)}
          />
        )
        : (
          <div class="pad form">
            <p class="s soft">
              {t(
                "A code from an authenticator app. Required to view tokens, backups and other secrets.",
              )}
            </p>
            <div class="row">
              <button class="btn" type="button" onClick={() => void register("")}>
                {t("Set up")}
              </button>
            </div>
          </div>
        )}
    </section>
  );
}

function stateText(status: OtpStatus): string {
  if (status.State !== "registered") return t("not set up");
  return status.AlwaysOn ? t("required at sign-in") : t("required for sensitive actions");
}

function Enrol({ secret, onCode }: { secret: string; onCode: (code: string) => void }): VNode {
  const code = useSignal("");
  const label = encodeURIComponent(`Sluice:${user.value}`);
  const uri = `otpauth://totp/${label}?secret=${secret}&issuer=Sluice`;
  return (
    <form
      class="pad form"
      onSubmit={(event) => {
        event.preventDefault();
        onCode(code.value.replace(/\s/g, ""));
      }}
    >
      <p class="s soft">
        {t("Scan the QR code with your authenticator app, or enter the secret.")}
      </p>
      <Qr text={uri} label={t("QR code of the secret below")} />
      <p class="secret">{secret}</p>
      <CodeField appOnly value={code.value} onValue={(value) => code.value = value} />
      <div class="row">
        <button class="btn primary" type="submit">{t("Verify")}</button>
      </div>
    </form>
  );
}

/** Recovery codes, which are shown this once, to be saved or printed. */
function NewCodes({ codes, onDone }: { codes: readonly string[]; onDone: () => void }): VNode {
  const text = t("Recovery codes of {user} on {hostname}, each works once\n\n{codes}\n", {
    user: user.value,
    hostname: location.hostname,
    codes: codes.join("\n"),
  });
  return (
    <div class="pad form" role="group" aria-label={t("Recovery codes")}>
      <p class="s soft">
        {t(
          "Keep these recovery codes where you find them without your phone. Each stands for a code of the app once. They are not shown again.",
        )}
      </p>
      <ol class="secret" aria-label={t("Codes")}>
        {codes.map((code) => <li key={code}>{code}</li>)}
      </ol>
      <div class="row wrap">
        <a
          class="btn primary"
          download="sluice-recovery-codes.txt"
          href={`data:text/plain;charset=utf-8,${encodeURIComponent(text)}`}
        >
          {t("Download")}
        </a>
        <Copy text={codes.join("\n")} what={t("the recovery codes")} />
        <button class="btn" type="button" onClick={onDone}>{t("I saved them")}</button>
      </div>
    </div>
  );
}

function Manage(
  { status, onAlways, onReplace, onCodes, onOff }: {
    status: OtpStatus;
    onAlways: (code: string) => void;
    onReplace: (code: string) => void;
    onCodes: (code: string) => void;
    onOff: (code: string, password: string) => void;
  },
): VNode {
  const code = useSignal("");
  const password = useSignal("");
  const off = useSignal(false);
  const left = status.RecoveryCodes ?? 0;
  const clean = () => code.value.replace(/\s/g, "");
  return (
    <form
      class="pad form"
      onSubmit={(event) => {
        event.preventDefault();
        const by = (event as SubmitEvent).submitter?.getAttribute("value");
        if (by === "replace") onReplace(clean());
        else if (by === "codes") onCodes(clean());
        else if (by === "off") onOff(clean(), password.value);
        else onAlways(clean());
        code.value = password.value = "";
      }}
    >
      <p class="s soft">
        {status.AlwaysOn
          ? t("A code is required at every sign-in.")
          : t("A code is required to view secrets. You can require it at every sign-in.")}
      </p>
      <p class={left > 2 ? "s soft" : "s warning-t"}>
        {left === 0
          ? t("No recovery codes.")
          : tn("{count} recovery code left.", "{count} recovery codes left.", left)}
      </p>
      <CodeField value={code.value} onValue={(value) => code.value = value} />
      {off.value && (
        <Field
          label={t("Password")}
          secret
          name="password"
          autocomplete="current-password"
          required
          value={password.value}
          onValue={(value) => password.value = value}
        />
      )}
      {off.value
        ? (
          <div class="row wrap">
            <button class="btn danger" type="submit" value="off">
              {t("Turn off second factor")}
            </button>
            <button class="btn" type="button" onClick={() => off.value = false}>
              {t("Cancel")}
            </button>
          </div>
        )
        : (
          <div class="row wrap">
            <button class="btn primary" type="submit" value="always">
              {status.AlwaysOn ? t("Require for sensitive actions only") : t("Require at sign-in")}
            </button>
            <button class="btn" type="submit" value="codes">{t("New recovery codes")}</button>
            <button class="btn" type="submit" value="replace">{t("Replace device")}</button>
            <button class="btn" type="button" onClick={() => off.value = true}>
              {t("Turn off…")}
            </button>
          </div>
        )}
    </form>
  );
}
