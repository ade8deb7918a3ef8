import type { VNode } from "preact";
import { useSignal } from "@preact/signals";
import { download } from "../../api/download.ts";
import { Fault } from "../../parts/form/fault.tsx";
import { textOf } from "../../api/problem.ts";
import { t } from "../../text/language.ts";

/** Support bundle. */
export function SupportPanel(): VNode {
  const problem = useSignal<string | null>(null);
  const busy = useSignal(false);

  async function make(): Promise<void> {
    if (busy.value) return;
    busy.value = true;
    problem.value = null;
    try {
      await download("/support", "sluice-support.tgz");
    } catch (error) {
      problem.value = textOf(error);
    } finally {
      busy.value = false;
    }
  }

  return (
    <section class="panel" aria-labelledby="support">
      <header>
        <h2 id="support">{t("Support")}</h2>
      </header>
      {problem.value && (
        <Fault title={t("The support bundle could not be created.")}>{problem.value}</Fault>
      )}
      <div class="pad form">
        <p class="s">
          {t(
            "Versions, facts, rules, logs and settings in one archive. Passwords and keys are removed; names and addresses of your devices are included.",
          )}
        </p>
        <div class="row">
          <button class="btn" type="button" aria-disabled={busy.value} onClick={() => void make()}>
            {t("Download support bundle")}
          </button>
        </div>
      </div>
    </section>
  );
}
