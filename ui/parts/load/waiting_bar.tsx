import type { VNode } from "preact";
import { useLayoutEffect, useRef } from "preact/hooks";
import { t } from "../../text/language.ts";
import "../../styles/parts/waiting.css";

/** The bar above everything: a modal dialog would cover what is only on top of the page. */
export function WaitingBar(): VNode {
  const bar = useRef<HTMLDivElement>(null);
  // Older browsers show it below a dialog.
  useLayoutEffect(() => bar.current?.showPopover?.(), []);
  return (
    <div ref={bar} class="waiting" popover="manual">
      <span>{t("The router is working on it…")}</span>
    </div>
  );
}
