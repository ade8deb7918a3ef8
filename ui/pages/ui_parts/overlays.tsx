import type { VNode } from "preact";
import { useSignal } from "@preact/signals";
import { Dialog } from "../../parts/overlay/dialog.tsx";
import { DeleteDialog } from "../../parts/overlay/delete_dialog.tsx";
import { pendingConfirm } from "../../state/store.ts";
import { say } from "../../state/toast.ts";
import { Panel } from "./panel.tsx";

/** What opens over the page. */
export function Overlays(): VNode {
  const open = useSignal<"box" | "drawer" | null>(null);
  const forGood = useSignal(false);
  return (
    <Panel title="Over the page">
      <div class="row wrap">
        <button class="btn" type="button" onClick={() => open.value = "box"}>Dialog</button>
        <button class="btn" type="button" onClick={() => open.value = "drawer"}>Drawer</button>
        <button class="btn" type="button" onClick={() => forGood.value = true}>For good</button>
        <button
          class="btn"
          type="button"
          onClick={() => say({ subject: "Kids’ tablet", text: "joined kids.", undo: "sample" })}
        >
          Toast
        </button>
        <button class="btn" type="button" onClick={startConfirm}>Confirm window</button>
      </div>
      {forGood.value && (
        <DeleteDialog
          name="Kids’ tablet"
          loss="Its log goes with it."
          act={() => Promise.resolve()}
          onClose={() => forGood.value = false}
        />
      )}
      {open.value && (
        <Dialog
          kind={open.value}
          title="Preview: Internet off"
          note="Nothing has changed yet"
          onClose={() => open.value = null}
        >
          <div class="inner body">
            <p class="pad">What will change stands here.</p>
          </div>
        </Dialog>
      )}
    </Panel>
  );
}

function startConfirm(): void {
  pendingConfirm.value = {
    id: "sample",
    summary: "Move lan3 to the guests",
    endsAt: performance.now() + 90_000,
    until: Date.now() + 90_000,
    from: 90,
  };
}
