import type { VNode } from "preact";
import { openPreview } from "../../actions/action.ts";
import { Fault } from "../../parts/form/fault.tsx";
import { Name } from "../../parts/show/name.tsx";
import { changeEvents } from "../../state/store.ts";
import { proposedAction } from "../../actions/proposed.ts";
import { useLoaded } from "../../parts/load/use_loaded.ts";
import type { ReachAnswer, ReachSuggestion } from "./wire.ts";
import { costText, type Question, suggestionText } from "./text.ts";
import { t } from "../../text/language.ts";

/** Suggested changes, least access first, each with its side effects. */
export function Suggestions(
  { question, yes, onMoved }: {
    question: Question;
    /** Whether the connection is allowed now. */
    yes: boolean;
    /** Tests the address of the forward that was added. */
    onMoved: (question: Question) => void;
  },
): VNode {
  const found = useLoaded<ReachAnswer & { readonly suggestions: readonly ReachSuggestion[] }>(
    { path: "/reach", query: { ...question, suggest: "true" } },
    // Each way is planned whole: not for every device that shows itself.
    [changeEvents.value, yes, ...Object.values(question)],
  );
  const wanted = yes ? "no" : "yes";
  const list = found.body !== null && (found.body.verdict === "accept") === yes
    ? found.body.suggestions
    : null;
  const open = (flip: ReachSuggestion): void =>
    openPreview(proposedAction(flip, suggestionText(flip, wanted), () => {
      if (flip.to !== undefined) onMoved({ ...question, to: flip.to });
    }));
  // No heading over nothing, while ways against the new answer are looked for.
  if (list === null && found.problem === null) {
    return (
      <section class="panel" aria-label={t("Suggestions")}>
        <p class="pad s quiet" role="status">
          {yes ? t("Looking for ways to block…") : t("Looking for ways to allow…")}
        </p>
      </section>
    );
  }
  return (
    <section class="panel" aria-labelledby="flips">
      <header>
        <h2 id="flips">{yes ? t("Ways to block") : t("Ways to allow")}</h2>
        {list !== null && list.length > 1 && (
          <span class="note">{yes ? t("smallest change first") : t("least access first")}</span>
        )}
      </header>
      {found.problem !== null
        ? (
          <Fault warning title={t("Suggestions could not be loaded.")}>
            {found.problem.message}
          </Fault>
        )
        : list === null || list.length === 0
        ? (
          <p class="pad s quiet">
            {t(
              "No single change does it. More than one rule is involved, or Sluice does not control one of the two ends.",
            )}
          </p>
        )
        : (
          <ol class="rows">
            {list.map((flip) => (
              <li key={`${flip.method} ${flip.path} ${flip.summary}`}>
                <div class="grow">
                  <b>
                    <Name>{flip.summary}</Name>
                  </b>
                  <p>{costText(flip)}</p>
                </div>
                <button
                  class="btn small"
                  type="button"
                  aria-label={t("Preview: {summary}", { summary: flip.summary })}
                  onClick={() => open(flip)}
                >
                  {t("Preview")}
                </button>
              </li>
            ))}
          </ol>
        )}
    </section>
  );
}
