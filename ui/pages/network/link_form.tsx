import type { VNode } from "preact";
import { useSignal } from "@preact/signals";
import { useRef } from "preact/hooks";
import { type Act, previewForm } from "../../act.ts";
import { checkBody, fieldMessage, formMessage } from "../../form_check.ts";
import { formBodies } from "../../generated/form_rules.ts";
import { CheckField, SelectField } from "../../parts/choice_field.tsx";
import { Dialog } from "../../parts/dialog.tsx";
import { Fault } from "../../parts/fault.tsx";
import { Field, focusFirstProblem } from "../../parts/field.tsx";
import { ApiProblem, wordsOf } from "../../problem.ts";
import { ROLES } from "./links.ts";
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

interface Sending {
  readonly problem: ApiProblem | null;
  readonly form: { current: HTMLFormElement | null };
  readonly send: (event: Event, body: Readonly<Record<string, unknown>>, act: Act) => void;
}

function useSending(rules: Parameters<typeof checkBody>[0]): Sending {
  const problem = useSignal<ApiProblem | null>(null);
  const form = useRef<HTMLFormElement>(null);
  async function send(body: Readonly<Record<string, unknown>>, act: Act): Promise<void> {
    problem.value = null;
    try {
      const errors = checkBody(rules, body);
      if (errors.length > 0) throw new ApiProblem(400, "", { errors });
      await previewForm(act);
    } catch (error) {
      problem.value = error instanceof ApiProblem ? error : new ApiProblem(0, wordsOf(error));
      focusFirstProblem(form.current);
    }
  }
  return {
    problem: problem.value,
    form,
    send: (event, body, act) => {
      event.preventDefault();
      void send(body, act);
    },
  };
}

function RoleForm(
  { name, link, onDone }: { name: string; link: Link | null; onDone: () => void },
): VNode {
  const type = useSignal(link?.Type ?? "Downlink");
  const enabled = useSignal(link?.Enabled ?? true);
  const { problem, form, send } = useSending(formBodies.LinkUpdate);
  const [, word, help] = ROLES.find(([role]) => role === type.value) ?? ["", type.value, ""];
  const body = { Name: name, Type: type.value, Enabled: enabled.value };
  const act: Act = {
    title: `Preview: ${name}`,
    subject: name,
    sentence: `is ${enabled.value ? `used as: ${word}.` : "switched off."}`,
    button: "Apply for good",
    done: enabled.value ? `is used as: ${word}.` : "is switched off.",
    trial: TRIAL,
    request: () => ({ method: "PUT", path: "/link/config", body }),
    after: onDone,
  };
  const other = formMessage(problem, ["Type", "Enabled"]);
  return (
    <form class="form part" ref={form} noValidate onSubmit={(event) => send(event, body, act)}>
      <h3>What it is for</h3>
      {other && <Fault title="Nothing was changed.">{other}</Fault>}
      <SelectField
        label="Use"
        help={help}
        problem={fieldMessage(problem, "Type")}
        value={type.value}
        options={ROLES.map(([role, words]) => [role, words])}
        onValue={(value) => type.value = value}
      />
      <CheckField
        label="Switched on"
        value={enabled.value}
        onValue={(value) => enabled.value = value}
      />
      <div class="row">
        <button class="btn primary" type="submit">Preview this use</button>
      </div>
    </form>
  );
}

function AddressForm({ link, onDone }: { link: Link; onDone: () => void }): VNode {
  const way = useSignal(link.DisableDHCP ? "fixed" : "dhcp");
  const ip = useSignal(link.IP ?? "");
  const router = useSignal(link.Router ?? "");
  const { problem, form, send } = useSending(formBodies.UplinkUpdate);
  const fixed = way.value === "fixed";
  const body = fixed
    ? { Name: link.Name, DisableDHCP: true, IP: ip.value.trim(), Router: router.value.trim() }
    : { Name: link.Name, DisableDHCP: false };
  const act: Act = {
    title: `Preview: address of ${link.Name}`,
    subject: link.Name,
    sentence: fixed
      ? `has the address ${ip.value}, and what is outside goes through ${router.value}.`
      : "asks the network above for its address.",
    button: "Apply for good",
    done: fixed ? `has the address ${ip.value}.` : "asks for its address.",
    trial: TRIAL,
    request: () => ({ method: "PUT", path: "/uplink/ip", body }),
    after: onDone,
  };
  const other = formMessage(problem, fixed ? ["IP", "Router"] : []);
  return (
    <form class="form part" ref={form} noValidate onSubmit={(event) => send(event, body, act)}>
      <h3>Its address</h3>
      {other && <Fault title="Nothing was changed.">{other}</Fault>}
      <SelectField
        label="Address"
        value={way.value}
        options={WAYS}
        onValue={(value) => way.value = value}
      />
      {fixed && (
        <>
          <Field
            label="Address with its prefix"
            help="Such as 203.0.113.2/24"
            problem={fieldMessage(problem, "IP")}
            autocomplete="off"
            value={ip.value}
            onValue={(value) => ip.value = value}
          />
          <Field
            label="Gateway"
            help="Such as 203.0.113.1"
            problem={fieldMessage(problem, "Router")}
            autocomplete="off"
            value={router.value}
            onValue={(value) => router.value = value}
          />
        </>
      )}
      <div class="row">
        <button class="btn primary" type="submit">Preview this address</button>
      </div>
    </form>
  );
}
