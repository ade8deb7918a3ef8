import type { VNode } from "preact";
import { signal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { Icon } from "./icon.tsx";
import { late } from "./late.tsx";

const PaletteDialog = late(async () => (await import("./palette_dialog.tsx")).PaletteDialog);

/** True while the palette is open. */
export const paletteShown = signal(false);
/** What was typed while the palette was on its way. */
export const paletteTyped = signal("");

/** The field in the bar that opens the palette; so does Ctrl K, from anywhere but a dialog. */
export function PaletteButton(): VNode {
  useEffect(() => {
    const listen = (event: KeyboardEvent) => {
      if (event.key.toLowerCase() !== "k" || !(event.ctrlKey || event.metaKey)) return;
      event.preventDefault();
      if (document.querySelector("dialog[open]") === null) paletteShown.value = true;
    };
    addEventListener("keydown", listen);
    return () => removeEventListener("keydown", listen);
  }, []);
  return (
    <button
      class="find"
      type="button"
      aria-keyshortcuts="Control+K"
      onClick={() => paletteShown.value = true}
    >
      <Icon name="search" />
      <span class="t">Go to a device, group or page</span>
      <kbd>Ctrl K</kbd>
    </button>
  );
}

/** The palette, while it is open. What is typed before its script came is not lost. */
export function Palette(): VNode | null {
  return paletteShown.value ? <Opening /> : null;
}

function Opening(): VNode {
  useEffect(() => {
    paletteTyped.value = "";
    const keep = (event: KeyboardEvent): void => {
      if (document.querySelector("dialog.palette") !== null) return;
      if (event.key === "Escape") paletteShown.value = false;
      if (event.key.length !== 1 || event.ctrlKey || event.metaKey || event.altKey) return;
      event.preventDefault();
      paletteTyped.value += event.key;
    };
    addEventListener("keydown", keep);
    return () => removeEventListener("keydown", keep);
  }, []);
  return <PaletteDialog />;
}
