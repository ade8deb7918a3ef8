import type { ComponentChildren, VNode } from "preact";
import { Icon, type IconName } from "../show/icon.tsx";

/** An error or warning with its explanation. */
export function Fault(
  { title, children, warning, focusable, icon = "alert" }: {
    title: string;
    children?: ComponentChildren;
    warning?: boolean;
    /** It can get the focus, as the first error of a form. */
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
