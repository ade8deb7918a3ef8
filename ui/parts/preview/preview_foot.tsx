import type { VNode } from "preact";
import { useSignal } from "@preact/signals";
import { apply, askAgain, closePreview, type Drawer, openPreview } from "../../actions/action.ts";
import type { Obstacle } from "../../actions/conflict.ts";
import { devices, trial } from "../../state/store.ts";
import { keep, undoNow } from "../../actions/undo.ts";
import { Fault } from "../form/fault.tsx";
import { Name } from "../show/name.tsx";

const TRIALS: readonly (readonly [number, string])[] = [
  [0, "no trial"],
  [30, "30 s"],
  [60, "60 s"],
  [90, "90 s"],
  [300, "5 min"],
  [600, "10 min"],
];
/** Seconds of the trial that is proposed for what may not be done for good. */
const TRIAL = 90;

/** What stands against the change, the length of its trial, and the one button that applies it. */
export function PreviewFoot({ open }: { open: Drawer }): VNode {
  const { act, obstacles, applying } = open;
  const chosen = useSignal(act.trial ?? 0);
  const guarded = obstacles.length > 0;
  const waits = obstacles.some(({ kind }) => kind === "window");
  const seconds = guarded && chosen.value === 0 ? TRIAL : chosen.value;
  const ready = open.request !== null && (open.preview !== null || guarded) && !waits;
  const length = TRIALS.find(([value]) => value === seconds)?.[1];
  return (
    <footer>
      {obstacles.map((obstacle) => (
        <Against
          key={obstacle.title}
          obstacle={obstacle}
          open={open}
        />
      ))}
      {!waits && (
        <div class="row">
          <label class="s soft grow" for="trial-length">
            {guarded
              ? "It runs as a trial. Undoes itself after"
              : "Try it first: undoes itself unless you keep it"}
          </label>
          <select
            class="select"
            id="trial-length"
            value={String(seconds)}
            onChange={(event) => chosen.value = Number(event.currentTarget.value)}
          >
            {TRIALS.filter(([value]) => value > 0 || !guarded).map(([value, words]) => (
              <option key={value} value={value}>{words}</option>
            ))}
          </select>
        </div>
      )}
      <div class="row">
        <button
          class={`btn grow ${act.danger ? "danger solid" : "primary"}`}
          type="button"
          disabled={!ready || applying}
          onClick={() => void apply({ confirmWithin: seconds === 0 ? null : seconds })}
        >
          {seconds === 0 || waits ? act.button : `Try for ${length}`}
        </button>
        <button class="btn" type="button" onClick={closePreview}>Back</button>
      </div>
    </footer>
  );
}

/** One thing that stands against the change, with the ways around it that there are. */
function Against({ obstacle, open }: { obstacle: Obstacle; open: Drawer }): VNode {
  const { title, words, also, kind } = obstacle;
  return (
    <Fault icon={kind === "window" ? "alert" : "gateshut"} heed={kind === "window"} title={title}>
      <Name>{words}</Name>.{" "}
      {kind !== "window" && "As a trial it undoes itself unless you can still keep it."}
      {also.map((sentence) => (
        <p key={sentence}>
          <Name>{sentence}</Name>.
        </p>
      ))}
      <WaysAround obstacle={obstacle} open={open} />
    </Fault>
  );
}

function WaysAround({ obstacle, open }: { obstacle: Obstacle; open: Drawer }): VNode | null {
  const { kind, change } = obstacle;
  if (kind === "window" && change !== undefined) {
    return (
      <div class="row wrap">
        <button class="btn small" type="button" onClick={() => void keep(change).then(askAgain)}>
          Keep that one
        </button>
        <button
          class="btn small"
          type="button"
          onClick={() => void undoNow(change, trial.value?.summary).then(askAgain)}
        >
          Undo that one
        </button>
      </div>
    );
  }
  const own = kind === "lockout" ? holderOf(obstacle.source) : null;
  const spared = own === null ? null : open.act.leavingOut?.(own) ?? null;
  if (spared !== null) {
    return (
      <div class="row wrap">
        <button class="btn small" type="button" onClick={() => openPreview(spared)}>
          Leave my device out
        </button>
      </div>
    );
  }
  const onlyTests = open.obstacles.every(({ test }) => test);
  if (!onlyTests) return null;
  return (
    <div class="row wrap">
      <button
        class="btn small danger"
        type="button"
        disabled={open.applying}
        onClick={() => void apply({ confirmWithin: null, force: true })}
      >
        {obstacle.also.length === 0 ? "Break the test for good" : "Break the tests for good"}
      </button>
    </div>
  );
}

/** The device that has this address; null where none is known to. */
function holderOf(address: string | undefined): string | null {
  if (address === undefined) return null;
  return Object.entries(devices.value ?? {})
    .find(([, { RecentIP }]) => RecentIP === address)?.[0] ?? null;
}
