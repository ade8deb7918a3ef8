import type { VNode } from "preact";
import { useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { applySmall, openPreview } from "../../act.ts";
import { checkBody, fieldMessage, formMessage } from "../../form_check.ts";
import { formBodies } from "../../generated/form_rules.ts";
import { Fault } from "../../parts/fault.tsx";
import { Field, focusFirstProblem } from "../../parts/field.tsx";
import { Switch } from "../../parts/switch.tsx";
import { ApiProblem, wordsOf } from "../../problem.ts";
import { advertise, rename, type Settings } from "./acts.ts";
import type { MulticastSettings } from "./wire.ts";

/** Whether this router answers for a name at home, and which. */
export function OwnName(
  { now, settings }: { now: MulticastSettings; settings: Settings },
): VNode {
  const name = useSignal(now.MDNSName);
  const problem = useSignal<ApiProblem | null>(null);
  const form = useRef<HTMLFormElement>(null);
  useEffect(() => void (name.value = now.MDNSName), [now.MDNSName]);

  async function submit(event: Event): Promise<void> {
    event.preventDefault();
    problem.value = null;
    const MDNSName = name.value.trim().toLowerCase().replace(/\.local$/, "");
    try {
      const errors = checkBody(formBodies.MulticastSettings, { MDNSName });
      if (errors.length > 0) throw new ApiProblem(400, "", { errors });
      await applySmall(rename(settings, MDNSName));
    } catch (error) {
      problem.value = error instanceof ApiProblem ? error : new ApiProblem(0, wordsOf(error));
      focusFirstProblem(form.current);
    }
  }

  const other = formMessage(problem.value, ["MDNSName"]);
  return (
    <section class="panel" aria-labelledby="own-name">
      <header>
        <h2 id="own-name">This router’s name at home</h2>
      </header>
      <ul class="may">
        <li>
          <div>
            <b>Answer for its name</b>
            <p>So that this page opens by a name that ends in .local</p>
          </div>
          <Switch
            label="Answer for its name"
            on={!now.DisableMDNSAdvertise}
            onFlip={() => openPreview(advertise(settings, now.DisableMDNSAdvertise))}
          />
        </li>
      </ul>
      <form class="form pad" ref={form} noValidate onSubmit={(event) => void submit(event)}>
        {other && <Fault title="The name stays as it is.">{other}</Fault>}
        <Field
          label="Name"
          help="Without .local. Empty: the host name"
          problem={fieldMessage(problem.value, "MDNSName")}
          autocomplete="off"
          value={name.value}
          onValue={(value) => name.value = value}
        />
        <div class="row">
          <button class="btn" type="submit">Use this name</button>
        </div>
      </form>
    </section>
  );
}
