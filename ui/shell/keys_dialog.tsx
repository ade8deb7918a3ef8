import type { VNode } from "preact";
import { Dialog } from "../parts/overlay/dialog.tsx";
import { t } from "../text/language.ts";

const KEYS: readonly (readonly [string, string])[] = [
  [t("Ctrl K"), t("Go to a page, a device or a setting, or run a command")],
  ["?", t("Show these keys")],
  ["/", t("Go to the filter of a list")],
  [t("Esc"), t("Clear the filter; close a dialog")],
  [t("↑ ↓ Home End"), t("Move between rows of a list, or between pairs of the access matrix")],
  [t("Enter"), t("Open a row")],
  [t("Space"), t("Select a row; with Shift all up to it")],
  [t("Ctrl Enter"), t("Review or apply a change")],
  ["← →", t("Move in a chart from one point in time to the next")],
];

/** The keys of the web interface. */
export function KeysDialog({ onClose }: { onClose: () => void }): VNode {
  return (
    <Dialog kind="box" title={t("Keyboard shortcuts")} onClose={onClose}>
      <dl class="kv pad keys">
        {KEYS.map(([key, what]) => (
          <>
            <dt key={key}>
              <kbd>{key}</kbd>
            </dt>
            <dd>{what}</dd>
          </>
        ))}
      </dl>
    </Dialog>
  );
}
