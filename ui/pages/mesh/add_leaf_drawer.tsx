import type { VNode } from "preact";
import { useSignal } from "@preact/signals";
import { previewForm } from "../../actions/apply.ts";
import { call } from "../../api/client.ts";
import type { ProblemItem } from "../../api/problem.ts";
import { CheckField } from "../../parts/form/choice_field.tsx";
import { Field } from "../../parts/form/field.tsx";
import { Form } from "../../parts/form/form.tsx";
import { FormFooter } from "../../parts/form/form_footer.tsx";
import { useForm } from "../../parts/form/use_form.ts";
import { Dialog } from "../../parts/overlay/dialog.tsx";
import { Name } from "../../parts/show/name.tsx";
import { addLeaf } from "./actions.ts";
import { clockText, devicesText, versionText } from "./text.ts";
import type { LeafProbe } from "./wire.ts";
import { t } from "../../text/language.ts";
import { rich } from "../../text/translate.ts";

/** Adds a leaf router: its address and token, then what was found there. */
export function AddLeafDrawer(
  { onClose, onDone }: { onClose: () => void; onDone: () => void },
): VNode {
  const address = useSignal("");
  const token = useSignal("");
  const encrypted = useSignal(true);
  const probed = useSignal<LeafProbe | null>(null);
  const write = useForm({
    check: () => [
      ...missing("IP", address.value, t("Enter the address of the router")),
      ...missing("APIToken", token.value, t("Paste the token that the router shows")),
    ],
    send: async () => {
      const body = { IP: address.value.trim(), APIToken: token.value.trim() };
      if (probed.value === null) {
        const answer = await call<LeafProbe>({ method: "PUT", path: "/plugins/mesh/probe", body });
        probed.value = answer.body;
        return;
      }
      const options = { APIToken: body.APIToken, encrypted: encrypted.value };
      await previewForm(addLeaf(probed.value, options, () => {
        onClose();
        onDone();
      }));
    },
  });
  const found = probed.value;
  return (
    <Dialog
      kind="drawer"
      title={t("Add leaf router")}
      note={found === null ? t("Step 1 of 2: where it is") : t("Step 2 of 2: is it the right one?")}
      onClose={onClose}
    >
      <Form write={write} failed={t("Nothing was changed.")} id="leaf-form" class="body form">
        {found === null
          ? (
            <>
              <p class="s soft">
                {t(
                  "On the other router: turn HTTPS on under System, then choose Make a token on its page Mesh. It must have a cable to this router.",
                )}
              </p>
              <p class="s soft">
                {t(
                  "Until it has joined, its router port 443 must be open to the WAN, and its LAN must have another subnet than this router’s.",
                )}
              </p>
              <Field
                label={t("Address")}
                help={t("For example 192.168.2.14")}
                autocomplete="off"
                {...write.text("IP", address)}
              />
              <Field
                label={t("Token")}
                secret
                autocomplete="off"
                {...write.text("APIToken", token)}
              />
            </>
          )
          : (
            <>
              <Found probe={found} />
              {found.Plain
                ? (
                  <p class="warning-t">
                    {t(
                      "This router has no encrypted link. Its clients come to this network by the cable: anyone who can tap it can read what they send without encryption of their own.",
                    )}
                  </p>
                )
                : (
                  <CheckField
                    label={t("Encrypt the link (WireGuard)")}
                    help={t(
                      "Turn off only where nobody else can tap the cable between the routers.",
                    )}
                    value={encrypted.value}
                    onValue={(value) => encrypted.value = value}
                  />
                )}
            </>
          )}
      </Form>
      <FormFooter
        write={write}
        form="leaf-form"
        text={found === null ? t("Check the router") : t("Preview")}
        onClose={onClose}
      />
    </Dialog>
  );
}

function Found({ probe }: { probe: LeafProbe }): VNode {
  const { IP, Fingerprint, Lost, Overlaps } = probe;
  return (
    <>
      <p>
        {rich(t("{ip} proved by its token that this is its certificate:"), { ip: <b>{IP}</b> })}
      </p>
      <p class="mono mesh-print" aria-label={t("Certificate fingerprint")}>{Fingerprint}</p>
      <p class="s soft">
        {t("Its page Mesh shows the same fingerprint. From now on it is trusted by it.")}
      </p>
      {versionText(probe) !== "" && (
        <p class="s">{t("Version {version}", { version: versionText(probe) })}</p>
      )}
      {clockText(probe) !== "" && <p class="s warning-t">{clockText(probe)}</p>}
      {Overlaps.length > 0 && (
        <p class="warning-t">
          {t(
            "Its LAN subnet {networks} overlaps one of this router. Give it another one first, or it may not be reached while it joins.",
            { networks: Overlaps.join(", ") },
          )}
        </p>
      )}
      {Lost.length === 0 ? <p class="s">{t("It has no devices of its own that would go.")}</p> : (
        <>
          <p class="warning-t">
            {t("{devices} of its own will go, and those of this router take their place:", {
              devices: devicesText(Lost.length),
            })}
          </p>
          <ul class="mesh-list" aria-label={t("Devices that go")}>
            {Lost.map(({ Identity, Name: name }) => (
              <li key={Identity} class="s">
                <Name>{name || Identity}</Name>
                {name !== "" && <span class="quiet">{` ${Identity}`}</span>}
              </li>
            ))}
          </ul>
        </>
      )}
    </>
  );
}

function missing(field: string, value: string, message: string): readonly ProblemItem[] {
  return value.trim() === "" ? [{ pointer: `/${field}`, message }] : [];
}
