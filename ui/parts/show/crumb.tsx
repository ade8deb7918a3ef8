import type { ComponentChildren, VNode } from "preact";
import { Icon } from "./icon.tsx";

/** The way back to the area that a page belongs to. */
export function Crumb(
  { area, href, children }: { area: string; href: string; children: ComponentChildren },
): VNode {
  return (
    <nav class="crumb" aria-label="Path">
      <a href={href}>{area}</a>
      <Icon name="right" small />
      <span class="trunc">{children}</span>
    </nav>
  );
}
