import type { VNode } from "preact";
import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { previewForm } from "../../../actions/apply.ts";
import { Field } from "../../../parts/form/field.tsx";
import { useForm } from "../../../parts/form/use_form.ts";
import { Form, SubmitButton } from "../../../parts/form/form.tsx";
import { sendTextBody, TEXT_FIELD } from "../text_body.ts";
import { t } from "../../../text/language.ts";

/** One upstream resolver for everything, such as a local one that is being tested. */
export function SingleUpstream({ now }: { now: string }): VNode {
  const address = useSignal(now);
  useEffect(() => void (address.value = now), [now]);
  const write = useForm({
    send: () => {
      const resolver = address.value.trim();
      const sentence = resolver === ""
        ? t("uses the upstream servers again.")
        : t("uses {resolver} for everything, unencrypted.", { resolver });
      return sendTextBody(() =>
        previewForm({
          title: t("Preview: single upstream"),
          subject: "DNS",
          sentence,
          button: resolver === "" ? t("Use upstream servers") : t("Use this server"),
          done: sentence,
          request: () => ({ method: "PUT", path: "/firewall/systemDnsOverride", body: resolver }),
        })
      );
    },
  });
  return (
    <section class="panel" aria-labelledby="instead">
      <header>
        <h2 id="instead">{t("Use one upstream for everything")}</h2>
        <span class="note">{now === "" ? t("off") : t("active now")}</span>
      </header>
      <Form write={write} class="form pad" failed={t("The server was not saved.")}>
        <Field
          label={t("Server IP")}
          help={t("For example a LAN server. Empty = off")}
          autocomplete="off"
          {...write.text(TEXT_FIELD, address)}
        />
        <div class="row">
          <SubmitButton write={write} class="btn">{t("Preview server")}</SubmitButton>
        </div>
      </Form>
    </section>
  );
}
