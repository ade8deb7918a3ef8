import type { VNode } from "preact";
import { Name } from "../../parts/show/name.tsx";
import { clock } from "../../text/time.ts";
import type { Notice } from "../../wire.ts";
import { NoticeButtons } from "../alerts/notice_buttons.tsx";
import { LimitedActions, limitedDevices } from "../dhcp/unknown_devices.tsx";
import { foreignServer, ServeDhcp } from "../network/serve_dhcp.tsx";
import { ItemRow } from "./item_row.tsx";
import { t } from "../../text/language.ts";

/** A notice that needs attention, with what can be done about it. */
export function NoticeRow({ notice }: { notice: Notice }): VNode {
  const other = foreignServer(notice);
  const waits = limitedDevices(notice);
  return (
    <ItemRow
      icon="alert"
      title={<Name>{notice.detail}</Name>}
      note={t("Since {clock}", { clock: clock(notice.at) })}
    >
      {other !== null && <ServeDhcp {...other} />}
      {waits !== null && <LimitedActions notice={notice} waits={waits} />}
      <NoticeButtons notice={notice} />
    </ItemRow>
  );
}
