import type { VNode } from "preact";
import { useSignal } from "@preact/signals";
import { openPreview } from "../../../actions/action.ts";
import { call } from "../../../api/client.ts";
import { DeleteDialog } from "../../../parts/overlay/delete_dialog.tsx";
import { Name } from "../../../parts/show/name.tsx";
import { Switch } from "../../../parts/form/switch.tsx";
import { changeEvents } from "../../../state/store.ts";
import { age } from "../../../text/time.ts";
import { say } from "../../../state/toast.ts";
import type { Device } from "../../../wire.ts";
import { nameOf, numberText } from "../../../text/format.ts";
import { EntryDialog } from "../../dns/log/entry_dialog.tsx";
import { keepOf, LOG_SETTINGS } from "../../dns/log/actions.ts";
import { facetCount } from "../../dns/log/counts.ts";
import { readable } from "../../dns/log/idn.ts";
import type { LogEntry, LogPart, LogSettings, LogState } from "../../dns/wire.ts";
import { outcome, queryName } from "../../dns/text.ts";
import { useLoaded } from "../../../parts/load/use_loaded.ts";
import { usePulse } from "../../../parts/load/use_pulse.ts";
import { t, tn } from "../../../text/language.ts";
import { rich } from "../../../text/translate.ts";
import "../../../styles/pages/dns.css";

/** Queries that are shown. */
const SHOWN = 20;
/** Milliseconds between two loads of them. */
const LOOK_EVERY = 10_000;

/** The DNS queries of the device, and whether they are logged. */
export function QueryLogPanel(
  { identity, device }: { identity: string; device: Device },
): VNode | null {
  const client = device.RecentIP;
  const pulse = usePulse(LOOK_EVERY);
  const when = [client, pulse, changeEvents.value];
  const part = useLoaded<LogPart>(
    client === ""
      ? null
      : { path: "/plugins/dns/log/entries", query: { client, limit: String(SHOWN) } },
    when,
  );
  const day = useLoaded<LogState>(
    client === "" ? null : { path: "/plugins/dns/log/status", query: { client } },
    when,
  );
  const settings = useLoaded<LogSettings>({ path: LOG_SETTINGS }, [changeEvents.value]);
  const open = useSignal<LogEntry | null>(null);
  const forgets = useSignal(false);
  if (client === "") return null;
  const kept = !settings.body?.HostPrivacyIPList.includes(client);
  const name = nameOf(identity, device);
  const counts = day.body?.counts ?? {};
  return (
    <section class="panel" aria-labelledby="questions">
      <header>
        <h2 id="questions">{t("DNS")}</h2>
        <a class="btn small" href={`/admin/dns?client=${encodeURIComponent(client)}`}>
          {t("View query log")}
        </a>
      </header>
      {settings.body?.StoreLocalMemory === false && (
        <p class="pad s quiet">
          {rich(t("Query logging is off. {link}"), {
            link: <a href="/admin/dns/settings">{t("Log settings")}</a>,
          })}
        </p>
      )}
      {settings.body?.StoreLocalMemory && (
        <ul class="setting-list">
          <li>
            <div>
              <b>{t("Log DNS queries")}</b>
              <p>
                {day.body === null ? t("Queries of this device") : tn(
                  "{count} query in 24 h, {facetCount} blocked",
                  "{count} queries in 24 h, {facetCount} blocked",
                  facetCount("all", counts),
                  { facetCount: numberText(facetCount("blocked", counts)) },
                )}
              </p>
            </div>
            <Switch
              label={t("Log DNS queries")}
              on={kept}
              onFlip={() =>
                settings.body !== null && openPreview(keepOf({ name, address: client }, !kept, {
                  now: settings.body,
                  etag: settings.etag,
                }))}
            />
          </li>
        </ul>
      )}
      {part.problem !== null
        ? (
          <p class="pad s quiet">
            {t("The query log could not be loaded. {message}", { message: part.problem.message })}
          </p>
        )
        : part.body === null
        ? null
        : part.body.items.length === 0
        ? settings.body?.StoreLocalMemory !== false && (
          <p class="pad s quiet">{t("No queries logged.")}</p>
        )
        : (
          <ul class="queries">
            {part.body.items.map((entry) => (
              <li key={entry.id}>
                <button class="link" type="button" onClick={() => open.value = entry}>
                  <Name>{readable(queryName(entry))}</Name>
                </button>
                <span class={`chip ${outcome(entry)[1]}`}>{outcome(entry)[0]}</span>
                <span class="quiet s">{age(Date.parse(entry.Timestamp), Date.now())}</span>
              </li>
            ))}
          </ul>
        )}
      {part.body !== null && part.body.items.length > 0 && (
        <footer>
          <button class="btn small danger" type="button" onClick={() => forgets.value = true}>
            {t("Clear history")}
          </button>
        </footer>
      )}
      {forgets.value && (
        <DeleteDialog
          name={`The queries of ${name}`}
          loss={t("New queries are still logged.")}
          act={async () => {
            const path = `/plugins/dns/log/history/${encodeURIComponent(client)}`;
            await call({ method: "DELETE", path });
            say({ text: t("Query history cleared.") });
            part.reload();
          }}
          onClose={() => forgets.value = false}
        />
      )}
      {open.value !== null && <EntryDialog entry={open.value} onClose={() => open.value = null} />}
    </section>
  );
}
