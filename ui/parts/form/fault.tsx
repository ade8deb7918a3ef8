import type { ComponentChildren, VNode } from "preact";
import { Icon, type IconName } from "../show/icon.tsx";

/** What did not happen and what still holds. */
export function Fault(
  { title, children, warning, focusable, icon = "alert" }: {
    title: string;
    children?: ComponentChildren;
    warning?: boolean;
    /** It may be given the focus, as the first thing wrong with a form. */
    focusable?: boolean;
    icon?: IconName;
  },
): VNode {
  return (
    <div
      class={warning ? "fault warning" : "fault"}
      role="alert"
      tabIndex={focusable ? -1 : undefined}
    >
      <Icon name={icon} />
      <div>
        <b>{title}</b> {children}
      </div>
    </div>
  );
}
