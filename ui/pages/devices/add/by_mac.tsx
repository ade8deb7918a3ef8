import type { VNode } from "preact";
import { useSignal } from "@preact/signals";
import { useLocation } from "preact-iso/router";
import { applyOrPreview } from "../../../actions/action.ts";
import { Field } from "../../../parts/form/field.tsx";
import { Name } from "../../../parts/show/name.tsx";
import { useForm } from "../../../parts/form/use_form.ts";
import { Form, SubmitButton } from "../../../parts/form/form.tsx";
import type { ProblemItem } from "../../../api/problem.ts";
import { devices } from "../../../state/store.ts";
import { nameOf } from "../../../text/format.ts";
import { deviceHref } from "../last_seen.ts";
import { identityOf } from "../import/rows.ts";
import { addByMac, type NewDevice } from "./actions.ts";
import { NewDeviceFields } from "./choices.tsx";
import { DEFAULT_DEVICE } from "./actions.ts";

/** Adds a wired or known device by the address on its label, before it was ever seen. */
export function ByMac(): VNode {
  const { query, route } = useLocation();
  const device = useSignal<NewDevice>(DEFAULT_DEVICE);
  const mac = useSignal(query["mac"] ?? "");
  const identity = identityOf(mac.value);
  const known = identity === null ? undefined : devices.value?.[identity];

  const write = useForm({
    check: () => identity === null ? [unreadable(mac.value)] : [],
    async send() {
      if (identity === null) return;
      if (known !== undefined) {
        return write.form.current?.querySelector<HTMLElement>(".known a")?.focus();
      }
      await applyOrPreview(addByMac(identity, device.value, () => route(deviceHref(identity))));
    },
  });

  return (
    <Form write={write} failed="The device was not added." class="form narrow">
      <Field
        label="MAC address"
        help="For example 00:1b:63:84:45:e6"
        autocomplete="off"
        {...write.text("MAC", mac)}
      />
      {identity !== null && known !== undefined && (
        <p class="s warning-t known any" role="status">
          <a href={deviceHref(identity)}>
            <Name>{nameOf(identity, known)}</Name>
          </a>{" "}
          already has this MAC address.
        </p>
      )}
      <NewDeviceFields
        value={device.value}
        onValue={(value) => device.value = value}
        write={write}
      />
      <div class="row">
        <SubmitButton write={write}>Add device</SubmitButton>
        <a class="btn" href="/admin/devices">Cancel</a>
      </div>
    </Form>
  );
}

function unreadable(text: string): ProblemItem {
  const message = text.trim() === "" ? "Enter the MAC address" : "Enter a valid MAC address";
  return { pointer: "/MAC", message };
}
