import type { VNode } from "preact";
import { useRef } from "preact/hooks";
import { useLocation } from "preact-iso/router";
import { currentOf, type MenuPage } from "./menu.ts";
import { Icon } from "../parts/show/icon.tsx";

/** Pages that are not in the tab bar of a phone. */
export function MoreMenu(
  { pages }: { pages: readonly MenuPage[] },
): VNode {
  const menu = useRef<HTMLDivElement>(null);
  const { path } = useLocation();
  const inside = pages.some(({ href }) => currentOf(href, path) !== undefined);
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
        <span class="t">More</span>
      </button>
      <div id="more-menu" class="menu low" popover="auto" ref={menu}>
        {pages.map(({ href, title, icon }) => (
          <a
            key={href}
            class="item"
            href={href}
            onClick={() => menu.current?.hidePopover()}
          >
            <Icon name={icon} />
            {title}
          </a>
        ))}
      </div>
    </>
  );
}
