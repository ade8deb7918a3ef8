import type { VNode } from "preact";
import { signal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { Icon } from "../../parts/show/icon.tsx";
import { lazyPart } from "../../parts/load/lazy.tsx";
import { t } from "../../text/language.ts";

const PaletteDialog = lazyPart(async () => (await import("./dialog.tsx")).PaletteDialog);

/** True while the palette is open. */
export const paletteShown = signal(false);
/** What was typed while the palette was on its way. */
export const paletteTyped = signal("");

/** The field in the bar that opens the palette; so does Ctrl K, from anywhere but a dialog. */
export function PaletteButton(): VNode {
  useEffect(() => {
    const listen = (event: KeyboardEvent): void => {
      const opens = event.key.toLowerCase() === "k" && (event.ctrlKey || event.metaKey);
      if (opens) event.preventDefault();
      if (paletteShown.peek()) keep(event);
      else if (opens && document.querySelector("dialog[open]") === null) show();
    };
    addEventListener("keydown", listen);
    return () => removeEventListener("keydown", listen);
  }, []);
  return (
    <button
      class="find"
      type="button"
      aria-keyshortcuts="Control+K"
      onClick={show}
    >
      <Icon name="search" />
      <span class="t">{t("Search or jump to…")}</span>
      <kbd>Ctrl K</kbd>
    </button>
  );
}

function show(): void {
  paletteTyped.value = "";
  paletteShown.value = true;
}

/** Keeps what is typed while the palette is on its way; once it is there its field has the focus. */
function keep(event: KeyboardEvent): void {
  if (document.querySelector("dialog.palette") !== null) return;
  if (event.key === "Escape") paletteShown.value = false;
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  // Enter would press the button that has the focus still.
  if (event.key.length > 1 && event.key !== "Enter") return;
  event.preventDefault();
  if (event.key !== "Enter") paletteTyped.value += event.key;
}

/** The palette, while it is open. */
export function Palette(): VNode | null {
  return paletteShown.value ? <PaletteDialog /> : null;
}
