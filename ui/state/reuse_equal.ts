/**
 * What was loaded anew, with each value that says the same as before being that very object, so that
 * what shows it is not drawn again; `before` itself where nothing differs at all.
 */
export function reuseEqual<T>(
  before: Readonly<Record<string, T>> | null,
  fresh: Readonly<Record<string, T>>,
): Readonly<Record<string, T>> {
  if (before === null) return fresh;
  let same = Object.keys(before).length === Object.keys(fresh).length;
  const kept: Record<string, T> = {};
  for (const [key, value] of Object.entries(fresh)) {
    const old = before[key];
    const equal = old !== undefined && JSON.stringify(old) === JSON.stringify(value);
    kept[key] = equal ? old : value;
    same &&= equal;
  }
  return same ? before : kept;
}
