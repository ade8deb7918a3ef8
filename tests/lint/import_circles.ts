import { dirname, join } from "node:path/posix";

/**
 * Paths below the project's folder that the text of a file imports, types included. What it loads
 * only when it is needed comes later and closes no circle.
 */
export function importsOf(path: string, text: string): readonly string[] {
  const sources = text.matchAll(/(?:\bfrom|\bimport|\btypeof import\()\s*"(\.[^"]+)"/g);
  return [...sources].map(([, source]) => join(dirname(path), source!));
}

/** Files that import each other, directly or by way of others (Tarjan); each circle sorted. */
export function importCircles(
  files: ReadonlyMap<string, readonly string[]>,
): readonly (readonly string[])[] {
  const order = new Map<string, number>();
  const lowest = new Map<string, number>();
  const open: string[] = [];
  const circles: (readonly string[])[] = [];
  const visit = (path: string): void => {
    order.set(path, order.size);
    lowest.set(path, order.get(path)!);
    open.push(path);
    for (const to of files.get(path) ?? []) {
      if (!files.has(to)) continue;
      if (!order.has(to)) visit(to);
      if (open.includes(to)) lowest.set(path, Math.min(lowest.get(path)!, lowest.get(to)!));
    }
    if (lowest.get(path) !== order.get(path)) return;
    const circle = open.splice(open.indexOf(path));
    if (circle.length > 1 || files.get(path)!.includes(path)) circles.push(circle.sort());
  };
  for (const path of files.keys()) if (!order.has(path)) visit(path);
  return circles;
}
