import type { VNode } from "preact";
import { useSignal } from "@preact/signals";
import { type Action, previewForm } from "../../actions/action.ts";
import { checkBody } from "../../parts/form/body_check.ts";
import { formBodies } from "../../generated/form_rules.ts";
import { CheckField, SelectField } from "../../parts/form/choice_field.tsx";
import { Dialog } from "../../parts/overlay/dialog.tsx";
import { useForm } from "../../parts/form/use_form.ts";
import { Form, SubmitButton } from "../../parts/form/form.tsx";
import { FixedAddress } from "./static_address.tsx";
import { ROLES } from "./interface_rows.ts";
import type { Link } from "./wire.ts";

/** Seconds of the confirm window of an interface change. */
const CONFIRM_WINDOW_S = 90;

const ADDRESSING = [["dhcp", "DHCP"], ["fixed", "Static"]] as const;

/** Role and address of an interface; each is a change of its own, with a confirm window. */
export function LinkForm(
  { name, link, onClose, onDone }: {
    name: string;
    link: Link | null;
    onClose: () => void;
    onDone: () => void;
  },
): VNode {
  const finish = () => {
    onClose();
    onDone();
  };
  return (
    <Dialog
      kind="drawer"
      title={name}
      note="Changes revert automatically unless confirmed"
      onClose={onClose}
    >
      <div class="body stack links-forms" tabIndex={-1}>
        <RoleForm name={name} link={link} onDone={finish} />
        {link?.Type === "Uplink" && <AddressForm link={link} onDone={finish} />}
      </div>
    </Dialog>
  );
}

function RoleForm(
  { name, link, onDone }: { name: string; link: Link | null; onDone: () => void },
): VNode {
  const type = useSignal(link?.Type ?? "Downlink");
  const enabled = useSignal(link?.Enabled ?? true);
  const [, word, help] = ROLES.find(([role]) => role === type.value) ?? ["", type.value, ""];
  const body = { Name: name, Type: type.value, Enabled: enabled.value };
  const act: Action = {
    title: `Preview: ${name}`,
    subject: name,
    sentence: enabled.value ? `gets the role ${word}.` : "is disabled.",
    button: "Apply without auto-revert",
    done: enabled.value ? `has the role ${word}.` : "is disabled.",
    confirmWithin: CONFIRM_WINDOW_S,
    request: () => ({ method: "PUT", path: "/link/config", body }),
    after: onDone,
  };
  const write = useForm({
    check: () => checkBody(formBodies.LinkUpdate, body),
    send: () => previewForm(act),
  });
  return (
    <Form write={write} failed="Nothing was changed." class="form part">
      <h3>Role</h3>
      <SelectField
        label="Role"
        help={help}
        options={ROLES.map(([role, text]) => [role, text])}
        {...write.text("Type", type)}
      />
      <CheckField
        label="Enabled"
        value={enabled.value}
        onValue={(value) => enabled.value = value}
      />
      <div class="row">
        <SubmitButton write={write}>Preview role</SubmitButton>
      </div>
    </Form>
  );
}

function AddressForm({ link, onDone }: { link: Link; onDone: () => void }): VNode {
  const addressing = useSignal(link.DisableDHCP ? "fixed" : "dhcp");
  const ip = useSignal(link.IP ?? "");
  const router = useSignal(link.Router ?? "");
  const fixed = addressing.value === "fixed";
  const body = fixed
    ? { Name: link.Name, DisableDHCP: true, IP: ip.value.trim(), Router: router.value.trim() }
    : { Name: link.Name, DisableDHCP: false };
  const act: Action = {
    title: `Preview: IP address of ${link.Name}`,
    subject: link.Name,
    sentence: fixed
      ? `has the IP address ${ip.value} and the gateway ${router.value}.`
      : "gets its IP address by DHCP.",
    button: "Apply without auto-revert",
    done: fixed ? `has the IP address ${ip.value}.` : "gets its IP address by DHCP.",
    confirmWithin: CONFIRM_WINDOW_S,
    request: () => ({ method: "PUT", path: "/uplink/ip", body }),
    after: onDone,
  };
  const write = useForm({
    check: () => checkBody(formBodies.UplinkUpdate, body),
    send: () => previewForm(act),
  });
  return (
    <Form write={write} failed="Nothing was changed." class="form part">
      <h3>IP address</h3>
      <SelectField
        label="IP address"
        value={addressing.value}
        options={ADDRESSING}
        onValue={(value) => addressing.value = value}
      />
      {fixed && <FixedAddress write={write} ip={ip} router={router} />}
      <div class="row">
        <SubmitButton write={write}>Preview address</SubmitButton>
      </div>
    </Form>
  );
}
