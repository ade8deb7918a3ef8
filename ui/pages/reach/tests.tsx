import type { VNode } from "preact";
import { useSignal } from "@preact/signals";
import { applyOrPreview } from "../../actions/apply.ts";
import { Icon } from "../../parts/show/icon.tsx";
import { Fault } from "../../parts/form/fault.tsx";
import { WriteFault } from "../../parts/form/write_fault.tsx";
import { Loading } from "../../parts/load/loading.tsx";
import { Name } from "../../parts/show/name.tsx";
import { devices } from "../../state/store.ts";
import { endName } from "../../text/format.ts";
import type { Loaded } from "../../parts/load/use_loaded.ts";
import { deleteTest } from "./actions.ts";
import type { ReachTestResult } from "./wire.ts";
import { type Question, testText } from "./text.ts";
import { t } from "../../text/language.ts";
import { rich } from "../../text/translate.ts";

/** The saved access tests with their results. */
export function Tests(
  { tests, onAsk }: {
    tests: Loaded<readonly ReachTestResult[]>;
    onAsk: (question: Question) => void;
  },
): VNode {
  const problem = useSignal<unknown>(null);
  const list = tests.body;
  const failing = list?.filter((test) => !test.passes).length ?? 0;
  async function drop(name: string): Promise<void> {
    problem.value = null;
    try {
      await applyOrPreview(deleteTest(name, tests.reload));
    } catch (error) {
      problem.value = error;
    }
  }
  return (
    <section class="panel" aria-labelledby="tests">
      <header>
        <h2 id="tests">{t("Tests")}</h2>
        {failing > 0 && <span class="chip danger">{t("{failing} failed", { failing })}</span>}
      </header>
      {problem.value !== null && (
        <WriteFault failed={t("The test was not deleted.")} error={problem.value} />
      )}
      {list === null
        ? tests.problem === null
          ? <Loading what={t("tests")} rows={2} />
          : <Fault title={t("The tests could not be loaded.")}>{tests.problem.message}</Fault>
        : list.length === 0
        ? (
          <p class="pad s quiet">
            {t("None yet. Run a test and save it: a change that fails it is refused.")}
          </p>
        )
        : (
          <ul class="rows">
            {list.map((test) => (
              <li key={test.Name}>
                <span class={test.passes ? "success-t" : "danger-t"}>
                  <Icon name={test.Expect === "accept" ? "gate_open" : "gate_closed"} small />
                </span>
                <div class="grow">
                  <button
                    class="link wraps"
                    type="button"
                    onClick={() =>
                      onAsk({
                        from: test.From,
                        to: test.To,
                        protocol: test.Protocol,
                        port: test.Port,
                      })}
                  >
                    <Name>{test.Name}</Name>
                  </button>
                  <p>
                    <Name>{testText(test, (end) => endName(end, devices.value ?? {}))}</Name>
                  </p>
                  {!test.passes && (
                    <p class="danger-t">
                      {rich(t("Fail: {reason}"), { reason: <Name>{test.reason}</Name> })}
                    </p>
                  )}
                </div>
                <span class="s quiet">{test.passes ? t("Pass") : t("Fail")}</span>
                <button
                  class="icon-btn small"
                  type="button"
                  aria-label={t("Delete test {name}", { name: test.Name })}
                  onClick={() => void drop(test.Name)}
                >
                  <Icon name="x" small />
                </button>
              </li>
            ))}
          </ul>
        )}
    </section>
  );
}
