import type { VNode } from "preact";
import { useSignal } from "@preact/signals";
import { useLocation } from "preact-iso/router";
import { Fault } from "../../parts/form/fault.tsx";
import { Icon } from "../../parts/show/icon.tsx";
import { Loading } from "../../parts/load/loading.tsx";
import { Name } from "../../parts/show/name.tsx";
import { changeEvents, devices } from "../../state/store.ts";
import { fieldMessage, formMessage } from "../../parts/form/body_check.ts";
import { PageHead, type PageProps } from "../../parts/show/page_head.tsx";
import { type Loaded, useLoaded } from "../../parts/load/use_loaded.ts";
import { Chain } from "./chain.tsx";
import { Suggestions } from "./suggestions.tsx";
import { AskForm } from "./form.tsx";
import { SaveTest } from "./save_test.tsx";
import { Tests } from "./tests.tsx";
import type { ReachAnswer, ReachTestResult } from "./wire.ts";
import { answerText, type Question } from "./text.ts";
import { t } from "../../text/language.ts";
import "../../styles/pages/reach.css";

const FIELDS = ["from", "to", "protocol", "port"] as const;

/** Tests a connection, explains the verdict, and saves tests. */
export default function ReachPage({ title }: PageProps): VNode {
  const { query, route } = useLocation();
  const question: Question = {
    from: query["from"] ?? "",
    to: query["to"] ?? "",
    protocol: query["protocol"] ?? "tcp",
    port: query["port"] ?? "443",
  };
  const complete = question.from !== "" && question.to !== "";
  const when = [changeEvents.value, devices.value];
  const answer = useLoaded<ReachAnswer>(
    complete ? { path: "/reach", query: { ...question } } : null,
    [...when, ...FIELDS.map((field) => question[field])],
  );
  const tests = useLoaded<readonly ReachTestResult[]>({ path: "/reach/tests" }, when);
  const ask = (next: Question) => route(`/admin/reach?${new URLSearchParams({ ...next })}`);
  return (
    <>
      <PageHead title={title} note={t("Check whether a connection is allowed, and why")} />
      <section class="panel stacked-note" aria-label={t("Test and result")}>
        <AskForm
          question={question}
          problem={(field) => fieldMessage(answer.problem, field)}
          onAsk={ask}
        />
        {complete && <Answer question={question} answer={answer} onKept={tests.reload} />}
      </section>
      <div class="cols main-side">
        {complete && answer.body !== null && answer.problem === null
          ? (
            <div class="stack">
              <Chain rules={answer.body.rules} />
              <Suggestions
                key={JSON.stringify(question)}
                question={question}
                yes={answer.body.verdict === "accept"}
                onMoved={ask}
              />
            </div>
          )
          : <Teach />}
        <Tests tests={tests} onAsk={ask} />
      </div>
    </>
  );
}

function Answer(
  { question, answer, onKept }: {
    question: Question;
    answer: Loaded<ReachAnswer>;
    onKept: () => void;
  },
): VNode | null {
  const keeping = useSignal(false);
  const { body, problem } = answer;
  if (problem !== null) {
    const other = formMessage(problem, FIELDS);
    return other === null ? null : <Fault title={t("The test failed.")}>{other}</Fault>;
  }
  if (body === null) return <Loading what={t("the result")} rows={2} />;
  const yes = body.verdict === "accept";
  return (
    <div class="answer">
      <Icon name={yes ? "gate_open" : "gate_closed"} class={yes ? "success-t" : "danger-t"} />
      <div role="status">
        <h2>
          <span class={yes ? "success-t" : "danger-t"}>{yes ? t("Allowed.") : t("Blocked.")}</span>
          {" "}
          <Name>{answerText(question, body)}</Name>
        </h2>
        <p class="s soft">
          <Name>{body.reason}</Name>
          {body.verdict === "reject" && t(". The source is notified")}.
        </p>
        {[body.from, body.to].map((end) =>
          end.leaf !== null && (
            <p key={end.identity} class="s soft">
              <Name>
                {t("{device} is connected through the leaf router {leaf}.", {
                  ...{ device: end.name, leaf: end.leaf },
                })}
              </Name>
            </p>
          )
        )}
      </div>
      <button class="btn" type="button" onClick={() => keeping.value = true}>
        {t("Save as test")}
      </button>
      {keeping.value && (
        <SaveTest
          question={question}
          expect={yes ? "accept" : "drop"}
          onClose={() => keeping.value = false}
          onDone={onKept}
        />
      )}
    </div>
  );
}

function Teach(): VNode {
  return (
    <section class="panel empty" aria-label={t("How to test")}>
      <Icon name="gate_open" />
      <h2>{t("Enter source and destination")}</h2>
      <p class="s soft">
        {t(
          "For example a tablet and the Internet on TCP 443. The result lists the matched rules in order.",
        )}
      </p>
    </section>
  );
}
