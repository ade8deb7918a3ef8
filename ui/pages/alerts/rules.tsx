import type { VNode } from "preact";
import { useSignal } from "@preact/signals";
import { type Action, openPreview } from "../../actions/action.ts";
import { call } from "../../api/client.ts";
import { failureText } from "../../api/problem.ts";
import { Fault } from "../../parts/form/fault.tsx";
import { Switch } from "../../parts/form/switch.tsx";
import { Loading } from "../../parts/load/loading.tsx";
import { useLoaded } from "../../parts/load/use_loaded.ts";
import { Name } from "../../parts/show/name.tsx";
import { changeEvents } from "../../state/store.ts";
import { say } from "../../state/toast.ts";
import { RuleDialog } from "./rule_dialog.tsx";
import type { AlertRule } from "./wire.ts";
import { t } from "../../text/language.ts";

/** The rules in their order: switch, edit, delete, add. */
export function Rules(): VNode {
  const loaded = useLoaded<readonly AlertRule[]>({ path: "/alerts" }, [changeEvents.value]);
  const edited = useSignal<AlertRule | "new" | null>(null);
  const rules = loaded.body;

  async function flip(rule: AlertRule): Promise<void> {
    try {
      const path = `/alerts/${rule.RuleId}`;
      await call({ method: "PUT", path, body: { Disabled: !rule.Disabled } });
    } catch (error) {
      say({ text: failureText(error, (text) => t("Not changed. {text}", { text })) });
    }
    loaded.reload();
  }

  return (
    <section class="panel" aria-labelledby="alert-rules">
      <header>
        <h2 id="alert-rules">{t("Rules")}</h2>
        <button class="btn small" type="button" onClick={() => edited.value = "new"}>
          {t("Add rule")}
        </button>
      </header>
      {loaded.problem !== null && (
        <Fault title={t("The rules could not be loaded.")}>{loaded.problem.message}</Fault>
      )}
      {rules === null
        ? loaded.problem === null && <Loading what={t("rules")} rows={4} />
        : rules.length === 0
        ? <p class="pad s quiet">{t("No rules yet.")}</p>
        : (
          <ul class="rows alert-rules">
            {rules.map((rule) => (
              <li key={rule.RuleId}>
                <div class="grow">
                  <b>
                    <Name>{rule.Name}</Name>
                  </b>
                  <p>
                    <Name>{rule.TopicPrefix}</Name> · {deedText(rule)}
                  </p>
                </div>
                <Switch
                  label={t("{name} ({topicPrefix}) is on", {
                    name: rule.Name,
                    topicPrefix: rule.TopicPrefix,
                  })}
                  on={!rule.Disabled}
                  onFlip={() => void flip(rule)}
                />
                <button class="btn small" type="button" onClick={() => edited.value = rule}>
                  {t("Edit")}
                  <span class="vh">{rule.Name}</span>
                </button>
                <button
                  class="btn small danger"
                  type="button"
                  onClick={() => openPreview(deleteRule(rule, loaded.reload))}
                >
                  {t("Delete")}
                  <span class="vh">{rule.Name}</span>
                </button>
              </li>
            ))}
          </ul>
        )}
      {edited.value !== null && (
        <RuleDialog
          rule={edited.value === "new" ? null : edited.value}
          onClose={() => edited.value = null}
          onSaved={loaded.reload}
        />
      )}
    </section>
  );
}

function deedText({ Actions }: AlertRule): string {
  const notifies = Actions.some(({ SendNotification }) => SendNotification);
  const stores = Actions.some(({ StoreAlert }) => StoreAlert);
  if (notifies) return stores ? t("notifies, listed in the inbox") : t("notifies");
  return stores ? t("listed in the inbox") : t("does nothing");
}

function deleteRule(rule: AlertRule, after: () => void): Action {
  return {
    title: t("Preview: delete rule"),
    subject: rule.Name,
    sentence: t("is deleted. What it found stays in the inbox."),
    button: t("Delete rule"),
    danger: true,
    done: t("is deleted."),
    request: () => ({ method: "DELETE", path: `/alerts/${rule.RuleId}` }),
    after,
  };
}
