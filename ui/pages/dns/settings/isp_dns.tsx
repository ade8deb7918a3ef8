import type { VNode } from "preact";
import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import type { Action } from "../../../actions/action.ts";
import { previewForm } from "../../../actions/apply.ts";
import { SelectField } from "../../../parts/form/choice_field.tsx";
import { useForm } from "../../../parts/form/use_form.ts";
import { Form, SubmitButton } from "../../../parts/form/form.tsx";
import type { DnsSettings } from "../wire.ts";
import { t } from "../../../text/language.ts";

type Mode = DnsSettings["ProviderResolvers"];

const CHOICES: readonly (readonly [Mode, string])[] = [
  ["never", t("Never")],
  ["fallback", t("Fallback")],
  ["first", t("Preferred")],
];

const SENTENCES: Readonly<Record<Mode, string>> = {
  never: t("are not used."),
  fallback: t("are used only while none of your upstream servers responds."),
  first: t("are preferred; your upstream servers are the fallback."),
};

/** Whether ISP DNS is used. */
export function ProviderResolvers(
  { settings, etag }: { settings: DnsSettings; etag: string | null },
): VNode {
  const now = settings.ProviderResolvers;
  const mode = useSignal<Mode>(now);
  useEffect(() => void (mode.value = now), [now]);
  const write = useForm({
    send: ({ overwrite: over }) =>
      previewForm(setMode(settings, { mode: mode.value, etag: over ? null : etag })),
  });
  return (
    <section class="panel" aria-labelledby="provider-resolvers">
      <header>
        <h2 id="provider-resolvers">{t("ISP DNS")}</h2>
        <span class="note">{t("servers provided by DHCP")}</span>
      </header>
      <Form write={write} class="form pad" failed={t("The setting was not saved.")}>
        <SelectField
          label={t("Use ISP DNS")}
          help={t(
            "Some hotels and networks block all others. Queries are unencrypted; never used for Family DNS",
          )}
          value={mode.value}
          problem={write.at("ProviderResolvers")}
          options={CHOICES}
          onValue={(value) => {
            mode.value = value as Mode;
            write.edited("ProviderResolvers");
          }}
        />
        {mode.value !== now && (
          <div class="row">
            <SubmitButton write={write}>{t("Preview choice")}</SubmitButton>
          </div>
        )}
      </Form>
    </section>
  );
}

function setMode(
  settings: DnsSettings,
  { mode, etag }: { readonly mode: Mode; readonly etag: string | null },
): Action {
  return {
    title: t("Preview: ISP DNS"),
    subject: t("ISP DNS servers"),
    sentence: SENTENCES[mode],
    details: mode === "never"
      ? []
      : [t("Your ISP and anyone on the path to it can then read the domains that you visit.")],
    button: mode === "never" ? t("Do not use") : t("Use ISP DNS"),
    done: SENTENCES[mode],
    request: () => ({
      method: "PUT",
      path: "/dnsSettings",
      ifMatch: etag,
      body: { ...settings, ProviderResolvers: mode },
    }),
  };
}
