import type { VNode } from "preact";
import { resolveNotice } from "../actions/notice.ts";
import { LimitedActions, limitedDevices } from "../pages/dhcp/unknown_devices.tsx";
import { Icon } from "../parts/show/icon.tsx";
import { Name } from "../parts/show/name.tsx";
import { ago } from "../text/time.ts";
import type { Notice } from "../wire.ts";
import { t } from "../text/language.ts";

/** One notice above a page, with what can be done about it. */
export function NoticeLine({ notice }: { notice: Notice }): VNode {
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
