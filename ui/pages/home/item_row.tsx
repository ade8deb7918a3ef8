import type { ComponentChildren, VNode } from "preact";
import { Icon, type IconName } from "../../parts/show/icon.tsx";

/** A line of what needs attention: what it is, and its actions. */
export function ItemRow(
  { icon, title, note, children }: {
    icon: IconName;
    title: ComponentChildren;
    note: string;
    children: ComponentChildren;
  },
): VNode {
  return (
    <li>
      <span class="warning-t">
        <Icon name={icon} />
      </span>
      <div class="grow">
        <b>{title}</b>
        <p>{note}</p>
      </div>
      <div class="row wrap">{children}</div>
    </li>
  );
}
