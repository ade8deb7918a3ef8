import type { ComponentChildren, VNode } from "preact";
import { openApproval } from "../../actions/approve.ts";
import { LimitedActions, limitedDevices } from "../dhcp/unknown_devices.tsx";
import { Icon, type IconName } from "../../parts/show/icon.tsx";
import { Name } from "../../parts/show/name.tsx";
import { NoticeButtons } from "../alerts/notice_buttons.tsx";
import { devices, pendingConfirm } from "../../state/store.ts";
import { say } from "../../state/toast.ts";
import { textOf } from "../../api/problem.ts";
import { ago, clock, parseWhen } from "../../text/time.ts";
import { nameOf } from "../../text/format.ts";
import { deviceHref } from "../devices/last_seen.ts";
import { foreignServer, ServeDhcp } from "../network/serve_dhcp.tsx";
import type { AttentionItem } from "./attention.ts";
import { t } from "../../text/language.ts";
import { rich } from "../../text/translate.ts";

/** One item that needs attention, with its actions. */
export function AttentionRow({ need }: { need: AttentionItem }): VNode | null {
  switch (need.kind) {
    case "confirm": {
      const current = pendingConfirm.value;
      return current && (
        <Row icon="undo" title={<Name>{current.summary}</Name>} note={confirmNote(current.until)}>
          <a class="btn" href={`/admin/changes/${encodeURIComponent(current.id)}`}>{t("View")}</a>
        </Row>
      );
    }
    case "network":
      return (
        <Row icon="alert" title={need.text} note={t("The configuration shown may not be active")}>
          <a class="btn" href="/admin/network">{t("Network")}</a>
        </Row>
      );
    case "setup":
      return (
        <Row
          icon="router"
          title={need.text}
          note={t("The setup guide continues where you left off")}
        >
          <a class="btn primary" href="/admin/setup">{t("Continue")}</a>
        </Row>
      );
    case "uplink":
      return (
        <Row
          icon="router"
          title={
            <>
              {rich(t("WAN {name} {need}"), { name: <Name>{need.name}</Name>, need: need.text })}
            </>
          }
          note={t("No Internet access through it")}
        >
          <a class="btn" href="/admin/network">{t("Network")}</a>
        </Row>
      );
    case "device":
      return <PendingDevice identity={need.identity} />;
    case "notice": {
      const other = foreignServer(need.notice);
      const waits = limitedDevices(need.notice);
      return (
        <Row
          icon="alert"
          title={<Name>{need.notice.detail}</Name>}
          note={t("Since {clock}", { clock: clock(need.notice.at) })}
        >
          {other !== null && <ServeDhcp {...other} />}
          {waits !== null && <LimitedActions notice={need.notice} waits={waits} />}
          <NoticeButtons notice={need.notice} />
        </Row>
      );
    }
  }
}

function confirmNote(until: number): string {
  return t("Reverts at {clock} unless confirmed", { clock: clock(until, true) });
}

function PendingDevice({ identity }: { identity: string }): VNode | null {
  const device = devices.value?.[identity];
  if (device === undefined) return null;
  const name = nameOf(identity, device);
  const first = parseWhen(device.DHCPFirstTime);
  const since = first === null ? "" : t("first seen {label} · ", { label: label(first) });
  return (
    <Row
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
    </Row>
  );
}

/** Previews the block; what the preview needs comes when it is asked for. */
async function block(identity: string): Promise<void> {
  try {
    const { runCommand } = await import("../../shell/palette/run.ts");
    await runCommand({ kind: "block", identity });
  } catch (error) {
    say({ text: t("Not loaded. {text}", { text: textOf(error) }) });
  }
}

function label(at: number): string {
  return ago(at);
}

function Row(
  { icon, title, note, children }: {
    icon: IconName;
    title: ComponentChildren;
    note: string;
    children: ComponentChildren;
  },
): VNode {
  return (
    <li>
      <span class="warning-t">
        <Icon name={icon} />
      </span>
      <div class="grow">
        <b>{title}</b>
        <p>{note}</p>
      </div>
      <div class="row wrap">{children}</div>
    </li>
  );
}
