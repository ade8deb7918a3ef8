import type { VNode } from "preact";
import { useEffect, useState } from "preact/hooks";
import { link } from "../events.ts";
import { loadDevices, loadTrial, type Trial, trial } from "../store.ts";
import { clock, countdown } from "../time.ts";
import { announcement } from "../toast.ts";
import { keep, undoNow } from "../undo.ts";
import { Icon } from "./icon.tsx";
import { Name } from "./name.tsx";

const ANNOUNCED = [30, 10];

/** The change on trial: time left, keep it, undo it. Counts on while the router is away. */
export function TrialBanner(): VNode | null {
  const current = trial.value;
  return current === null ? null : <Banner key={current.id} current={current} />;
}

function Banner({ current }: { current: Trial }): VNode {
  const secondsLeft = () => (current.endsAt - performance.now()) / 1000;
  const [left, setLeft] = useState(secondsLeft);
  useEffect(() => {
    announcement.value = `“${current.summary}” is on trial for ${countdown(secondsLeft())}.`;
    const timer = setInterval(() => {
      const now = secondsLeft();
      setLeft(now);
      if (ANNOUNCED.includes(Math.ceil(now))) {
        announcement.value = `${Math.ceil(now)} seconds left to keep “${current.summary}”.`;
      }
      if (now < -1) {
        void loadTrial();
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
          {link.value === "lost" &&
            " The router does not answer at this moment; the trial goes on."}
        </span>
      </p>
      <div class="row">
        <button class="btn primary" type="button" onClick={() => void keep(current.id)}>
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
