import type { VNode } from "preact";
import { useLocation } from "preact-iso/router";
import { notices } from "../state/store.ts";
import { age } from "../text/time.ts";
import type { Notice } from "../wire.ts";
import { resolveNotice } from "../actions/notice.ts";
import { LimitedActions, limitedDevices } from "../pages/dhcp/unknown_devices.tsx";
import { Icon } from "../parts/show/icon.tsx";
import { Name } from "../parts/show/name.tsx";

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
    <section aria-label="Notices">
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
        <Name>{notice.detail}</Name> <span class="quiet">{sinceText(notice.at)}</span>
      </p>
      {waits !== null && <LimitedActions notice={notice} waits={waits} />}
      {notice.kind === "dhcp-foreign-server" && (
        <a class="btn small" href="/admin/network">Interfaces</a>
      )}
      <button class="btn small" type="button" onClick={() => void resolveNotice(notice)}>
        Dismiss<span class="vh">: {notice.detail}</span>
      </button>
    </div>
  );
}

function sinceText(at: number): string {
  const text = age(at, Date.now());
  return text === "now" ? "just now" : `${text} ago`;
}
