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
  ["fallback", "While none of mine answers"],
  ["first", "Before mine"],
];

const SENTENCES: Readonly<Record<Mode, string>> = {
  never: "are never asked.",
  fallback: "are asked while none of yours answers, and no longer.",
  first: "are asked before yours, which stand in for them.",
};

/** Whether the resolvers are asked that come with the address of an uplink. */
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
        <h2 id="provider-resolvers">Your provider’s resolvers</h2>
        <span class="note">those that come with the router’s address</span>
      </header>
      <Form write={write} class="form pad" failed="They are asked as before.">
        <SelectField
          label="Asked"
          help="Some hotels and networks let no others through. They are asked in the open, and never for Family DNS"
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
            <SubmitButton write={write}>Preview this choice</SubmitButton>
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
    title: "Preview: your provider’s resolvers",
    subject: "Your provider’s resolvers",
    sentence: SENTENCES[mode],
    details: mode === "never"
      ? []
      : ["Your provider, and who is on the way to it, then reads the names that it is asked for."],
    button: mode === "never" ? "Ask them nothing" : "Ask them so",
    done: SENTENCES[mode],
    request: () => ({
      method: "PUT",
      path: "/dnsSettings",
      ifMatch: etag,
      body: { ...settings, ProviderResolvers: mode },
    }),
  };
}
