import { evaluate } from "./evaluate.ts";
import { type Expression, parse } from "./grammar.ts";
import { compilePattern, isObject, type Json, NoValue } from "./values.ts";

/** A compiled condition. */
export interface Condition {
  /** The value for an event; undefined where there is none. */
  value(event: Json): Json | undefined;
}

/**
 * Compiles a condition: an expression with paths into a list that holds the event alone, as
 * `$[?(@.type=="user")]`. Throws an error that says what is wrong with it.
 */
export function compileCondition(text: string): Condition {
  const expression = parse(text);
  compilePatterns(expression);
  return {
    value(event) {
      try {
        return evaluate(expression, [event]);
      } catch (error) {
        if (error instanceof NoValue || error instanceof RangeError) return undefined;
        throw error;
      }
    },
  };
}

/** Whether a value counts as a match: anything but nothing, an empty text, list or object. */
export function isMatch(value: Json | undefined): boolean {
  if (value === undefined || value === null || value === "") return false;
  if (Array.isArray(value)) return value.length > 0;
  return !isObject(value) || Object.keys(value).length > 0;
}

/** Compiles the patterns that are written out, once for all events. Throws where one is none. */
function compilePatterns(node: unknown): void {
  if (Array.isArray(node)) return node.forEach(compilePatterns);
  if (!isObject(node)) return;
  const { operator, right } = node as Partial<Expression>;
  if ((operator === "=~" || operator === "!~") && isObject(right) && right.type === "Literal") {
    (right as Expression)["value"] = compilePattern(String(right["value"]));
    return compilePatterns(node["left"]);
  }
  Object.values(node).forEach(compilePatterns);
}
