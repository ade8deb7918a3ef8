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

/** Seconds within which a change of links must be kept. */
const TRIAL = 90;

const WAYS = [["dhcp", "From the network above (DHCP)"], ["fixed", "Fixed"]] as const;

/** What a link is for, and how an uplink gets its address; each is its own change, on trial first. */
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
      note="Every change of a link runs as a trial"
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
    sentence: `is ${enabled.value ? `used as: ${word}.` : "switched off."}`,
    button: "Apply for good",
    done: enabled.value ? `is used as: ${word}.` : "is switched off.",
    confirmWithin: TRIAL,
    request: () => ({ method: "PUT", path: "/link/config", body }),
    after: onDone,
  };
  const write = useForm({
    check: () => checkBody(formBodies.LinkUpdate, body),
    send: () => previewForm(act),
  });
  return (
    <Form write={write} failed="Nothing was changed." class="form part">
      <h3>What it is for</h3>
      <SelectField
        label="Use"
        help={help}
        options={ROLES.map(([role, words]) => [role, words])}
        {...write.text("Type", type)}
      />
      <CheckField
        label="Switched on"
        value={enabled.value}
        onValue={(value) => enabled.value = value}
      />
      <div class="row">
        <SubmitButton write={write}>Preview this use</SubmitButton>
      </div>
    </Form>
  );
}

function AddressForm({ link, onDone }: { link: Link; onDone: () => void }): VNode {
  const way = useSignal(link.DisableDHCP ? "fixed" : "dhcp");
  const ip = useSignal(link.IP ?? "");
  const router = useSignal(link.Router ?? "");
  const fixed = way.value === "fixed";
  const body = fixed
    ? { Name: link.Name, DisableDHCP: true, IP: ip.value.trim(), Router: router.value.trim() }
    : { Name: link.Name, DisableDHCP: false };
  const act: Action = {
    title: `Preview: address of ${link.Name}`,
    subject: link.Name,
    sentence: fixed
      ? `has the address ${ip.value}, and what is outside goes through ${router.value}.`
      : "asks the network above for its address.",
    button: "Apply for good",
    done: fixed ? `has the address ${ip.value}.` : "asks for its address.",
    confirmWithin: TRIAL,
    request: () => ({ method: "PUT", path: "/uplink/ip", body }),
    after: onDone,
  };
  const write = useForm({
    check: () => checkBody(formBodies.UplinkUpdate, body),
    send: () => previewForm(act),
  });
  return (
    <Form write={write} failed="Nothing was changed." class="form part">
      <h3>Its address</h3>
      <SelectField
        label="Address"
        value={way.value}
        options={WAYS}
        onValue={(value) => way.value = value}
      />
      {fixed && <FixedAddress write={write} ip={ip} router={router} />}
      <div class="row">
        <SubmitButton write={write}>Preview this address</SubmitButton>
      </div>
    </Form>
  );
}
