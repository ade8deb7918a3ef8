import type { VNode } from "preact";

/** Text that came from the network, isolated in its own direction. Always text, never markup. */
export function Name({ children, class: extra }: { children: string; class?: string }): VNode {
  return <bdi dir="auto" class={extra}>{children}</bdi>;
}
