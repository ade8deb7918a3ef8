import type { VNode } from "preact";
import { useEffect, useState } from "preact/hooks";
import { connection } from "../state/events.ts";
import {
  loadDevices,
  loadPendingConfirm,
  movedTo,
  type PendingConfirm,
  pendingConfirm,
  reachableOrigins,
} from "../state/store.ts";
import { clock, countdown } from "../text/time.ts";
import { announcement } from "../state/toast.ts";
import { resumeWatch } from "../actions/remote_confirm.ts";
import { confirmChange, undoNow } from "../actions/undo.ts";
import { Icon } from "../parts/show/icon.tsx";
import { Name } from "../parts/show/name.tsx";
import { t } from "../text/language.ts";
import { rich } from "../text/translate.ts";
import "../styles/parts/confirm_window.css";

const ANNOUNCED_SECONDS = [30, 10];

/** The confirm window: time left, confirm, revert. Counts down while the router is unreachable. */
export function ConfirmWindow(): VNode | null {
  const current = pendingConfirm.value;
  if (current !== null) return <Banner key={current.id} current={current} />;
  return movedTo.value === null ? null : <MovedBanner origin={movedTo.value} />;
}

/** The router has another address now, and this page cannot follow it by itself. */
function MovedBanner({ origin }: { origin: string }): VNode {
  return (
    <div class="banner" role="alert">
      <Icon name="router" />
      <p>
        <b>{t("The router is at {host} now.", { host: new URL(origin).host })}</b>{" "}
        <span class="soft">{t("Changes are kept. Sign in there to continue.")}</span>
      </p>
      <a class="btn primary" href={`${origin}/admin`}>{t("Open new address")}</a>
    </div>
  );
}

/** What the person should know of the way to the router; empty while it is as always. */
function connectionText(there: readonly string[] | null): string {
  if (there !== null && !there.includes(location.origin)) {
    const [other] = there;
    return other === undefined
      ? ` ${t("The router is not responding; the countdown continues.")}`
      : t(" The router answers at {host} now. You can confirm it from here.", {
        host: new URL(other).host,
      });
  }
  return connection.value === "lost"
    ? ` ${t("The router is not responding; the countdown continues.")}`
    : "";
}

function Banner({ current }: { current: PendingConfirm }): VNode {
  const secondsLeft = () => (current.endsAt - performance.now()) / 1000;
  const [left, setLeft] = useState(secondsLeft);
  const connection = connectionText(reachableOrigins.value);
  useEffect(() => void (connection !== "" && (announcement.value = connection.trim())), [
    connection,
  ]);
  useEffect(() => {
    // After a reload the page has to look for the router again.
    resumeWatch(current.id);
  }, [current.id]);
  useEffect(() => {
    announcement.value = t("“{summary}” reverts in {countdown} unless you confirm it.", {
      summary: current.summary,
      countdown: countdown(secondsLeft()),
    });
    const timer = setInterval(() => {
      const now = secondsLeft();
      setLeft(now);
      if (ANNOUNCED_SECONDS.includes(Math.ceil(now))) {
        announcement.value = t("{now} seconds left to confirm “{summary}”.", {
          now: Math.ceil(now),
          summary: current.summary,
        });
      }
      if (now < -1) {
        void loadPendingConfirm();
        void loadDevices();
      }
    }, 1000);
    return () => clearInterval(timer);
  }, [current.id, current.endsAt]);
  const share = Math.max(0, Math.min(1, left / current.from)) * 100;
  return (
    <div class="banner confirm-banner" role="region" aria-label={t("Change to confirm")}>
      <span class="left" role="timer" aria-live="off">{countdown(left)}</span>
      <p>
        <b>
          {rich(t("“{summary}” awaits confirmation."), { summary: <Name>{current.summary}</Name> })}
        </b>{" "}
        <span class="soft">
          {t("Reverts at {clock} unless confirmed.", { clock: clock(current.until, true) })}
          {connection}
        </span>
      </p>
      <div class="row">
        <button class="btn primary" type="button" onClick={() => void confirmChange(current.id)}>
          {t("Keep changes")}
        </button>
        <button
          class="btn"
          type="button"
          onClick={() => void undoNow(current.id, current.summary)}
        >
          <Icon name="undo" small />
          {t("Revert now")}
        </button>
      </div>
      <span class="rule" aria-hidden="true">
        <i style={{ width: `${share}%` }} />
      </span>
    </div>
  );
}
