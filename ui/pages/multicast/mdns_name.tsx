import type { VNode } from "preact";
import { useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { openPreview } from "../../actions/action.ts";
import { applyOrPreview } from "../../actions/apply.ts";
import { checkBody } from "../../parts/form/body_check.ts";
import { formBodies } from "../../generated/form_rules.ts";
import { Field } from "../../parts/form/field.tsx";
import { Switch } from "../../parts/form/switch.tsx";
import { useForm } from "../../parts/form/use_form.ts";
import { Form, SubmitButton } from "../../parts/form/form.tsx";
import { advertise, rename, type Settings } from "./actions.ts";
import type { MulticastSettings } from "./wire.ts";
import { t } from "../../text/language.ts";

/** The router's mDNS name. */
export function OwnName(
  { now, settings }: { now: MulticastSettings; settings: Settings },
): VNode {
  const name = useSignal(now.MDNSName);
  const filled = useRef(now.MDNSName);
  // What is being typed stays, whatever somebody else calls it meanwhile.
  useEffect(() => {
    const untouched = name.peek() === filled.current || wanted() === now.MDNSName;
    filled.current = now.MDNSName;
    if (untouched) name.value = now.MDNSName;
  }, [now.MDNSName]);
  const wanted = (): string => name.value.trim().toLowerCase().replace(/\.local$/, "");
  const write = useForm({
    check: () => checkBody(formBodies.MulticastSettings, { MDNSName: wanted() }),
    send: () => applyOrPreview(rename(settings, wanted())),
  });
  return (
    <section class="panel" aria-labelledby="own-name">
      <header>
        <h2 id="own-name">{t("mDNS name")}</h2>
      </header>
      <ul class="setting-list">
        <li>
          <div>
            <b>{t("Respond to .local")}</b>
            <p>{t("Opens the web UI by a name ending in .local")}</p>
          </div>
          <Switch
            label={t("Respond to .local")}
            on={!now.DisableMDNSAdvertise}
            onFlip={() => openPreview(advertise(settings, now.DisableMDNSAdvertise))}
          />
        </li>
      </ul>
      <Form write={write} failed={t("The name was not saved.")} class="form pad">
        <Field
          label={t("Name")}
          help={t("Without .local. Empty = host name")}
          autocomplete="off"
          {...write.text("MDNSName", name)}
        />
        <div class="row">
          <SubmitButton write={write} class="btn">{t("Save name")}</SubmitButton>
        </div>
      </Form>
    </section>
  );
}
