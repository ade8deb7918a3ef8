/** Names in one sentence; more are counted. */
const MAX_NAMES = 5;

/** `TV, Tablet and 3 more devices`. */
export function nameList(names: readonly string[]): string {
  if (names.length <= 1) return names[0] ?? "no device";
  const isLong = names.length > MAX_NAMES;
  const shown = names.slice(0, isLong ? MAX_NAMES - 1 : -1);
  return `${shown.join(", ")} and ${
    isLong ? `${names.length - shown.length} more devices` : names.at(-1)
  }`;
}
