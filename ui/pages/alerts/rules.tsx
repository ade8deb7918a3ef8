import type { VNode } from "preact";
import { useSignal } from "@preact/signals";
import { type Action, openPreview } from "../../actions/action.ts";
import { call } from "../../api/client.ts";
import { textOf } from "../../api/problem.ts";
import { Fault } from "../../parts/form/fault.tsx";
import { Switch } from "../../parts/form/switch.tsx";
import { Loading } from "../../parts/load/loading.tsx";
import { useLoaded } from "../../parts/load/use_loaded.ts";
import { Name } from "../../parts/show/name.tsx";
import { changeEvents } from "../../state/store.ts";
import { say } from "../../state/toast.ts";
import { RuleDialog } from "./rule_dialog.tsx";
import type { AlertRule } from "./wire.ts";

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
      say({ text: `Not changed. ${textOf(error)}` });
    }
    loaded.reload();
  }

  return (
    <section class="panel" aria-labelledby="alert-rules">
      <header>
        <h2 id="alert-rules">Rules</h2>
        <button class="btn small" type="button" onClick={() => edited.value = "new"}>
          Add rule
        </button>
      </header>
      {loaded.problem !== null && (
        <Fault title="The rules could not be loaded.">{loaded.problem.message}</Fault>
      )}
      {rules === null
        ? loaded.problem === null && <Loading what="rules" rows={4} />
        : rules.length === 0
        ? <p class="pad s quiet">No rules yet.</p>
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
                  label={`${rule.Name} (${rule.TopicPrefix}) is on`}
                  on={!rule.Disabled}
                  onFlip={() => void flip(rule)}
                />
                <button class="btn small" type="button" onClick={() => edited.value = rule}>
                  Edit<span class="vh">{rule.Name}</span>
                </button>
                <button
                  class="btn small danger"
                  type="button"
                  onClick={() => openPreview(deleteRule(rule, loaded.reload))}
                >
                  Delete<span class="vh">{rule.Name}</span>
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
  if (notifies) return stores ? "notifies, listed in the inbox" : "notifies";
  return stores ? "listed in the inbox" : "does nothing";
}

function deleteRule(rule: AlertRule, after: () => void): Action {
  return {
    title: "Preview: delete rule",
    subject: rule.Name,
    sentence: "is deleted. What it found stays in the inbox.",
    button: "Delete rule",
    danger: true,
    done: "is deleted.",
    request: () => ({ method: "DELETE", path: `/alerts/${rule.RuleId}` }),
    after,
  };
}
