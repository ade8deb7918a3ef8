import type { VNode } from "preact";
import { useRef } from "preact/hooks";
import { previewForm } from "../../actions/apply.ts";
import { checkBody } from "../../parts/form/body_check.ts";
import { formBodies } from "../../generated/form_rules.ts";
import { CheckField, SelectField } from "../../parts/form/choice_field.tsx";
import { Field } from "../../parts/form/field.tsx";
import { TextArea } from "../../parts/form/text_area.tsx";
import { Dialog } from "../../parts/overlay/dialog.tsx";
import { type FormState, useForm } from "../../parts/form/use_form.ts";
import { Form } from "../../parts/form/form.tsx";
import { FormFooter } from "../../parts/form/form_footer.tsx";
import { FixedAddress } from "./static_address.tsx";
import { ROLES } from "./interface_rows.ts";
import {
  chosenOf,
  type Fields,
  settingsOf,
  settingsProblems,
  useFields,
} from "./interface_fields.ts";
import { changeSentences } from "./settings_text.ts";
import type { Account, Link } from "./wire.ts";
import { t } from "../../text/language.ts";
import { rich } from "../../text/translate.ts";

/** Seconds of the confirm window of an interface change. */
const CONFIRM_WINDOW_S = 90;

const ADDRESSING = [["dhcp", "DHCP"], ["static", t("Static")], ["pppoe", "PPPoE"]] as const;

const MAC_SOURCES = [["own", t("Hardware")], ["chosen", t("Custom")], [
  "drawn",
  t("Random"),
]] as const;

/** All that is set of an interface, as one change with a confirm window. */
export function InterfaceForm(
  { name, link, account, etag, onClose, onDone }: {
    name: string;
    /** Null for an interface that is not configured. */
    link: Link | null;
    account: Account | null;
    /** Entity tag of what the form is filled with. */
    etag: string | null;
    onClose: () => void;
    onDone: () => void;
  },
): VNode {
  const fields = useFields(link, account);
  // What the form was filled with, whatever is loaded meanwhile.
  const start = useRef({ before: link === null ? null : chosenOf(fields), etag });
  const write = useForm({
    check: () => [
      ...checkBody(formBodies.InterfaceSettings, { ...settingsOf(name, fields, account) }),
      ...settingsProblems(fields),
    ],
    send: ({ overwrite }) => {
      const [sentence = t("stays as it is."), ...others] = changeSentences(
        start.current.before,
        chosenOf(fields),
      );
      return previewForm({
        title: t("Preview: {name}", { name }),
        subject: name,
        sentence,
        details: others.map((text) => t("The interface {text}", { text })),
        button: t("Apply without auto-revert"),
        done: sentence,
        confirmWithin: CONFIRM_WINDOW_S,
        request: () => ({
          method: "PUT",
          path: "/link/settings",
          ifMatch: overwrite ? null : start.current.etag,
          body: settingsOf(name, fields, account),
        }),
        after: () => {
          onClose();
          onDone();
        },
      });
    },
  });
  const [, , help] = ROLES.find(([role]) => role === fields.role.value) ?? [];
  const role = fields.role.value;
  return (
    <Dialog
      kind="drawer"
      title={name}
      note={t("Changes revert automatically unless confirmed")}
      onClose={onClose}
    >
      <Form write={write} failed={t("Nothing was changed.")} id="interface-form" class="body form">
        <SelectField
          label={t("Role")}
          help={help}
          options={ROLES.map(([type, text]) => [type, text])}
          {...write.text("Type", fields.role)}
        />
        <CheckField
          label={t("Enabled")}
          value={fields.enabled.value}
          onValue={(value) => fields.enabled.value = value}
        />
        {role === "Uplink" && <Addressing fields={fields} account={account} write={write} />}
        {role === "Downlink" && (
          <>
            <p class="s quiet">
              {rich(t("Devices get their IP address from the {link}"), {
                link: <a href="/admin/dhcp">{t("DHCP pools")}</a>,
              })}
            </p>
            <CheckField
              label={t("VLAN trunk")}
              help={t("Each VLAN tag becomes its own interface")}
              value={fields.trunk.value}
              onValue={(value) => {
                fields.trunk.value = value;
                write.edited("Trunk");
              }}
            />
            {write.at("Trunk") !== null && <p class="problem" role="alert">{write.at("Trunk")}</p>}
          </>
        )}
        {role === "AP"
          ? (
            <p class="s quiet">
              {rich(t("Radio and networks are set under {link}"), {
                link: <a href="/admin/wifi">{t("Wi-Fi")}</a>,
              })}
            </p>
          )
          : (
            <>
              <TextArea
                label={t("Additional IPs")}
                help={role === "Uplink"
                  ? t(
                    "One per line, for example 198.51.100.9/24, or 198.51.100.9/24 198.51.100.1 with a gateway",
                  )
                  : t("One per line, for example 198.51.100.9/24")}
                {...write.text("AdditionalIPs", fields.lines)}
              />
              <MacFields fields={fields} write={write} />
            </>
          )}
      </Form>
      <FormFooter
        write={write}
        form="interface-form"
        text={t("Preview change")}
        onClose={onClose}
      />
    </Dialog>
  );
}

/** How an uplink gets its address. */
function Addressing(
  { fields, account, write }: { fields: Fields; account: Account | null; write: FormState },
): VNode {
  const { addressing, ip, router, user, secret, vlan, mtu } = fields;
  const kept = (account?.Secret ?? "") !== "";
  return (
    <>
      <SelectField
        label={t("IP address")}
        help={account !== null && addressing.value !== "pppoe"
          ? t("The PPPoE account is deleted")
          : undefined}
        options={ADDRESSING}
        {...write.text("Addressing", addressing)}
      />
      {addressing.value === "static" && <FixedAddress write={write} ip={ip} router={router} />}
      {addressing.value === "pppoe" && (
        <>
          <Field
            label={t("User name")}
            autocomplete="off"
            {...write.text("PPPoE/Username", user)}
          />
          <Field
            label={t("Password")}
            help={kept ? t("Leave empty to keep the current one") : t("From your ISP")}
            secret
            autocomplete="new-password"
            {...write.text("PPPoE/Secret", secret)}
          />
          <div class="two">
            <Field
              label={t("VLAN")}
              help={t("1 to 4094, or empty")}
              inputMode="numeric"
              autocomplete="off"
              {...write.text("PPPoE/VLAN", vlan)}
            />
            <Field
              label={t("MTU")}
              help={t("128 to 1492, or empty")}
              inputMode="numeric"
              autocomplete="off"
              {...write.text("PPPoE/MTU", mtu)}
            />
          </div>
        </>
      )}
    </>
  );
}

function MacFields({ fields, write }: { fields: Fields; write: FormState }): VNode {
  const { mac, macAddress, cloak } = fields;
  return (
    <>
      <SelectField
        label={t("MAC address type")}
        value={mac.value}
        options={MAC_SOURCES}
        onValue={(value) => mac.value = value}
      />
      {mac.value === "chosen" && (
        <Field
          label={t("MAC address")}
          help={t("For example 02:00:00:00:0a:01")}
          autocomplete="off"
          {...write.text("MACOverride", macAddress)}
        />
      )}
      {mac.value === "drawn" && (
        <CheckField
          label={t("Use a common vendor prefix")}
          help={t("Hides that the address is random")}
          value={cloak.value}
          onValue={(value) => cloak.value = value}
        />
      )}
    </>
  );
}
