import type { VNode } from "preact";
import { useSignal } from "@preact/signals";
import { useLocation } from "preact-iso/router";
import { call } from "../../api/client.ts";
import { Field } from "../../parts/form/field.tsx";
import { useForm } from "../../parts/form/use_form.ts";
import { Form, SubmitButton } from "../../parts/form/form.tsx";
import { ApiProblem } from "../../api/problem.ts";
import { signInNote, stage } from "../../state/session.ts";
import { signIn } from "../../state/sign_in.ts";
import { faultAt } from "./field_problem.ts";
import { GUIDE } from "./guide.ts";
import { t } from "../../text/language.ts";
import { rich } from "../../text/translate.ts";

/** The setup code, and the password of the admin that takes its place. */
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
  const { route } = useLocation();

  async function check(): Promise<void> {
    const secret = code.value.trim();
    if (secret === "") throw faultAt("Code", t("Enter the setup code"));
    try {
      await call({
        method: "PUT",
        path: "/setup",
        bearer: secret,
        body: { AdminPassword: password.value },
        quiet: true,
      });
    } catch (error) {
      throw error instanceof ApiProblem && error.status === 401
        ? faultAt("Code", t("Wrong setup code"))
        : error;
    }
    try {
      await signIn("admin", password.value);
    } catch {
      // The code is used up and the password holds: only signing in with it is left.
      signInNote.value = t("The password is saved. Sign in with it.");
      stage.value = "out";
      return;
    }
    if (stage.peek() === "in") return onDone();
    // The rest of the guide is a page among the others, with a session that survives a reload.
    route(GUIDE, true);
    stage.value = "in";
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
