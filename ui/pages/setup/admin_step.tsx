import type { VNode } from "preact";
import { useSignal } from "@preact/signals";
import { call } from "../../api.ts";
import { fieldMessage, formMessage, without } from "../../form_check.ts";
import { Fault } from "../../parts/fault.tsx";
import { Field } from "../../parts/field.tsx";
import { ApiProblem } from "../../problem.ts";
import { signIn, stage } from "../../session.ts";
import { faultAt, useSending } from "../use_sending.ts";
import { given } from "./guide.ts";

/** The one-time code, and the password that takes its place with the next step. */
export function AdminStep({ onDone }: { onDone: () => void }): VNode {
  const code = useSignal("");
  const password = useSignal("");
  const { form, problem, busy, send, setProblem } = useSending();

  async function check(): Promise<void> {
    const secret = code.value.trim();
    if (secret === "") throw faultAt("Code", "Write the code that the router wrote down");
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
        ? faultAt("Code", "This is not the code of this router")
        : error;
    }
    // Until a password is set the code is the admin's password, and shows what links there are.
    await signIn("admin", secret).catch(() => signIn("admin", password.value));
    given.value = { code: secret, password: password.value };
    onDone();
  }

  const other = formMessage(problem, ["Code", "AdminPassword"]);
  return (
    <div class="stack">
      <p class="soft">
        A few decisions, and devices find their way. You are the admin; begin with your password.
      </p>
      <form class="form" ref={form} noValidate onSubmit={(event) => void send(event, check)}>
        {other && <Fault title="Nothing is set yet.">{other}</Fault>}
        <Field
          label="One-time code"
          help="The router wrote it down at its first start, for whoever has its console"
          autocomplete="off"
          problem={fieldMessage(problem, "Code")}
          value={code.value}
          onValue={(value) => {
            code.value = value;
            setProblem(without(problem, "Code"));
          }}
        />
        <Field
          label="Your password"
          help="You sign in as admin with it"
          secret
          autocomplete="new-password"
          problem={fieldMessage(problem, "AdminPassword")}
          value={password.value}
          onValue={(value) => {
            password.value = value;
            setProblem(without(problem, "AdminPassword"));
          }}
        />
        <button class="btn primary" type="submit" disabled={busy}>Next</button>
        {stage.value === "setup" && (
          <button
            class="btn text"
            type="button"
            onClick={() => stage.value = "out"}
          >
            I have a password already
          </button>
        )}
      </form>
    </div>
  );
}
