import type { VNode } from "preact";
import { useLocation } from "preact-iso/router";
import { notices } from "../state/store.ts";
import { ago } from "../text/time.ts";
import type { Notice } from "../wire.ts";
import { resolveNotice } from "../actions/notice.ts";
import { LimitedActions, limitedDevices } from "../pages/dhcp/unknown_devices.tsx";
import { Icon } from "../parts/show/icon.tsx";
import { Name } from "../parts/show/name.tsx";
import { t } from "../text/language.ts";

/** Kinds that come often, so that the bell alone counts them. */
const IN_THE_BELL: readonly string[] = ["alert", "new-device"];
/** Pages that list the same themselves. */
const LISTED_ON: readonly string[] = ["/admin", "/admin/alerts"];

/** What waits for a person, each with the way to close it. */
export function Notices(): VNode | null {
  const { path } = useLocation();
  const shown = notices.value.filter(({ kind }) => !IN_THE_BELL.includes(kind));
  if (shown.length === 0 || LISTED_ON.includes(path.replace(/\/$/, ""))) return null;
  return (
    <section aria-label={t("Notices")}>
      {shown.map((notice) => <Line key={notice.id} notice={notice} />)}
    </section>
  );
}

function Line({ notice }: { notice: Notice }): VNode {
  const waits = limitedDevices(notice);
  return (
    <div class="banner">
      <Icon name="alert" />
      <p>
        <Name>{notice.detail}</Name> <span class="quiet">{ago(notice.at)}</span>
      </p>
      {waits !== null && <LimitedActions notice={notice} waits={waits} />}
      {notice.kind === "dhcp-foreign-server" && (
        <a class="btn small" href="/admin/network">{t("Interfaces")}</a>
      )}
      <button class="btn small" type="button" onClick={() => void resolveNotice(notice)}>
        {t("Dismiss")}
        <span class="vh">: {notice.detail}</span>
      </button>
    </div>
  );
}
