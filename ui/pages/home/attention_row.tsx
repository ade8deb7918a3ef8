import type { VNode } from "preact";
import { openApproval } from "../../actions/approve.ts";
import { lazyPart, loadOnPress } from "../../parts/load/lazy.tsx";
import { Name } from "../../parts/show/name.tsx";
import { devices } from "../../state/store.ts";
import { say } from "../../state/toast.ts";
import { failureText } from "../../api/problem.ts";
import { ago, parseWhen } from "../../text/time.ts";
import { nameOf } from "../../text/format.ts";
import { deviceHref } from "../devices/last_seen.ts";
import type { AttentionItem } from "./attention.ts";
import { ItemRow } from "./item_row.tsx";
import { t } from "../../text/language.ts";
import { rich } from "../../text/translate.ts";

const FaultRow = lazyPart(async () => (await import("./fault_row.tsx")).FaultRow);
const NoticeRow = lazyPart(async () => (await import("./notice_row.tsx")).NoticeRow);

/** One item that needs attention, with its actions. */
export function AttentionRow({ need }: { need: AttentionItem }): VNode | null {
  switch (need.kind) {
    case "device":
      return <PendingDevice identity={need.identity} />;
    case "notice":
      return <NoticeRow notice={need.notice} />;
    default:
      return <FaultRow need={need} />;
  }
}

function PendingDevice({ identity }: { identity: string }): VNode | null {
  const device = devices.value?.[identity];
  if (device === undefined) return null;
  const name = nameOf(identity, device);
  const first = parseWhen(device.DHCPFirstTime);
  const since = first === null ? "" : t("first seen {label} · ", { label: label(first) });
  return (
    <ItemRow
      icon="devices"
      title={
        <>
          {rich(t("{name} is new"), {
            name: (
              <a href={deviceHref(identity)}>
                <Name>{name}</Name>
              </a>
            ),
          })}
          {device.DHCPLastInterface && (
            <>
              {" "}
              {rich(t("on {dhcpLastInterface}"), {
                dhcpLastInterface: <Name>{device.DHCPLastInterface}</Name>,
              })}
            </>
          )}
        </>
      }
      note={t("{since}no access until approved", { since })}
    >
      <button class="btn primary" type="button" onClick={() => openApproval([identity])}>
        {t("Approve")}
        <span class="vh">{name}</span>
      </button>
      <button
        class="btn text"
        type="button"
        onClick={() => void block(identity)}
      >
        {t("Block")}
        <span class="vh">{name}</span>
      </button>
    </ItemRow>
  );
}

/** Previews the block; what the preview needs comes when it is asked for. */
async function block(identity: string): Promise<void> {
  try {
    const { runCommand } = await loadOnPress(() => import("../../shell/palette/run.ts"));
    await runCommand({ kind: "block", identity });
  } catch (error) {
    say({ text: failureText(error, (text) => t("Not loaded. {text}", { text })) });
  }
}

function label(at: number): string {
  return ago(at);
}
