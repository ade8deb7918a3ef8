import type { VNode } from "preact";
import { useSignal } from "@preact/signals";
import { useEffect, useState } from "preact/hooks";
import { call, put, setOtpToken } from "../../api/client.ts";
import { Fault } from "../../parts/form/fault.tsx";
import { Loading } from "../../parts/load/loading.tsx";
import { CodeField } from "../sign_in/sign_in_form.tsx";
import { textOf } from "../../api/problem.ts";
import { user } from "../../state/session.ts";
import { say } from "../../state/toast.ts";
import type { OtpStatus } from "../../wire.ts";
import { Qr } from "../../parts/show/qr.tsx";

interface Registered {
  readonly OTPUsers: readonly { readonly Name: string; readonly Secret: string }[];
}

/** The authenticator app: set up, ask always, replace. */
export function SecondFactorPanel(): VNode {
  const [status, setStatus] = useState<OtpStatus | null>(null);
  const [problem, setProblem] = useState<string | null>(null);
  const [secret, setSecret] = useState<string | null>(null);

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
      setSecret(null);
      say({
        text: alwaysOn === undefined
          ? "Second factor set up."
          : alwaysOn
          ? "A code is now required at every sign-in."
          : "A code is now required for sensitive actions only.",
      });
      await load();
    } catch (error) {
      setProblem(textOf(error));
    }
  }

  return (
    <section class="panel" aria-labelledby="otp">
      <header>
        <h2 id="otp">Second factor</h2>
        <span class="note">{status === null ? "" : stateText(status)}</span>
      </header>
      {problem && <Fault title="Failed.">{problem}</Fault>}
      {secret !== null
        ? <Enrol secret={secret} onCode={(code) => void validate(code)} />
        : status === null
        ? (problem === null && <Loading what="the second factor" rows={2} />)
        : status.State === "registered"
        ? (
          <Manage
            status={status}
            onAlways={(code) => void validate(code, !status.AlwaysOn)}
            onReplace={(code) => void register(code)}
          />
        )
        : (
          <div class="pad form">
            <p class="s soft">
              A code from an authenticator app. Required to view tokens, backups and other secrets.
            </p>
            <div class="row">
              <button class="btn" type="button" onClick={() => void register("")}>Set up</button>
            </div>
          </div>
        )}
    </section>
  );
}

function stateText(status: OtpStatus): string {
  if (status.State !== "registered") return "not set up";
  return status.AlwaysOn ? "required at sign-in" : "required for sensitive actions";
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
      <p class="s soft">Scan the QR code with your authenticator app, or enter the secret.</p>
      <Qr text={uri} label="QR code of the secret below" />
      <p class="secret">{secret}</p>
      <CodeField value={code.value} onValue={(value) => code.value = value} />
      <div class="row">
        <button class="btn primary" type="submit">Verify</button>
      </div>
    </form>
  );
}

function Manage(
  { status, onAlways, onReplace }: {
    status: OtpStatus;
    onAlways: (code: string) => void;
    onReplace: (code: string) => void;
  },
): VNode {
  const code = useSignal("");
  const clean = () => code.value.replace(/\s/g, "");
  return (
    <form
      class="pad form"
      onSubmit={(event) => {
        event.preventDefault();
        const by = (event as SubmitEvent).submitter?.getAttribute("value");
        if (by === "replace") onReplace(clean());
        else onAlways(clean());
        code.value = "";
      }}
    >
      <p class="s soft">
        {status.AlwaysOn
          ? "A code is required at every sign-in."
          : "A code is required to view secrets. You can require it at every sign-in."}
      </p>
      <CodeField value={code.value} onValue={(value) => code.value = value} />
      <div class="row wrap">
        <button class="btn primary" type="submit" value="always">
          {status.AlwaysOn ? "Require for sensitive actions only" : "Require at sign-in"}
        </button>
        <button class="btn" type="submit" value="replace">Replace device</button>
      </div>
    </form>
  );
}
