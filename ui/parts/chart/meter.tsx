import type { VNode } from "preact";
import "../../styles/parts/meter.css";

/** A bar beside a number: how much of the whole it is, both in the same unit. */
export function Meter(
  { value, of, label }: { value: number; of: number; label: string },
): VNode {
  const share = of > 0 ? Math.max(0, Math.min(1, value / of)) : 0;
  return (
    <svg class="meter" viewBox="0 0 100 6" preserveAspectRatio="none" role="img" aria-label={label}>
      <rect class="whole" width="100" height="6" />
      <rect class="part" width={share * 100} height="6" />
    </svg>
  );
}
