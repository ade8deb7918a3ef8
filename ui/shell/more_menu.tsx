import type { VNode } from "preact";
import { useMemo, useRef } from "preact/hooks";
import { useLocation } from "preact-iso/router";
import { currentOf, MENU } from "./menu.ts";
import { Icon } from "../parts/show/icon.tsx";
import { t } from "../text/language.ts";

/** The areas of the menu without the pages that are in the tab bar of a phone. */
const AREAS = MENU.map(({ name, heading, pages }) => ({
  name,
  heading,
  pages: pages.filter(({ tab }) => tab === undefined),
}));

/** Pages that are not in the tab bar of a phone, by area. */
export function MoreMenu(): VNode {
  const menu = useRef<HTMLDivElement>(null);
  const { path } = useLocation();
  const inside = AREAS.flatMap(({ pages }) => pages).some(({ href }) =>
    currentOf(href, path) !== undefined
  );
  return useMemo(() => (
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
        {AREAS.map(({ name, heading, pages }) => (
          <div key={name} role="group" aria-label={heading ?? undefined}>
            {heading !== null && <span class="area">{heading}</span>}
            {pages.map(({ href, title, menu: word = title, icon }) => (
              <a
                key={href}
                class="item"
                href={href}
                onClick={() => menu.current?.hidePopover()}
              >
                <Icon name={icon} />
                {word}
              </a>
            ))}
          </div>
        ))}
      </div>
    </>
  ), [inside]);
}
