import type { VNode } from "preact";
import { useSignal } from "@preact/signals";
import { put, setOtpToken } from "../../api/client.ts";
import { Field } from "../../parts/form/field.tsx";
import { useForm } from "../../parts/form/use_form.ts";
import { Form, SubmitButton } from "../../parts/form/form.tsx";
import { start, user } from "../../state/session.ts";
import { say } from "../../state/toast.ts";
import { t } from "../../text/language.ts";

/** Changes the password of who is signed in; their other sessions end. */
export function PasswordPanel(): VNode {
  const current = useSignal("");
  const next = useSignal("");
  const write = useForm({
    check: () =>
      [["Current", current.value], ["New", next.value]].flatMap(([name, value]) =>
        value === "" ? [{ pointer: `/${name}`, message: t("This field is required") }] : []
      ),
    async send() {
      await put("/auth/password", { Current: current.value, New: next.value });
      current.value = "";
      next.value = "";
      setOtpToken(null);
      say({ text: t("Password changed. Other sessions were signed out.") });
      await start();
    },
  });
  return (
    <section class="panel" aria-labelledby="password">
      <header>
        <h2 id="password">{t("Password")}</h2>
      </header>
      <Form write={write} failed={t("The password was not changed.")} class="pad form">
        <input
          type="text"
          name="username"
          autocomplete="username"
          value={user.value}
          readOnly
          hidden
        />
        <Field
          label={t("Current password")}
          secret
          autocomplete="current-password"
          required
          {...write.text("Current", current)}
        />
        <Field
          label={t("New password")}
          help={t("Signs out other sessions")}
          secret
          autocomplete="new-password"
          required
          {...write.text("New", next)}
        />
        <div class="row">
          <SubmitButton write={write}>{t("Change password")}</SubmitButton>
        </div>
      </Form>
    </section>
  );
}
