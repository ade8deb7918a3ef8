import type { VNode } from "preact";
import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { type Action, previewForm } from "../../../actions/action.ts";
import { SelectField } from "../../../parts/form/choice_field.tsx";
import { useForm } from "../../../parts/form/use_form.ts";
import { Form, SubmitButton } from "../../../parts/form/form.tsx";
import type { DnsSettings } from "../wire.ts";

type Mode = DnsSettings["ProviderResolvers"];

const CHOICES: readonly (readonly [Mode, string])[] = [
  ["never", "Never"],
  ["fallback", "Fallback"],
  ["first", "Preferred"],
];

const SENTENCES: Readonly<Record<Mode, string>> = {
  never: "are not used.",
  fallback: "are used only while none of your upstream servers responds.",
  first: "are preferred; your upstream servers are the fallback.",
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
        <h2 id="provider-resolvers">ISP DNS</h2>
        <span class="note">servers provided by DHCP</span>
      </header>
      <Form write={write} class="form pad" failed="The setting was not saved.">
        <SelectField
          label="Use ISP DNS"
          help="Some hotels and networks block all others. Queries are unencrypted; never used for Family DNS"
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
            <SubmitButton write={write}>Preview choice</SubmitButton>
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
    title: "Preview: ISP DNS",
    subject: "ISP DNS servers",
    sentence: SENTENCES[mode],
    details: mode === "never"
      ? []
      : ["Your ISP and anyone on the path to it can then read the domains that you visit."],
    button: mode === "never" ? "Do not use" : "Use ISP DNS",
    done: SENTENCES[mode],
    request: () => ({
      method: "PUT",
      path: "/dnsSettings",
      ifMatch: etag,
      body: { ...settings, ProviderResolvers: mode },
    }),
  };
}
