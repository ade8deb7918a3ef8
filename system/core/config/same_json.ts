import { isRecord } from "./json.ts";

/**
 * True when both values are the same as JSON, whatever the order of their fields; a field without a
 * value counts as none. Parts that both have as one object are not looked into.
 */
export function sameJson(one: unknown, other: unknown): boolean {
  if (one === other) return true;
  if (Array.isArray(one)) {
    return Array.isArray(other) && one.length === other.length &&
      one.every((element, at) => sameJson(element, other[at]));
  }
  if (!isRecord(one) || !isRecord(other)) return false;
  const names = new Set([...Object.keys(one), ...Object.keys(other)]);
  return [...names].every((name) => sameJson(one[name], other[name]));
}
