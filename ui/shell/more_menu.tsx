import type { VNode } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { useLocation } from "preact-iso/router";
import { lazyPart } from "../parts/load/lazy.tsx";
import { Icon } from "../parts/show/icon.tsx";
import { t } from "../text/language.ts";
import { currentOf, MENU_PAGES } from "./menu.ts";

const MoreLines = lazyPart(async () => (await import("./more_lines.tsx")).MoreLines);

/** Leads to the pages that are not in the tab bar of a phone. */
export function MoreMenu(): VNode {
  const menu = useRef<HTMLDivElement>(null);
  const [opened, setOpened] = useState(false);
  const { path } = useLocation();
  const inside = MENU_PAGES.some(({ href, tab }) =>
    tab === undefined && currentOf(href, path) !== undefined
  );
  useEffect(() => {
    const element = menu.current;
    const open = (): void => setOpened(true);
    element?.addEventListener("beforetoggle", open, { once: true });
    return () => element?.removeEventListener("beforetoggle", open);
  }, []);
  return (
    <>
      <button
        class="tab"
        type="button"
        aria-haspopup="true"
        aria-current={inside ? "true" : undefined}
        popovertarget="more-menu"
      >
        <Icon name="more" />
        <span class="t">{t("More")}</span>
      </button>
      <div id="more-menu" class="menu low" popover="auto" ref={menu}>
        {opened && <MoreLines onClose={() => menu.current?.hidePopover()} />}
      </div>
    </>
  );
}
