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

/** The change on trial: time left, keep it, undo it. Counts on while the router is away. */
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
        <span class="soft">The change is kept. Sign in there to go on.</span>
      </p>
      <a class="btn primary" href={`${origin}/admin`}>Open it there</a>
    </div>
  );
}

/** What the person should know of the way to the router; empty while it is as always. */
function connectionWords(there: readonly string[] | null): string {
  if (there !== null && !there.includes(location.origin)) {
    const [other] = there;
    return other === undefined
      ? " The router does not answer at this moment; the trial goes on."
      : ` The router answers at ${new URL(other).host} now; it is kept from there.`;
  }
  return connection.value === "lost"
    ? " The router does not answer at this moment; the trial goes on."
    : "";
}

function Banner({ current }: { current: PendingConfirm }): VNode {
  const secondsLeft = () => (current.endsAt - performance.now()) / 1000;
  const [left, setLeft] = useState(secondsLeft);
  const way = connectionWords(reachableOrigins.value);
  useEffect(() => void (way !== "" && (announcement.value = way.trim())), [way]);
  useEffect(() => {
    // After a reload the page has to look for the router again.
    if (sessionStorage.getItem("sluice.confirm") === null) return;
    void import("../actions/remote_confirm.ts").then(({ resumeWatch: resume }) =>
      resume(current.id)
    );
  }, [current.id]);
  useEffect(() => {
    announcement.value = `“${current.summary}” is on trial for ${countdown(secondsLeft())}.`;
    const timer = setInterval(() => {
      const now = secondsLeft();
      setLeft(now);
      if (ANNOUNCED_SECONDS.includes(Math.ceil(now))) {
        announcement.value = `${Math.ceil(now)} seconds left to keep “${current.summary}”.`;
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
    <div class="banner trial" role="region" aria-label="Change on trial">
      <span class="left" role="timer" aria-live="off">{countdown(left)}</span>
      <p>
        <b>
          “<Name>{current.summary}</Name>” is applied as a trial.
        </b>{" "}
        <span class="soft">
          Undoes itself at {clock(current.until, true)} unless you keep it.
          {way}
        </span>
      </p>
      <div class="row">
        <button class="btn primary" type="button" onClick={() => void confirmChange(current.id)}>
          Keep it
        </button>
        <button
          class="btn"
          type="button"
          onClick={() => void undoNow(current.id, current.summary)}
        >
          <Icon name="undo" small />
          Undo now
        </button>
      </div>
      <span class="rule" aria-hidden="true">
        <i style={{ width: `${share}%` }} />
      </span>
    </div>
  );
}
