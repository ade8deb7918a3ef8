import type { VNode } from "preact";
import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { call } from "../../api/client.ts";
import { textOf } from "../../api/problem.ts";
import { Name } from "../../parts/show/name.tsx";
import { ago } from "../../text/time.ts";
import type { AlertRule, AlertTrial } from "./wire.ts";
import { t, tn } from "../../text/language.ts";

/** Milliseconds after the last key. */
const TYPING_MS = 400;
const SHOWN = 5;

/** What a rule would have found among the events of the last day; null while it is none yet. */
export function TrialView({ rule }: { rule: AlertRule | null }): VNode {
  const trial = useSignal<AlertTrial | null>(null);
  const problem = useSignal<string | null>(null);
  const key = rule === null ? "" : JSON.stringify(rule);
  useEffect(() => {
    if (key === "") {
      trial.value = null;
      return;
    }
    let isOver = false;
    const timer = setTimeout(async () => {
      try {
        const { body } = await call<AlertTrial>({
          method: "PUT",
          path: "/alerts/try",
          body: JSON.parse(key),
        });
        if (isOver) return;
        trial.value = body;
        problem.value = null;
      } catch (error) {
        if (!isOver) problem.value = textOf(error);
      }
    }, TYPING_MS);
    return () => {
      isOver = true;
      clearTimeout(timer);
    };
  }, [key]);
  const found = trial.value;
  return (
    <section class="alert-trial" aria-label={t("Last day")} aria-live="polite">
      <h3>{t("Last day")}</h3>
      {problem.value !== null
        ? <p class="s warning-t">{problem.value}</p>
        : found === null
        ? (
          <p class="s quiet">
            {t("Enter a name and a topic to see what the rule would have found.")}
          </p>
        )
        : (
          <>
            <p class="s">
              {tn("{count} alert of {number}", "{count} alerts of {number}", found.matched, {
                number: tn("{count} event", "{count} events", found.looked),
              })}
              {!found.complete && t(", of the latest events")}
            </p>
            <ul>
              {found.items.slice(0, SHOWN).map((item) => (
                <li key={`${item.at} ${item.topic} ${item.body}`}>
                  <b>
                    <Name>{item.title}</Name>
                  </b>{" "}
                  <Name>{item.body}</Name> <span class="quiet">{ago(item.at)}</span>
                </li>
              ))}
            </ul>
          </>
        )}
    </section>
  );
}
