import type { VNode } from "preact";
import { useSignal } from "@preact/signals";
import { useEffect, useLayoutEffect, useRef } from "preact/hooks";
import { useLocation } from "preact-iso/router";
import { devices, groups } from "../../state/store.ts";
import { runCommand } from "./run.ts";
import { Waiting } from "../../parts/load/waiting.tsx";
import { rememberFocus } from "../../parts/overlay/focus_return.ts";
import { useModal } from "../../parts/overlay/use_modal.ts";
import { Icon } from "../../parts/show/icon.tsx";
import { Name } from "../../parts/show/name.tsx";
import { manualHits } from "../../pages/help/hits.ts";
import { loadManual, type ManualEntry } from "../../pages/help/manual.ts";
import { paletteShown, paletteTyped } from "./palette.tsx";
import { paletteHits } from "./results.ts";
import { t } from "../../text/language.ts";
import "../../styles/parts/palette.css";

/** Goes to a device, a group or a page by a few letters, or shows the preview of an act. */
export function PaletteDialog(): VNode {
  const text = useSignal(paletteTyped.peek());
  const at = useSignal(0);
  const dialog = useRef<HTMLDialogElement>(null);
  const { route } = useLocation();
  const manual = useSignal<readonly ManualEntry[]>([]);
  const hits = [
    ...paletteHits(text.value, devices.value ?? {}, groups.value ?? []),
    ...manualHits(text.value, manual.value),
  ];
  const close = () => paletteShown.value = false;

  // Without the manual, everything else is found all the same.
  useEffect(() => void loadManual().then((entries) => manual.value = entries, () => {}), []);
  useModal("palette");
  useLayoutEffect(() => {
    const giveFocusBack = rememberFocus();
    const element = dialog.current;
    element?.showModal();
    element?.querySelector("input")?.focus();
    element?.addEventListener("close", close);
    return () => {
      element?.removeEventListener("close", close);
      element?.close();
      giveFocusBack();
    };
  }, []);

  function go(index: number): void {
    const hit = hits[index];
    if (hit === undefined) return;
    close();
    if (hit.href !== undefined) route(hit.href);
    else if (hit.command !== undefined) void runCommand(hit.command);
  }

  function key(event: KeyboardEvent): void {
    const step = event.key === "ArrowDown" ? 1 : event.key === "ArrowUp" ? -1 : 0;
    if (step !== 0 && hits.length > 0) {
      event.preventDefault();
      at.value = (at.value + step + hits.length) % hits.length;
      document.getElementById(`hit-${at.value}`)?.scrollIntoView({ block: "nearest" });
    } else if (event.key === "Enter") {
      event.preventDefault();
      go(at.value);
    }
  }

  return (
    <dialog
      ref={dialog}
      class="palette"
      aria-label={t("Go to")}
      onClick={(event) => event.target === dialog.current && close()}
    >
      <div class="q">
        <Icon name="search" />
        <input
          role="combobox"
          aria-label={t("Search devices, groups, pages and actions")}
          aria-expanded={hits.length > 0}
          aria-controls="hits"
          aria-autocomplete="list"
          aria-activedescendant={hits.length > 0 ? `hit-${at.value}` : undefined}
          autocomplete="off"
          spellcheck={false}
          dir="auto"
          value={text.value}
          onInput={(event) => {
            text.value = event.currentTarget.value;
            at.value = 0;
          }}
          onKeyDown={key}
        />
        <kbd>Esc</kbd>
      </div>
      <ul id="hits" role="listbox" aria-label={t("Results")}>
        {hits.map((hit, index) => (
          <li
            key={`${hit.kind} ${hit.text} ${hit.href ?? ""}`}
            id={`hit-${index}`}
            role="option"
            aria-selected={index === at.value}
            onClick={() => go(index)}
          >
            <Icon name={hit.icon} />
            <span class="trunc">
              <Name>{hit.text}</Name>
            </span>
            <span class="r">{hit.note}</span>
          </li>
        ))}
      </ul>
      {hits.length === 0 && <p class="pad s quiet" role="status">{t("No results")}</p>}
      <Waiting modal="palette" />
    </dialog>
  );
}
