import type { VNode } from "preact";
import { openApproval } from "../../actions/approve.ts";
import { Fault } from "../../parts/form/fault.tsx";
import { lazyPart } from "../../parts/load/lazy.tsx";
import { Loading } from "../../parts/load/loading.tsx";
import { Name } from "../../parts/show/name.tsx";
import {
  changeEvents,
  devices,
  loadProblem,
  network,
  notices,
  pendingConfirm,
} from "../../state/store.ts";
import { age, ago, clock, dayName } from "../../text/time.ts";
import type { Change, Devices, Network, Page } from "../../wire.ts";
import { byText, numberText } from "../../text/format.ts";
import { PageHead, type PageProps } from "../../parts/show/page_head.tsx";
import { useLoaded } from "../../parts/load/use_loaded.ts";
import { linkRows } from "../network/interface_rows.ts";
import type { KernelLink, Link } from "../network/wire.ts";
import { LinksPanel } from "./interfaces_panel.tsx";
import { AttentionRow } from "./attention_row.tsx";
import { attentionItems, attentionTitle } from "./attention.ts";
import { DnsPanel } from "./dns_panel.tsx";
import { InternetPanel } from "./internet_panel.tsx";
import { SystemPanel } from "./system_panel.tsx";
import { TalkersPanel } from "./talkers_panel.tsx";
import { t, tn } from "../../text/language.ts";

const WifiPanel = lazyPart(async () => (await import("./wifi_panel.tsx")).WifiPanel, "home");

const LAST = "6";
const SHOWN = 6;

/** Items that need attention, and an overview. */
export default function HomePage({ title }: PageProps): VNode {
  const all = devices.value;
  if (all === null || network.value === null) {
    return loadProblem.value === null
      ? <Loading what={t("the overview")} />
      : <Fault title={t("The router status could not be loaded.")}>{loadProblem.value}</Fault>;
  }
  return <Overview title={title} all={all} now={network.value} />;
}

/** The page, once the devices and the state of the network are known; all else is then asked for at once. */
function Overview(
  { title, all, now }: { title: string; all: Devices; now: Network },
): VNode {
  const changes = useLoaded<Page<Change>>(
    { path: "/changes", query: { limit: LAST } },
    [changeEvents.value],
  );
  const when = [changeEvents.value, now];
  const links = useLoaded<readonly Link[]>({ path: "/interfacesConfiguration" }, when);
  const kernel = useLoaded<readonly KernelLink[]>({ path: "/ip/addr" }, when);
  const rows = links.body === null || kernel.body === null
    ? null
    : linkRows(links.body, kernel.body);
  const needs = attentionItems({
    confirm: pendingConfirm.value !== null,
    network: now,
    devices: all,
    notices: notices.value,
    links: rows,
  });
  const known = Object.values(all);
  const online = known.filter((device) => device.Online).length;
  const pending = needs.flatMap((need) => need.kind === "device" ? [need.identity] : []);
  const [last] = changes.body?.items ?? [];
  return (
    <>
      <PageHead
        title={title}
        heading={attentionTitle(needs.length)}
        note={
          <>
            {known.length === 0 ? t("No devices yet") : tn(
              "{online} of {count} device online",
              "{online} of {count} devices online",
              known.length,
              { online: numberText(online) },
            )}
            {last && t(" · last change {ago}", { ago: ago(last.at) })}
          </>
        }
      />
      <div class="stack">
        {needs.length > 0 && (
          <section class="panel" aria-label={t("Needs attention")}>
            {pending.length > 1 && (
              <header>
                <h2>{t("{pending} new devices", { pending: pending.length })}</h2>
                <button class="btn small" type="button" onClick={() => openApproval(pending)}>
                  {t("Approve all…")}
                </button>
              </header>
            )}
            <ul class="rows todo">
              {needs.slice(0, SHOWN).map((need, index) => <AttentionRow key={index} need={need} />)}
            </ul>
            {needs.length > SHOWN && (
              <footer>
                {t("And {needs} more.", { needs: needs.length - SHOWN })}{" "}
                <a href="/admin/devices?show=pending">{t("Pending devices")}</a>
              </footer>
            )}
          </section>
        )}
        <div class="cols main-side">
          <InternetPanel />
          <div class="stack">
            <TalkersPanel devices={all} />
            <DnsPanel />
          </div>
        </div>
        <div class="cols half">
          <div class="stack">
            <LinksPanel devices={all} rows={rows} problem={links.problem ?? kernel.problem} />
            {rows?.some(({ decided }) => decided?.Type === "AP" && decided.Enabled) &&
              <WifiPanel />}
            <SystemPanel />
          </div>
          <section class="panel" aria-labelledby="last">
            <header>
              <h2 id="last">{t("Recent changes")}</h2>
              <a class="s quiet" href="/admin/changes">{t("Change history")}</a>
            </header>
            {changes.body === null
              ? changes.problem === null
                ? <Loading what={t("changes")} rows={3} />
                : (
                  <Fault title={t("The history could not be loaded.")}>
                    {changes.problem.message}
                  </Fault>
                )
              : changes.body.items.length === 0
              ? <p class="pad s quiet">{t("No changes yet.")}</p>
              : <LastChanges items={changes.body.items} />}
          </section>
        </div>
      </div>
    </>
  );
}

function LastChanges({ items }: { items: readonly Change[] }): VNode {
  const now = Date.now();
  return (
    <ul class="log">
      {items.map((change) => (
        <li key={change.id}>
          <a href={`/admin/changes/${encodeURIComponent(change.id)}`}>
            <time dateTime={new Date(change.at).toISOString()}>
              {dayName(change.at, now) === "Today" ? clock(change.at) : age(change.at, now)}
            </time>
            <b>
              <Name>{change.summary}</Name>
            </b>
            <small>
              <Name>{byText(change.by)}</Name>
              {change.from && t(", from {from}", { from: change.from })}
            </small>
          </a>
        </li>
      ))}
    </ul>
  );
}
