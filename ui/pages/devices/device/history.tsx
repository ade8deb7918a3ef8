import type { VNode } from "preact";
import { Fault } from "../../../parts/form/fault.tsx";
import { Loading } from "../../../parts/load/loading.tsx";
import { useLoaded } from "../../../parts/load/use_loaded.ts";
import { Name } from "../../../parts/show/name.tsx";
import { changeEvents } from "../../../state/store.ts";
import { byText } from "../../../text/format.ts";
import { clock, dayName } from "../../../text/time.ts";
import type { Change, Page } from "../../../wire.ts";
import { t } from "../../../text/language.ts";

/** Changes that are shown. */
const SHOWN = "10";

/** The changes of one device, each with its page, where it can be undone. */
export function DeviceHistory({ identity }: { identity: string }): VNode {
  const { body, problem } = useLoaded<Page<Change>>(
    { path: "/changes", query: { device: identity, limit: SHOWN } },
    [identity, changeEvents.value],
  );
  const now = Date.now();
  return (
    <section class="panel" aria-labelledby="device-changes">
      <header>
        <h2 id="device-changes">{t("Changes")}</h2>
        <a class="s quiet" href="/admin/changes">{t("Change history")}</a>
      </header>
      {problem !== null
        ? <Fault title={t("The changes could not be loaded.")}>{problem.message}</Fault>
        : body === null
        ? <Loading what={t("changes")} rows={3} />
        : body.items.length === 0
        ? <p class="pad s quiet">{t("No changes yet.")}</p>
        : (
          <ul class="log activity">
            {body.items.map(({ id, at, summary, by, undoneBy }) => (
              <li key={id}>
                <time dateTime={new Date(at).toISOString()}>
                  {dayName(at, now) === "Today" ? clock(at) : dayName(at, now)}
                </time>
                <span>
                  <a href={`/admin/changes/${encodeURIComponent(id)}`}>
                    <Name>{summary}</Name>
                  </a>
                  <small class="quiet">
                    {" "}
                    {byText(by)}
                    {undoneBy ? t(", reverted") : ""}
                  </small>
                </span>
              </li>
            ))}
          </ul>
        )}
    </section>
  );
}
