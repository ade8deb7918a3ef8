import type { VNode } from "preact";
import { useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { call } from "../../api.ts";
import { fieldMessage, formMessage } from "../../form_check.ts";
import { Fault } from "../../parts/fault.tsx";
import { Field, focusFirstProblem } from "../../parts/field.tsx";
import { Icon } from "../../parts/icon.tsx";
import { ApiProblem, wordsOf } from "../../problem.ts";
import { signIn, stage } from "../../session.ts";

const FIELDS = ["Code", "InterfaceUplink", "AdminPassword", "TinyNets"];

/** The first decisions about a new router, for whoever has its one-time code. */
export default function SetupPage(): VNode {
  const code = useSignal("");
  const uplink = useSignal("");
  const password = useSignal("");
  const network = useSignal("");
  const problem = useSignal<ApiProblem | null>(null);
  const busy = useSignal(false);
  const form = useRef<HTMLFormElement>(null);
  useEffect(() => {
    document.title = "Set up · Sluice";
    form.current?.querySelector("input")?.focus();
  }, []);

  async function setUp(): Promise<void> {
    const bearer = code.value.trim();
    const send = (path: string, body?: unknown) =>
      call({ method: "PUT", path, bearer, quiet: true, ...(body === undefined ? {} : { body }) });
    const nets = network.value.split(",").map((part) => part.trim()).filter((part) => part !== "");
    await send("/setup", {
      InterfaceUplink: uplink.value.trim(),
      AdminPassword: password.value,
      ...(nets.length > 0 ? { TinyNets: nets } : {}),
    });
    await send("/setup_done");
    await signIn("admin", password.value);
    stage.value = "in";
  }

  async function submit(event: Event): Promise<void> {
    event.preventDefault();
    if (busy.value) return;
    busy.value = true;
    problem.value = null;
    try {
      await setUp();
    } catch (error) {
      problem.value = refusal(error);
      focusFirstProblem(form.current);
    } finally {
      busy.value = false;
    }
  }

  const other = formMessage(problem.value, FIELDS);
  return (
    <div class="gatehouse">
      <main id="main">
        <p class="brand">
          <Icon name="logo" />
          Sluice
        </p>
        <h1>Set up this router</h1>
        <p class="s quiet">
          Three decisions. Devices then appear by themselves and wait for you.
        </p>
        <form class="form" ref={form} noValidate onSubmit={(event) => void submit(event)}>
          {other && <Fault title="Setup is not done.">{other}</Fault>}
          <Field
            label="One-time code"
            help="The router wrote it down at its first start, for whoever has its console"
            autocomplete="off"
            problem={fieldMessage(problem.value, "Code")}
            value={code.value}
            onValue={(value) => code.value = value}
          />
          <Field
            label="Uplink"
            help="The link towards the Internet, such as eth0"
            autocomplete="off"
            problem={fieldMessage(problem.value, "InterfaceUplink")}
            value={uplink.value}
            onValue={(value) => uplink.value = value}
          />
          <Field
            label="Your password"
            help="You sign in as admin with it"
            secret
            autocomplete="new-password"
            problem={fieldMessage(problem.value, "AdminPassword")}
            value={password.value}
            onValue={(value) => password.value = value}
          />
          <Field
            label="Network at home"
            help="Such as 192.168.2.0/24; empty keeps what is proposed"
            autocomplete="off"
            problem={fieldMessage(problem.value, "TinyNets")}
            value={network.value}
            onValue={(value) => network.value = value}
          />
          <button class="btn primary" type="submit" disabled={busy.value}>Set it up</button>
        </form>
      </main>
    </div>
  );
}

/** A code that is not the right one stands at its field. */
function refusal(error: unknown): ApiProblem {
  if (!(error instanceof ApiProblem)) return new ApiProblem(0, wordsOf(error));
  if (error.status !== 401) return error;
  const errors = [{ pointer: "/Code", message: "This is not the code of this router" }];
  return new ApiProblem(401, error.message, { errors });
}
