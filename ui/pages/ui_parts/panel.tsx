import type { ComponentChildren, VNode } from "preact";

/** A panel of samples. */
export function Panel(
  { title, children }: { title: string; children: ComponentChildren },
): VNode {
  return (
    <section class="panel" aria-label={title}>
      <header>
        <h2>{title}</h2>
      </header>
      <div class="pad form">{children}</div>
    </section>
  );
}
