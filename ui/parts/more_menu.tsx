import type { VNode } from "preact";
import { useRef } from "preact/hooks";
import { useLocation } from "preact-iso/router";
import { Icon, type IconName } from "./icon.tsx";

/** The areas that have no place of their own at the bottom of a phone. */
export function MoreMenu(
  { areas }: { areas: readonly (readonly [string, string, IconName, boolean])[] },
): VNode {
  const menu = useRef<HTMLDivElement>(null);
  const { path } = useLocation();
  const inside = areas.some(([href]) => path === href || path.startsWith(`${href}/`));
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
        {areas.map(([href, word, icon]) => (
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
