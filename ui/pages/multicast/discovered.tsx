import type { VNode } from "preact";
import { useSignal } from "@preact/signals";
import { Fault } from "../../parts/form/fault.tsx";
import { Loading } from "../../parts/load/loading.tsx";
import { Name, Names } from "../../parts/show/name.tsx";
import { devices } from "../../state/store.ts";
import { age } from "../../text/time.ts";
import { nameOf } from "../../text/format.ts";
import type { Loaded } from "../../parts/load/use_loaded.ts";
import type { DiscoveredSender } from "./wire.ts";
import { t } from "../../text/language.ts";
import { rich } from "../../text/translate.ts";

/** Senders that are drawn at once. */
const SHOWN = 50;
/** Services that are named in a row. */
const NAMED = 3;

/** Discovered senders, and the services they offer or look for. */
export function DiscoveredList(
  { discovered }: { discovered: Loaded<{ readonly items: readonly DiscoveredSender[] }> },
): VNode {
  const shown = useSignal(SHOWN);
  const list = discovered.body?.items ?? [];
  const now = Date.now();
  return (
    <section class="panel bleed" aria-labelledby="discovered">
      <header>
        <h2 id="discovered">{t("Discovered")}</h2>
        <span class="note">{t("services that devices announce or look for")}</span>
      </header>
      {discovered.problem !== null
        ? (
          <Fault warning title={t("The discovered devices could not be loaded.")}>
            {discovered.problem.message}
          </Fault>
        )
        : discovered.body === null
        ? <Loading what={t("discovered devices")} rows={3} />
        : list.length === 0
        ? <p class="pad s quiet">{t("Nothing yet.")}</p>
        : (
          <table class="tbl links" role="table" aria-label={t("Discovered")}>
            <thead role="rowgroup">
              <tr role="row">
                <th scope="col" role="columnheader">{t("Device")}</th>
                <th scope="col" role="columnheader">{t("IP address")}</th>
                <th scope="col" role="columnheader">{t("Group")}</th>
                <th scope="col" role="columnheader" class="c-says">{t("Offers or looks for")}</th>
                <th scope="col" role="columnheader" class="num c-last">{t("Last seen")}</th>
              </tr>
            </thead>
            <tbody role="rowgroup">
              {list.slice(0, shown.value).map((one) => (
                <tr key={`${one.address} ${one.source} ${one.link}`} role="row">
                  <td role="cell" class="c-name">
                    {one.identity === ""
                      ? <span class="quiet">{t("unknown")}</span>
                      : (
                        <a href={`/admin/devices/${encodeURIComponent(one.identity)}`}>
                          <Name>{nameOf(one.identity, devices.value?.[one.identity])}</Name>
                        </a>
                      )}
                  </td>
                  <td role="cell" class="soft">
                    {rich(t("{source} on {link}"), {
                      source: one.source,
                      link: <Name>{one.link}</Name>,
                    })}
                  </td>
                  <td role="cell" class="soft">{one.address}</td>
                  <td role="cell" class="soft wrap">
                    <Names>{one.services.slice(-NAMED)}</Names>
                    {one.services.length > NAMED &&
                      t(" and {services} more", { services: one.services.length - NAMED })}
                  </td>
                  <td role="cell" class="num">{age(one.lastSeen, now)}</td>
                </tr>
              ))}
            </tbody>
          </table>
        )}
      {list.length > shown.value && (
        <footer>
          <button class="btn small" type="button" onClick={() => shown.value += SHOWN}>
            {t("{list} more", { list: list.length - shown.value })}
          </button>
        </footer>
      )}
    </section>
  );
}
