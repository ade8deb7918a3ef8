import { RE2JS } from "re2js";

/** An expression has no value for this input, as where a key is missing. */
export class NoValue extends Error {}

/** Characters of a text that a regular expression is tried on. */
const MAX_MATCHED = 65_536;

export type Json = unknown;

export function isObject(value: Json): value is Readonly<Record<string, Json>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** The value as a number; null where it is none. A text counts where all of it is one. */
export function toNumber(value: Json): number | null {
  if (typeof value === "number") return value;
  if (typeof value !== "string" || value.trim() === "") return null;
  const number = Number(value);
  return Number.isNaN(number) ? null : number;
}

const TRUTH: Readonly<Record<string, boolean>> = {
  ...{ true: true, True: true, TRUE: true, t: true, T: true, "1": true },
  ...{ false: false, False: false, FALSE: false, f: false, F: false, "0": false },
};

/** The value as a boolean; null where it is none. */
export function toBoolean(value: Json): boolean | null {
  if (typeof value === "boolean") return value;
  if (typeof value === "number") return value !== 0;
  return typeof value === "string" ? TRUTH[value] ?? null : null;
}

/** As numbers where both are, then as booleans where both are, else whole. */
export function areEqual(a: Json, b: Json): boolean {
  const [x, y] = [toNumber(a), toNumber(b)];
  if (x !== null && y !== null) return x === y;
  const [p, q] = [toBoolean(a), toBoolean(b)];
  if (p !== null && q !== null) return p === q;
  return JSON.stringify(a) === JSON.stringify(b);
}

/** Below zero where `a` comes first: texts by their signs, everything else by number. */
export function order(a: Json, b: Json): number {
  if (typeof a === "string" && typeof b === "string") return a < b ? -1 : a > b ? 1 : 0;
  const [x, y] = [toNumber(a), toNumber(b)];
  if (x === null || y === null) throw new NoValue("Only numbers and texts have an order");
  return x - y;
}

/** A regular expression, compiled. RE2 takes linear time whatever the pattern. */
export type Pattern = RE2JS;

/** Whether the pattern is found anywhere in a text. */
export function matches(text: Json, pattern: Json | Pattern): boolean {
  const compiled = typeof pattern === "string" ? compilePattern(pattern) : pattern;
  if (typeof text !== "string" || !(compiled instanceof RE2JS)) {
    throw new NoValue("A regular expression is tried on text");
  }
  return compiled.matcher(text.slice(0, MAX_MATCHED)).find();
}

/** Compiles a pattern. Throws {@link NoValue} where it is none. */
export function compilePattern(pattern: string): Pattern {
  try {
    return RE2JS.compile(pattern);
  } catch (error) {
    throw new NoValue(error instanceof Error ? error.message : "This is no regular expression");
  }
}
