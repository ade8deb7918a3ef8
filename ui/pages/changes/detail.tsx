import type { VNode } from "preact";
import { useEffect, useState } from "preact/hooks";
import { call } from "../../api/client.ts";
import { openPreview } from "../../actions/action.ts";
import { Diff } from "../../parts/preview/diff.tsx";
import { Fault } from "../../parts/form/fault.tsx";
import { Icon } from "../../parts/show/icon.tsx";
import { Loading } from "../../parts/load/loading.tsx";
import { Name } from "../../parts/show/name.tsx";
import { ApiProblem, textOf } from "../../api/problem.ts";
import { changeEvents } from "../../state/store.ts";
import { clock, day } from "../../text/time.ts";
import type { ChangeDetail } from "../../wire.ts";
import { byText } from "../../text/format.ts";
import { restoreAction, undoAction } from "../../actions/undo.ts";
import { t, tn } from "../../text/language.ts";
import { rich } from "../../text/translate.ts";
import "../../styles/parts/dialog.css";

/** One change: who, when, what exactly, and its undo. */
export function Detail({ id }: { id: string }): VNode {
  const [change, setChange] = useState<ChangeDetail | null>(null);
  const [problem, setProblem] = useState<string | null>(null);
  const seen = changeEvents.value;
  useEffect(() => {
    call<ChangeDetail>({ path: `/changes/${encodeURIComponent(id)}` })
      .then(({ body }) => setChange(body), (error) => setProblem(gone(error)));
  }, [id, seen]);
  return (
    <section class="panel detail" aria-label={t("Selected change")}>
      {change !== null
        ? <Shown change={change} />
        : problem !== null
        ? <Fault title={t("The change could not be loaded.")}>{problem}</Fault>
        : <Loading what={t("the change")} rows={3} />}
    </section>
  );
}

function gone(error: unknown): string {
  return error instanceof ApiProblem && error.status === 404
    ? t("It was not found. It may be older than the history.")
    : textOf(error);
}

function Shown({ change }: { change: ChangeDetail }): VNode {
  const reverted = change.undoneBy !== null && change.undoneBy !== undefined;
  return (
    <>
      <header>
        <div class="grow">
          <h2>
            <Name>{change.summary}</Name>
          </h2>
          <p class="s quiet any">
            {day(change.at)}, {clock(change.at, true)} · <Name>{byText(change.by)}</Name>
            {change.from && t(", from {from}", { from: change.from })}
          </p>
        </div>
        <span class="row wrap">
          <button
            class="btn"
            type="button"
            disabled={reverted}
            onClick={() => openPreview(undoAction(change.id, change.summary))}
          >
            <Icon name="undo" small />
            {reverted ? t("Reverted") : t("Revert")}
          </button>
          <button
            class="btn"
            type="button"
            onClick={() => openPreview(restoreAction(change.id, change.summary))}
          >
            {t("Revert to this point")}
          </button>
        </span>
      </header>
      <div class="pad">
        <section class="part first" aria-label={t("Configuration and kernel")}>
          <h3>
            {t("Configuration and kernel")}
            <span class="n">
              {tn("{count} value", "{count} values", change.patch.length)},{" "}
              {tn("{count} kernel line", "{count} kernel lines", change.system.length)}
            </span>
          </h3>
          <Diff patch={change.patch} system={change.system} />
        </section>
      </div>
      <footer>
        <Links change={change} />
        <a class="back" href="/admin/changes">{t("Back to history")}</a>
      </footer>
    </>
  );
}

function Links({ change }: { change: ChangeDetail }): VNode | null {
  if (change.undoneBy) {
    return (
      <p>
        {rich(t("Reverted by {link}."), {
          link: <a href={href(change.undoneBy)}>{t("a later change")}</a>,
        })}
      </p>
    );
  }
  if (change.undoes) {
    return (
      <p>
        {rich(t("Reverts {link}."), {
          link: <a href={href(change.undoes)}>{t("an earlier change")}</a>,
        })}
      </p>
    );
  }
  return null;
}

function href(id: string): string {
  return `/admin/changes/${encodeURIComponent(id)}`;
}
