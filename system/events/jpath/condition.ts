import { evaluate } from "./evaluate.ts";
import { type Expression, parse, type PathExpression } from "./grammar.ts";
import { parseItemTime } from "../store/item_time.ts";
import { compilePattern, isObject, type Json, NoValue, toBoolean, toNumber } from "./values.ts";

/** A compiled condition. */
export interface Condition {
  /**
   * Texts that the JSON of every event holds for which the condition has a match, as JSON writes them:
   * what lacks one need not be parsed. Times are not among them, which an event may get from its key.
   */
  readonly held: readonly string[];
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
    held: heldTexts(expression),
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

/** Only of `$[?(test)]`, where each part of the test that is joined by `&&` must be true. */
function heldTexts(expression: Expression): readonly string[] {
  if (expression.type !== "JPath") return [];
  const { root, steps: [first] } = expression as PathExpression;
  return root === "$" && first?.kind === "filter" ? comparedTexts(first.test) : [];
}

function comparedTexts({ type, operator, left, right }: Expression): readonly string[] {
  if (type !== "BinaryExpression") return [];
  const sides = [left, right] as Expression[];
  if (operator === "&&") return sides.flatMap(comparedTexts);
  if (operator !== "==" || !sides.some((side) => side.type === "JPath")) return [];
  return sides.flatMap(({ type, value }) =>
    type === "Literal" && typeof value === "string" && isOnlyItself(value)
      ? [JSON.stringify(value)]
      : []
  );
}

/** Texts that say a number or a truth value equal others. */
function isOnlyItself(text: string): boolean {
  return toNumber(text) === null && toBoolean(text) === null && parseItemTime(text) === null;
}
