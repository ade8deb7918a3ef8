import type { VNode } from "preact";
import { useRef } from "preact/hooks";
import { useLocation } from "preact-iso/router";
import { currentOf, type Place } from "./menu.ts";
import { Icon } from "../parts/show/icon.tsx";

/** The areas that have no place of their own at the bottom of a phone. */
export function MoreMenu(
  { places }: { places: readonly Place[] },
): VNode {
  const menu = useRef<HTMLDivElement>(null);
  const { path } = useLocation();
  const inside = places.some(({ href }) => currentOf(href, path) !== undefined);
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
        {places.map(({ href, word, icon }) => (
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
    </>
  );
}
