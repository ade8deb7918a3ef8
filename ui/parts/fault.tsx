import type { ComponentChildren, VNode } from "preact";
import { Icon, type IconName } from "./icon.tsx";

/** What did not happen and what still holds. */
export function Fault(
  { title, children, heed, icon = "alert" }: {
    title: string;
    children?: ComponentChildren;
    heed?: boolean;
    icon?: IconName;
  },
): VNode {
  return (
    <div class={heed ? "fault heed" : "fault"} role="alert">
      <Icon name={icon} />
      <div>
        <b>{title}</b> {children}
      </div>
    </div>
  );
}
