import type { RefObject, VNode } from "preact";
import { useSignal } from "@preact/signals";
import { useEffect, useLayoutEffect, useRef } from "preact/hooks";
import { closePreview, type OpenedPreview, openPreview } from "../../actions/action.ts";
import { apply, refreshPreview } from "../../actions/apply.ts";
import type { Conflict } from "../../actions/conflict.ts";
import { devices, pendingConfirm } from "../../state/store.ts";
import { confirmChange, undoNow } from "../../actions/undo.ts";
import { Fault } from "../form/fault.tsx";
import { Name } from "../show/name.tsx";
import { t } from "../../text/language.ts";

const WINDOWS: readonly (readonly [number, string])[] = [
  [0, t("Off")],
  [30, t("30 s")],
  [60, t("60 s")],
  [90, t("90 s")],
  [300, t("5 min")],
  [600, t("10 min")],
];
/** Seconds of the proposed confirm window for a change that is refused without one. */
const DEFAULT_WINDOW_SECONDS = 90;

/** Refusals of the change, its confirm window, and the button that applies it. */
export function PreviewFooter({ open }: { open: OpenedPreview }): VNode {
  const { action, conflicts, applying } = open;
  const chosen = useSignal(action.confirmWithin ?? 0);
  const guarded = conflicts.length > 0;
  const waits = conflicts.some(({ kind }) => kind === "window");
  const seconds = guarded && chosen.value === 0 ? DEFAULT_WINDOW_SECONDS : chosen.value;
  const ready = open.request !== null && (open.preview !== null || guarded) && !waits;
  const length = WINDOWS.find(([value]) => value === seconds)?.[1];
  const button = useRef<HTMLButtonElement>(null);
  const confirm = (): void => void apply({ confirmWithin: seconds === 0 ? null : seconds });
  useReadyFocus(button, ready && !action.danger);
  useControlEnter(() => ready && !applying && confirm());
  return (
    <footer>
      {conflicts.map((conflict) => (
        <ConflictBox
          key={conflict.title}
          conflict={conflict}
          open={open}
        />
      ))}
      {!waits && (
        <div class="row">
          <label class="s soft grow" for="confirm-length">
            {guarded
              ? t("Revert automatically unless confirmed after")
              : t("Revert automatically unless confirmed")}
          </label>
          <select
            class="select"
            id="confirm-length"
            value={String(seconds)}
            onChange={(event) => chosen.value = Number(event.currentTarget.value)}
          >
            {WINDOWS.filter(([value]) => value > 0 || !guarded).map(([value, text]) => (
              <option key={value} value={value}>{text}</option>
            ))}
          </select>
        </div>
      )}
      <div class="row">
        <button
          ref={button}
          class={`btn grow ${action.danger ? "danger solid" : "primary"}`}
          type="button"
          aria-keyshortcuts="Control+Enter"
          disabled={!ready || applying}
          onClick={confirm}
          // The key that opened the preview may be down still.
          onKeyDown={(event) => event.repeat && event.preventDefault()}
        >
          {seconds === 0 || waits
            ? action.button
            : t("Apply for {length}", { length: length ?? "" })}
        </button>
        <button class="btn" type="button" onClick={closePreview}>{t("Cancel")}</button>
      </div>
    </footer>
  );
}

/** Once the change can be applied, the focus goes from the title to its button. */
function useReadyFocus(button: RefObject<HTMLButtonElement | null>, ready: boolean): void {
  useEffect(() => {
    if (ready && document.activeElement?.matches("dialog h2")) button.current?.focus();
  }, [ready]);
}

/** Ctrl Enter (or Command Enter) confirms from anywhere in the preview, as soon as it is drawn. */
function useControlEnter(confirm: () => void): void {
  useLayoutEffect(() => {
    const listen = (event: KeyboardEvent): void => {
      if (event.key !== "Enter" || event.repeat || !(event.ctrlKey || event.metaKey)) return;
      event.preventDefault();
      confirm();
    };
    addEventListener("keydown", listen);
    return () => removeEventListener("keydown", listen);
  });
}

/** One thing that stands against the change, with the ways around it that there are. */
function ConflictBox({ conflict, open }: { conflict: Conflict; open: OpenedPreview }): VNode {
  const { title, text, details, kind } = conflict;
  return (
    <Fault
      icon={kind === "window" ? "alert" : "gate_closed"}
      warning={kind === "window"}
      title={title}
    >
      <Name>{text}</Name>. {kind !== "window" &&
        t("You can apply it with auto-revert: it reverts unless you can still confirm it.")}
      {details.map((sentence) => (
        <p key={sentence} lang="en">
          <Name>{sentence}</Name>.
        </p>
      ))}
      <Remedies conflict={conflict} open={open} />
    </Fault>
  );
}

function Remedies({ conflict, open }: { conflict: Conflict; open: OpenedPreview }): VNode | null {
  const { kind, change } = conflict;
  if (kind === "window" && change !== undefined) {
    return (
      <div class="row wrap">
        <button
          class="btn small"
          type="button"
          onClick={() => void confirmChange(change).then(refreshPreview)}
        >
          {t("Confirm it")}
        </button>
        <button
          class="btn small"
          type="button"
          onClick={() => void undoNow(change, pendingConfirm.value?.summary).then(refreshPreview)}
        >
          {t("Revert it")}
        </button>
      </div>
    );
  }
  const own = kind === "lockout" ? deviceAt(conflict.source) : null;
  const spared = own === null ? null : open.action.excluding?.(own) ?? null;
  if (spared !== null) {
    return (
      <div class="row wrap">
        <button class="btn small" type="button" onClick={() => openPreview(spared)}>
          {t("Exclude my device")}
        </button>
      </div>
    );
  }
  const onlyTests = open.conflicts.every(({ test }) => test);
  if (!onlyTests) return null;
  return (
    <div class="row wrap">
      <button
        class="btn small danger"
        type="button"
        disabled={open.applying}
        onClick={() => void apply({ confirmWithin: null, force: true })}
      >
        {conflict.details.length === 0 ? t("Apply anyway") : t("Apply anyway")}
      </button>
    </div>
  );
}

/** The device that has this address; null where none is known to. */
function deviceAt(address: string | undefined): string | null {
  if (address === undefined) return null;
  return Object.entries(devices.value ?? {})
    .find(([, { RecentIP }]) => RecentIP === address)?.[0] ?? null;
}
