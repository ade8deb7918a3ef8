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
import { confirmChange, undoNow } from "../actions/undo.ts";
import { Icon } from "../parts/show/icon.tsx";
import { Name } from "../parts/show/name.tsx";

const ANNOUNCED_SECONDS = [30, 10];

/** The confirm window: time left, confirm, revert. Counts down while the router is unreachable. */
export function ConfirmBanner(): VNode | null {
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
        <b>The router is at {new URL(origin).host} now.</b>{" "}
        <span class="soft">Changes are kept. Sign in there to continue.</span>
      </p>
      <a class="btn primary" href={`${origin}/admin`}>Open new address</a>
    </div>
  );
}

/** What the person should know of the way to the router; empty while it is as always. */
function connectionText(there: readonly string[] | null): string {
  if (there !== null && !there.includes(location.origin)) {
    const [other] = there;
    return other === undefined
      ? " The router is not responding; the countdown continues."
      : ` The router answers at ${new URL(other).host} now. You can confirm it from here.`;
  }
  return connection.value === "lost"
    ? " The router is not responding; the countdown continues."
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
    if (sessionStorage.getItem("sluice.confirm") === null) return;
    void import("../actions/remote_confirm.ts").then(({ resumeWatch: resume }) =>
      resume(current.id)
    );
  }, [current.id]);
  useEffect(() => {
    announcement.value = `“${current.summary}” reverts in ${
      countdown(secondsLeft())
    } unless you confirm it.`;
    const timer = setInterval(() => {
      const now = secondsLeft();
      setLeft(now);
      if (ANNOUNCED_SECONDS.includes(Math.ceil(now))) {
        announcement.value = `${Math.ceil(now)} seconds left to confirm “${current.summary}”.`;
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
    <div class="banner confirm-banner" role="region" aria-label="Change to confirm">
      <span class="left" role="timer" aria-live="off">{countdown(left)}</span>
      <p>
        <b>
          “<Name>{current.summary}</Name>” awaits confirmation.
        </b>{" "}
        <span class="soft">
          Reverts at {clock(current.until, true)} unless confirmed.
          {connection}
        </span>
      </p>
      <div class="row">
        <button class="btn primary" type="button" onClick={() => void confirmChange(current.id)}>
          Keep changes
        </button>
        <button
          class="btn"
          type="button"
          onClick={() => void undoNow(current.id, current.summary)}
        >
          <Icon name="undo" small />
          Revert now
        </button>
      </div>
      <span class="rule" aria-hidden="true">
        <i style={{ width: `${share}%` }} />
      </span>
    </div>
  );
}
