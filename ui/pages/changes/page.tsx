import type { VNode } from "preact";
import { useSignal } from "@preact/signals";
import { useRef } from "preact/hooks";
import { useRoute } from "preact-iso/router";
import { SelectField } from "../../parts/form/choice_field.tsx";
import { Fault } from "../../parts/form/fault.tsx";
import { Icon } from "../../parts/show/icon.tsx";
import { Loading } from "../../parts/load/loading.tsx";
import { Name } from "../../parts/show/name.tsx";
import { clock, dayName } from "../../text/time.ts";
import { pendingConfirm } from "../../state/store.ts";
import type { Change } from "../../wire.ts";
import { byText } from "../../text/format.ts";
import { moveRowFocus } from "../../parts/form/keys.ts";
import { PageHead, type PageProps } from "../../parts/show/page_head.tsx";
import { Detail } from "./detail.tsx";
import { useHistory } from "./history.ts";
import { SearchField } from "../../parts/table/search_field.tsx";
import { t } from "../../text/language.ts";
import "../../styles/pages/changes.css";

/** The change history, with undo and restore. */
export default function ChangesPage({ title }: PageProps): VNode {
  const chosen = useRoute().params["id"];
  const by = useSignal(""), what = useSignal("");
  const { items, next, problem, more } = useHistory({ by: by.value, what: what.value.trim() });
  const isFiltered = by.value !== "" || what.value.trim() !== "";
  const authors = useAuthors(items ?? []);
  return (
    <>
      <PageHead title={title} note={t("Who changed what and when, with revert")} />
      {problem && <Fault title={t("The history could not be loaded.")}>{problem}</Fault>}
      <div class={chosen ? "cols changes chosen" : "cols"}>
        <section class="panel history" aria-label={t("History")}>
          <div class="pad history-tools">
            <SearchField
              label={t("Search changes")}
              text={what.value}
              onText={(text) => what.value = text}
            />
            <SelectField
              label={t("By")}
              value={by.value}
              options={[
                ["", t("Everyone")],
                ...authors.map((name) => [name, byText(name)] as const),
              ]}
              onValue={(name) => by.value = name}
            />
          </div>
          {items === null
            ? (problem === null && <Loading what={t("changes")} />)
            : items.length === 0
            ? (isFiltered ? <p class="pad s quiet">{t("No matching changes.")}</p> : <NoChanges />)
            : <Log items={items} chosen={chosen} />}
          {next !== null && (
            <footer>
              <button class="btn small" type="button" onClick={() => void more()}>
                {t("Older")}
              </button>
            </footer>
          )}
        </section>
        {chosen && <Detail key={chosen} id={chosen} />}
      </div>
    </>
  );
}

/** The authors that were seen while the page is open, so that choosing one does not hide the others. */
function useAuthors(items: readonly Change[]): readonly string[] {
  const seen = useRef(new Set<string>());
  for (const { by } of items) seen.current.add(by);
  return [...seen.current].toSorted();
}

function Log({ items, chosen }: { items: readonly Change[]; chosen: string | undefined }): VNode {
  const now = Date.now();
  const days = Map.groupBy(items, (change) => dayName(change.at, now));
  return (
    <ul class="log" onKeyDown={moveRowFocus}>
      {[...days].map(([name, changes]) => (
        <>
          <li key={name} class="day">{name}</li>
          {changes.map((change) => (
            <li key={change.id}>
              <a
                data-row
                href={`/admin/changes/${encodeURIComponent(change.id)}`}
                aria-current={change.id === chosen ? "true" : undefined}
              >
                <time dateTime={new Date(change.at).toISOString()}>{clock(change.at)}</time>
                <b>
                  <Name>{change.summary}</Name>
                </b>
                <StateChip change={change} />
                <small>
                  <Name>{byText(change.by)}</Name>
                  {change.from && t(", from {from}", { from: change.from })}
                </small>
              </a>
            </li>
          ))}
        </>
      ))}
    </ul>
  );
}

/** How a change ended, where that is worth a word. */
export function StateChip({ change }: { change: Change }): VNode | null {
  if (change.undoneBy !== null && change.undoneBy !== undefined) {
    return <span class="chip warning">{t("reverted")}</span>;
  }
  if (change.state === "broken" || change.state === "failed") {
    return <span class="chip danger">{change.state}</span>;
  }
  if (pendingConfirm.value?.id === change.id) {
    return <span class="chip warning">{t("awaiting confirmation")}</span>;
  }
  return null;
}

function NoChanges(): VNode {
  return (
    <div class="empty">
      <Icon name="changes" />
      <h2>{t("No changes yet")}</h2>
      <p class="s soft">
        {t("Every change of the configuration is listed here and can be reverted.")}
      </p>
    </div>
  );
}
