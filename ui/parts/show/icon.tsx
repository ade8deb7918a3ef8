import type { VNode } from "preact";
import type { MORE_SHAPES } from "./more_shapes.tsx";
import { SHAPES } from "./shapes.tsx";

export type IconName = keyof typeof SHAPES | keyof typeof MORE_SHAPES;

/** Those that are there; strokes take the colour of the text. */
const shapes: Partial<Record<IconName, string | VNode>> = { ...SHAPES };

/** Makes the drawings known that the first page does without. */
export function addShapes(more: typeof MORE_SHAPES): void {
  Object.assign(shapes, more);
}

/** A drawing beside words. */
export function Icon(
  { name, small, class: extra }: { name: IconName; small?: boolean; class?: string },
): VNode {
  const classes = `i${small ? " i-s" : ""}${extra ? ` ${extra}` : ""}`;
  const shape = shapes[name];
  const drawn = typeof shape === "string" ? <path d={shape} /> : shape;
  return <svg class={classes} viewBox="0 0 16 16" aria-hidden="true">{drawn}</svg>;
}
