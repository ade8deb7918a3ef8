import type { VNode } from "preact";
import { useSignal } from "@preact/signals";
import { call } from "../../api/client.ts";
import { Field } from "../../parts/form/field.tsx";
import { useForm } from "../../parts/form/use_form.ts";
import { Form, SubmitButton } from "../../parts/form/form.tsx";
import { ApiProblem } from "../../api/problem.ts";
import { stage } from "../../state/session.ts";
import { signIn } from "../../state/sign_in.ts";
import { faultAt } from "./field_problem.ts";
import { enteredSecrets, GUIDE } from "./guide.ts";
import { t } from "../../text/language.ts";
import { rich } from "../../text/translate.ts";

/** The one-time code, and the password that takes its place with the next step. */
export function AdminStep(
  { codeFile, onDone }: {
    /** The file on the router with the code; undefined where it was only shown on a terminal. */
    codeFile: string | undefined;
    onDone: () => void;
  },
): VNode {
  const code = useSignal("");
  const password = useSignal("");
  const write = useForm({ send: check });

  async function check(): Promise<void> {
    const secret = code.value.trim();
    if (secret === "") throw faultAt("Code", t("Enter the setup code"));
    try {
      // Any link will do: this asks only whether code and password are taken.
      await call({
        method: "PUT",
        path: "/setup",
        query: { dryRun: "true" },
        bearer: secret,
        body: { InterfaceUplink: "eth0", AdminPassword: password.value },
        quiet: true,
      });
    } catch (error) {
      throw error instanceof ApiProblem && error.status === 401
        ? faultAt("Code", t("Wrong setup code"))
        : error;
    }
    // From now on there is a session, with which a reload would lead to Home.
    history.replaceState(null, "", GUIDE);
    // Until a password is set the code is the admin's password, and shows what links there are.
    await signIn("admin", secret).catch(() => signIn("admin", password.value));
    enteredSecrets.value = { code: secret, password: password.value };
    if (stage.peek() !== "in") return onDone();
    // The session of the code ends with the next step. Nothing but the guide may notice that, else the
    // person has to sign in again for it.
    stage.value = "setup";
  }

  return (
    <div class="stack">
      <p class="soft">
        {rich(t("Choose the password of {b}. The setup code proves that this router is yours."), {
          b: <b>{t("admin")}</b>,
        })}
      </p>
      <Form write={write} failed={t("Nothing was saved.")}>
        <Field
          label={t("Setup code")}
          help={codeFile === undefined
            ? t("Shown at the first start. The file with it is deleted when the code is first used")
            : t("On the router in {file}", { file: codeFile })}
          autocomplete="off"
          {...write.text("Code", code)}
        />
        <Field
          label={t("Admin password")}
          help={t("At least 8 characters")}
          secret
          autocomplete="new-password"
          {...write.text("AdminPassword", password)}
        />
        <SubmitButton write={write}>{t("Next")}</SubmitButton>
        {stage.value === "setup" && (
          <button
            class="btn text"
            type="button"
            onClick={() => stage.value = "out"}
          >
            {t("I already have a password")}
          </button>
        )}
      </Form>
    </div>
  );
}
