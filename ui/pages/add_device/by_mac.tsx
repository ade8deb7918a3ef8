import type { VNode } from "preact";
import { useSignal } from "@preact/signals";
import { useRef } from "preact/hooks";
import { useLocation } from "preact-iso/router";
import { applySmall } from "../../act.ts";
import { fieldMessage, formMessage } from "../../form_check.ts";
import { Fault } from "../../parts/fault.tsx";
import { Field, focusFirstProblem } from "../../parts/field.tsx";
import { Name } from "../../parts/name.tsx";
import { ApiProblem, wordsOf } from "../../problem.ts";
import { devices } from "../../store.ts";
import { nameOf } from "../../words.ts";
import { deviceHref } from "../devices/place.ts";
import { identityOf } from "../import_devices/rows.ts";
import { addByMac, type NewDevice } from "./acts.ts";
import { NewDeviceFields } from "./choices.tsx";
import { FRESH } from "./fresh.ts";

/** Adds a wired or known device by the address on its label, before it was ever seen. */
export function ByMac(): VNode {
  const { route } = useLocation();
  const device = useSignal<NewDevice>(FRESH);
  const mac = useSignal("");
  const problem = useSignal<ApiProblem | null>(null);
  const form = useRef<HTMLFormElement>(null);
  const identity = identityOf(mac.value);
  const known = identity === null ? undefined : devices.value?.[identity];

  async function submit(event: Event): Promise<void> {
    event.preventDefault();
    problem.value = null;
    try {
      if (identity === null) throw unreadable(mac.value);
      if (known !== undefined) return form.current?.querySelector<HTMLElement>(".known a")?.focus();
      await applySmall(addByMac(identity, device.value, () => route(deviceHref(identity))));
    } catch (error) {
      problem.value = error instanceof ApiProblem ? error : new ApiProblem(0, wordsOf(error));
      focusFirstProblem(form.current);
    }
  }

  const other = formMessage(problem.value, ["MAC", "Name", "Groups"]);
  return (
    <form class="form narrow" ref={form} noValidate onSubmit={(event) => void submit(event)}>
      {other && <Fault title="The device was not added.">{other}</Fault>}
      <Field
        label="MAC address"
        help="On its label or in its settings, such as 00:1b:63:84:45:e6"
        autocomplete="off"
        problem={fieldMessage(problem.value, "MAC")}
        value={mac.value}
        onValue={(value) => mac.value = value}
      />
      {identity !== null && known !== undefined && (
        <p class="s heed-t known any" role="status">
          <a href={deviceHref(identity)}>
            <Name>{nameOf(identity, known)}</Name>
          </a>{" "}
          has this address already.
        </p>
      )}
      <NewDeviceFields
        value={device.value}
        onValue={(value) => device.value = value}
        problem={problem.value}
      />
      <div class="row">
        <button class="btn primary" type="submit">Add device</button>
        <a class="btn" href="/admin/devices">Back</a>
      </div>
    </form>
  );
}

function unreadable(text: string): ApiProblem {
  const message = text.trim() === ""
    ? "Write the address of the device"
    : "This is no address of one card; it has twelve digits from 0 to f";
  return new ApiProblem(400, message, { errors: [{ pointer: "/MAC", message }] });
}
