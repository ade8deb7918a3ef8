/** Which row a key leads to from one of so many; null where it leads nowhere. */
export function keyTarget(key: string, at: number, length: number): number | null {
  if (at < 0 || length === 0) return null;
  switch (key) {
    case "ArrowDown":
      return Math.min(at + 1, length - 1);
    case "ArrowUp":
      return Math.max(at - 1, 0);
    case "Home":
      return 0;
    case "End":
      return length - 1;
    default:
      return null;
  }
}
