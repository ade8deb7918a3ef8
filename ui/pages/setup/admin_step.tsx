import type { VNode } from "preact";
import { useSignal } from "@preact/signals";
import { call } from "../../api/client.ts";
import { Field } from "../../parts/form/field.tsx";
import { useForm } from "../../parts/form/use_form.ts";
import { Form, SubmitButton } from "../../parts/form/form.tsx";
import { ApiProblem } from "../../api/problem.ts";
import { signIn, stage } from "../../state/session.ts";
import { faultAt } from "./field_problem.ts";
import { enteredSecrets, GUIDE } from "./guide.ts";

/** The one-time code, and the password that takes its place with the next step. */
export function AdminStep({ onDone }: { onDone: () => void }): VNode {
  const code = useSignal("");
  const password = useSignal("");
  const write = useForm({ send: check });

  async function check(): Promise<void> {
    const secret = code.value.trim();
    if (secret === "") throw faultAt("Code", "Enter the setup code");
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
        ? faultAt("Code", "Wrong setup code")
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
        Choose the password of <b>admin</b>. The setup code proves that this router is yours.
      </p>
      <Form write={write} failed="Nothing was saved.">
        <Field
          label="Setup code"
          help="See the terminal or var/state/first-start.txt"
          autocomplete="off"
          {...write.text("Code", code)}
        />
        <Field
          label="Admin password"
          help="At least 8 characters"
          secret
          autocomplete="new-password"
          {...write.text("AdminPassword", password)}
        />
        <SubmitButton write={write}>Next</SubmitButton>
        {stage.value === "setup" && (
          <button
            class="btn text"
            type="button"
            onClick={() => stage.value = "out"}
          >
            I already have a password
          </button>
        )}
      </Form>
    </div>
  );
}
