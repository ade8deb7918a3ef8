import type { VNode } from "preact";
import { signal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { lazyPart } from "../parts/load/lazy.tsx";

const KeysDialog = lazyPart(async () => (await import("./keys_dialog.tsx")).KeysDialog);

/** True while the list of keys is open. */
export const keysShown = signal(false);

/** The list of keys, which `?` opens from anywhere but a field or a dialog. */
export function Keys(): VNode | null {
  useEffect(() => {
    const listen = ({ key, target }: KeyboardEvent): void => {
      const types = (target as Element).matches("input, textarea, select, [contenteditable]");
      if (key === "?" && !types && document.querySelector("dialog[open]") === null) {
        keysShown.value = true;
      }
    };
    addEventListener("keydown", listen);
    return () => removeEventListener("keydown", listen);
  }, []);
  return keysShown.value ? <KeysDialog onClose={() => keysShown.value = false} /> : null;
}
