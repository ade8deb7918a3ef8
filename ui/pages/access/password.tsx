import type { VNode } from "preact";
import { useSignal } from "@preact/signals";
import { useRef } from "preact/hooks";
import { put, setOtpToken } from "../../api.ts";
import { Fault } from "../../parts/fault.tsx";
import { Field, focusFirstProblem, messageFor, rest } from "../../parts/field.tsx";
import { ApiProblem, wordsOf } from "../../problem.ts";
import { start, user } from "../../session.ts";
import { say } from "../../toast.ts";

/** Changes the password of who is signed in; their other sessions end. */
export function PasswordPanel(): VNode {
  const current = useSignal("");
  const next = useSignal("");
  const problem = useSignal<ApiProblem | null>(null);
  const form = useRef<HTMLFormElement>(null);

  async function submit(event: Event): Promise<void> {
    event.preventDefault();
    problem.value = null;
    try {
      await put("/auth/password", { Current: current.value, New: next.value });
      current.value = "";
      next.value = "";
      setOtpToken(null);
      say({ text: "The password is changed. Your other sessions have ended." });
      await start();
    } catch (error) {
      problem.value = error instanceof ApiProblem ? error : new ApiProblem(0, wordsOf(error));
      focusFirstProblem(form.current);
    }
  }

  const other = rest(problem.value, ["/Current", "/New"]);
  return (
    <section class="panel" aria-labelledby="password">
      <header>
        <h2 id="password">Password</h2>
      </header>
      <form class="pad form" ref={form} onSubmit={(event) => void submit(event)}>
        {other && <Fault title="The password was not changed.">{other}</Fault>}
        <input
          type="text"
          name="username"
          autocomplete="username"
          value={user.value}
          readOnly
          hidden
        />
        <Field
          label="Password now"
          secret
          autocomplete="current-password"
          required
          problem={messageFor(problem.value, "/Current")}
          value={current.value}
          onValue={(text) => current.value = text}
        />
        <Field
          label="New password"
          help="Your sessions elsewhere end"
          secret
          autocomplete="new-password"
          required
          problem={messageFor(problem.value, "/New")}
          value={next.value}
          onValue={(text) => next.value = text}
        />
        <div class="row">
          <button class="btn primary" type="submit">Change password</button>
        </div>
      </form>
    </section>
  );
}
