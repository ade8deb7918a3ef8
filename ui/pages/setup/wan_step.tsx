import type { VNode } from "preact";
import { useSignal } from "@preact/signals";
import { useId } from "preact/hooks";
import { put } from "../../api/client.ts";
import { checkBody } from "../../parts/form/body_check.ts";
import { formBodies } from "../../generated/form_rules.ts";
import { SelectField } from "../../parts/form/choice_field.tsx";
import { Field } from "../../parts/form/field.tsx";
import { Name } from "../../parts/show/name.tsx";
import { useForm } from "../../parts/form/use_form.ts";
import { Form, SubmitButton } from "../../parts/form/form.tsx";
import { ApiProblem } from "../../api/problem.ts";
import { FixedAddress } from "../network/static_address.tsx";
import type { LinkRow } from "../network/interface_rows.ts";
import { faultAt } from "./field_problem.ts";
import { interfaceNote, likelyUplink } from "./guide.ts";
import { t } from "../../text/language.ts";

const ADDRESSING = [["dhcp", "DHCP"], ["fixed", t("Static")]] as const;
const ANOTHER = "";

/** WAN port and its address. */
export function WanStep(
  { rows, onDone }: { rows: readonly LinkRow[]; onDone: () => void },
): VNode {
  const before = rows.find(({ decided }) => decided?.Type === "Uplink" && decided.Enabled);
  /** Null until the person chooses. */
  const choice = useSignal<string | null>(null);
  const chosen = choice.value ?? likelyUplink(rows);
  const typed = useSignal("");
  const addressing = useSignal(before?.decided?.DisableDHCP ? "fixed" : "dhcp");
  const ip = useSignal(before?.decided?.IP ?? "");
  const router = useSignal(before?.decided?.Router ?? "");
  const write = useForm({ send: decide });

  async function decide(): Promise<void> {
    const name = chosen === ANOTHER ? typed.value.trim() : chosen;
    if (name === "") throw faultAt("Name", t("Enter the interface name, for example eth0"));
    const fixed = addressing.value === "fixed";
    const address = fixed
      ? { Name: name, DisableDHCP: true, IP: ip.value.trim(), Router: router.value.trim() }
      : { Name: name, DisableDHCP: false };
    const errors = checkBody(formBodies.UplinkUpdate, address);
    if (fixed && errors.length > 0) throw new ApiProblem(400, "", { errors });
    if (before !== undefined && before.name !== name) {
      await put("/link/config", { Name: before.name, Type: "Other", Enabled: false });
    }
    await put("/link/config", { Name: name, Type: "Uplink", Enabled: true });
    await put("/uplink/ip", address);
    onDone();
  }

  const another = chosen === ANOTHER;
  return (
    <div class="stack">
      <p class="soft">
        {t(
          "Select the interface that connects to your modem or ISP. Devices behind this router cannot be reached from it.",
        )}
      </p>
      <Form write={write} failed={t("The WAN interface was not saved.")}>
        <Choices rows={rows} chosen={chosen} onChosen={(name) => choice.value = name} />
        {another && (
          <Field
            label={t("Interface name")}
            help={t("For example eth0")}
            autocomplete="off"
            {...write.text("Name", typed)}
          />
        )}
        <SelectField
          label={t("IP address")}
          value={addressing.value}
          options={ADDRESSING}
          onValue={(value) => addressing.value = value}
        />
        {addressing.value === "fixed" && <FixedAddress write={write} ip={ip} router={router} />}
        <SubmitButton write={write}>{t("Use as WAN")}</SubmitButton>
      </Form>
    </div>
  );
}

function Choices(
  { rows, chosen, onChosen }: {
    rows: readonly LinkRow[];
    chosen: string;
    onChosen: (name: string) => void;
  },
): VNode {
  const group = useId();
  const choice = (name: string, label: VNode | string, about: string): VNode => (
    <label key={name}>
      <input
        class="radio"
        type="radio"
        name={group}
        checked={chosen === name}
        onChange={() => onChosen(name)}
      />
      <b>{label}</b>
      <small>{about}</small>
    </label>
  );
  return (
    <fieldset class="field">
      <legend class="label">{t("Interface")}</legend>
      <div class="pick">
        {rows.map((row) => choice(row.name, <Name>{row.name}</Name>, interfaceNote(row)))}
        {choice(ANOTHER, t("Other interface"), t("Not present yet"))}
      </div>
    </fieldset>
  );
}
