import type { VNode } from "preact";
import { useSignal } from "@preact/signals";
import { textOf } from "../../api/problem.ts";
import { Dialog } from "./dialog.tsx";
import { Fault } from "../form/fault.tsx";
import { Name } from "../show/name.tsx";

/** Asks before something is deleted that no undo brings back, and says what goes with it. */
export function DeleteDialog(
  { name, loss, act, onClose }: {
    name: string;
    /** What is lost, in whole sentences. */
    loss: string;
    /** Deletes it; what it throws is said here, and the question stays. */
    act: () => Promise<void>;
    onClose: () => void;
  },
): VNode {
  const problem = useSignal<string | null>(null);
  const busy = useSignal(false);
  async function remove(): Promise<void> {
    if (busy.value) return;
    busy.value = true;
    problem.value = null;
    try {
      await act();
      onClose();
    } catch (error) {
      problem.value = textOf(error);
      busy.value = false;
    }
  }
  return (
    <Dialog kind="box" title="Delete permanently" onClose={onClose}>
      <div class="inner form">
        {problem.value !== null && <Fault title="Nothing was deleted.">{problem.value}</Fault>}
        <p>
          <b>
            <Name>{name}</Name>
          </b>{" "}
          will be deleted. This cannot be undone. {loss}
        </p>
        <div class="row">
          <button
            class="btn danger grow"
            type="button"
            aria-disabled={busy.value}
            onClick={() => void remove()}
          >
            Delete permanently
          </button>
          <button class="btn" type="button" onClick={onClose}>Cancel</button>
        </div>
      </div>
    </Dialog>
  );
}
