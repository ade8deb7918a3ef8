import type { VNode } from "preact";
import { useSignal } from "@preact/signals";
import { call } from "../api/client.ts";
import { textOf } from "../api/problem.ts";
import { user } from "../state/session.ts";
import { loadNetwork } from "../state/store.ts";
import { say } from "../state/toast.ts";
import { Dialog } from "../parts/overlay/dialog.tsx";
import { Field } from "../parts/form/field.tsx";
import { takeoverDetail } from "./takeover.tsx";
import { t } from "../text/language.ts";

/** Asks for the password with which tables of our names are taken over. */
export function TakeoverDialog({ detail }: { detail: string }): VNode {
  const password = useSignal("");
  const problem = useSignal<string | null>(null);
  const close = () => takeoverDetail.value = null;
  async function submit(event: Event): Promise<void> {
    event.preventDefault();
    try {
      await call({
        method: "PUT",
        path: "/network/takeover",
        query: { force: "true" },
        basic: `${user.value}:${password.value}`,
        quiet: true,
      });
      say({ text: t("The table was taken over and the configuration is applied.") });
      close();
    } catch (error) {
      problem.value = textOf(error);
    }
    await loadNetwork();
  }
  return (
    <Dialog kind="box" title={t("Take over the nftables table")} focusTitle={false} onClose={close}>
      <form
        class="inner form"
        onSubmit={(event) =>
          void submit(event)}
      >
        <p class="s any">{detail}</p>
        <p class="s">{t("Its current content is lost and replaced by Sluice’s rules.")}</p>
        <Field
          label={t("Your password")}
          secret
          autocomplete="current-password"
          required
          problem={problem.value}
          value={password.value}
          onValue={(value) =>
            password.value = value}
        />
        <div class="row">
          <button class="btn danger solid" type="submit">{t("Take over")}</button>
          <button class="btn" type="button" onClick={close}>{t("Cancel")}</button>
        </div>
      </form>
    </Dialog>
  );
}
