import type { ComponentChildren, VNode } from "preact";
import { openPreview } from "../../actions/action.ts";
import { LimitedActions, limitedDevices } from "../dhcp/unknown_devices.tsx";
import { Icon, type IconName } from "../../parts/show/icon.tsx";
import { Name } from "../../parts/show/name.tsx";
import { resolveNotice } from "../../actions/notice.ts";
import { devices, pendingConfirm } from "../../state/store.ts";
import { age, clock, parseWhen } from "../../text/time.ts";
import { BLOCKED } from "../../text/policies.ts";
import { nameOf } from "../../text/words.ts";
import { blockDevice } from "../devices/device/actions.ts";
import { deviceHref } from "../devices/last_seen.ts";
import { foreignServer, ServeDhcp } from "../network/serve_dhcp.tsx";
import type { AttentionItem } from "./attention.ts";

/** One thing that needs a person, with what to do about it. */
export function AttentionRow({ need }: { need: AttentionItem }): VNode | null {
  switch (need.kind) {
    case "trial": {
      const current = pendingConfirm.value;
      return current && (
        <Row icon="undo" title={<Name>{current.summary}</Name>} note={confirmNote(current.until)}>
          <a class="btn" href={`/admin/changes/${encodeURIComponent(current.id)}`}>Look at it</a>
        </Row>
      );
    }
    case "network":
      return (
        <Row icon="alert" title={need.words} note="What you see here may not be what is in force">
          <a class="btn" href="/admin/network">Network</a>
        </Row>
      );
    case "setup":
      return (
        <Row icon="router" title={need.words} note="The guide goes on where it was left">
          <a class="btn primary" href="/admin/setup">Go on</a>
        </Row>
      );
    case "uplink":
      return (
        <Row
          icon="router"
          title={
            <>
              The uplink <Name>{need.name}</Name> {need.words}
            </>
          }
          note="What is outside is not reached through it"
        >
          <a class="btn" href="/admin/network">Network</a>
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
          note={`Since ${clock(need.notice.at)}`}
        >
          {other !== null && <ServeDhcp {...other} />}
          {waits !== null && <LimitedActions notice={need.notice} waits={waits} />}
          <button class="btn text" type="button" onClick={() => void resolveNotice(need.notice)}>
            Resolve<span class="vh">: {need.notice.detail}</span>
          </button>
        </Row>
      );
    }
  }
}

function confirmNote(until: number): string {
  return `On trial; undoes itself at ${clock(until, true)} unless you keep it`;
}

function PendingDevice({ identity }: { identity: string }): VNode | null {
  const device = devices.value?.[identity];
  if (device === undefined) return null;
  const name = nameOf(identity, device);
  const first = parseWhen(device.DHCPFirstTime);
  const since = first === null ? "" : `first seen ${words(first)} · `;
  return (
    <Row
      icon="devices"
      title={
        <>
          <Name>{name}</Name> is new
          {device.DHCPLastInterface && (
            <>
              {" "}on <Name>{device.DHCPLastInterface}</Name>
            </>
          )}
        </>
      }
      note={`${since}it can reach nothing until you decide`}
    >
      <a class="btn primary" href={deviceHref(identity)}>
        Decide<span class="vh">about {name}</span>
      </a>
      <button
        class="btn text"
        type="button"
        onClick={() => openPreview(blockDevice(identity, BLOCKED, true))}
      >
        Not mine, block<span class="vh">{name}</span>
      </button>
    </Row>
  );
}

function words(at: number): string {
  const text = age(at, Date.now());
  return text === "now" ? "just now" : `${text} ago`;
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
      <span class="heed-t">
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
