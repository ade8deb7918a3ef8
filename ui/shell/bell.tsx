import type { VNode } from "preact";
import { useLocation } from "preact-iso/router";
import { Icon } from "../parts/show/icon.tsx";
import { notices } from "../state/store.ts";

const HREF = "/admin/alerts";

/** Leads to what needs attention, and says how much of it there is. */
export function Bell(): VNode {
  const { path } = useLocation();
  const open = notices.value.length;
  const words = open === 0 ? "Alerts" : `Alerts, ${open} open`;
  return (
    <a
      class="icon-btn bell"
      href={HREF}
      aria-label={words}
      title={words}
      aria-current={path.startsWith(HREF) ? "page" : undefined}
    >
      <Icon name="bell" />
      {open > 0 && <span class="bell-count" aria-hidden="true">{open > 99 ? "99+" : open}</span>}
    </a>
  );
}
