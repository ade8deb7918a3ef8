import type { VNode } from "preact";
import { useSignal } from "@preact/signals";
import { Dialog } from "./dialog.tsx";
import { WriteFault } from "../form/write_fault.tsx";
import { Name } from "../show/name.tsx";
import { t } from "../../text/language.ts";
import { rich } from "../../text/translate.ts";

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
  const problem = useSignal<unknown>(null);
  const busy = useSignal(false);
  async function remove(): Promise<void> {
    if (busy.value) return;
    busy.value = true;
    problem.value = null;
    try {
      await act();
      onClose();
    } catch (error) {
      problem.value = error;
      busy.value = false;
    }
  }
  return (
    <Dialog kind="box" title={t("Delete permanently")} onClose={onClose}>
      <div class="inner form">
        {problem.value !== null && (
          <WriteFault failed={t("Nothing was deleted.")} error={problem.value} />
        )}
        <p>
          {rich(t("{name} will be deleted. This cannot be undone. {loss}"), {
            name: (
              <b>
                <Name>{name}</Name>
              </b>
            ),
            loss,
          })}
        </p>
        <div class="row">
          <button
            class="btn danger grow"
            type="button"
            aria-disabled={busy.value}
            onClick={() => void remove()}
          >
            {t("Delete permanently")}
          </button>
          <button class="btn" type="button" onClick={onClose}>{t("Cancel")}</button>
        </div>
      </div>
    </Dialog>
  );
}
