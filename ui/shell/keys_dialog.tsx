import type { VNode } from "preact";
import { Dialog } from "../parts/overlay/dialog.tsx";

const KEYS: readonly (readonly [string, string])[] = [
  ["Ctrl K", "Go to a page, a device or a setting, or run a command"],
  ["?", "Show these keys"],
  ["/", "Go to the filter of a list"],
  ["Esc", "Clear the filter; close a dialog"],
  ["↑ ↓ Home End", "Move between rows of a list, or between pairs of the access matrix"],
  ["Enter", "Open a row"],
  ["Space", "Select a row; with Shift all up to it"],
  ["Ctrl Enter", "Review or apply a change"],
  ["← →", "Move in a chart from one point in time to the next"],
];

/** The keys of the web interface. */
export function KeysDialog({ onClose }: { onClose: () => void }): VNode {
  return (
    <Dialog kind="box" title="Keyboard shortcuts" onClose={onClose}>
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
