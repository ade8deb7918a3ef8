import type { VNode } from "preact";
import { linePath, roundMost, type Values } from "./series.ts";
import "../../styles/parts/spark.css";

/** A line of 72 by 18 beside a number; the number says how much, the line how it came. */
export function Sparkline(
  { values, label }: { values: Values; label: string },
): VNode {
  const path = linePath(values, { width: 72, height: 16, most: roundMost(values) });
  return (
    <svg class="spark" viewBox="-1 -1 74 18" role="img" aria-label={label}>
      <path d={path} />
    </svg>
  );
}
