import { type Expression, parse, type PathExpression, type Step } from "./grammar.ts";
import { toBoolean, toNumber } from "./values.ts";

/** What the JSON of an item needs to be a match at all: cheap to look at before it is parsed. */
export type Requirement =
  /** It has this text in it. */
  | { readonly kind: "text"; readonly text: string }
  /** The value under these keys is there, and where it is a whole number it compares so. */
  | {
    readonly kind: "number";
    readonly keys: readonly string[];
    readonly operator: Comparison;
    readonly value: number;
  }
  /** One of these lists holds as a whole. */
  | { readonly kind: "any"; readonly of: readonly (readonly Requirement[])[] };

export type Comparison = "==" | "<" | "<=" | ">" | ">=";

/** Each comparison with its sides exchanged. */
const MIRRORED: Readonly<Record<Comparison, Comparison>> = {
  ...{ "==": "==", "<": ">", "<=": ">=", ">": "<", ">=": "<=" },
};

/**
 * What every item needs that a condition matches: all of these, of which none is no limit. Items that
 * have it still have to be evaluated. The JSON of items is as `JSON.stringify` writes it.
 */
export function requirementsOf(condition: string): readonly Requirement[] {
  const expression = parse(condition);
  if (expression.type !== "JPath") return [];
  const { root, steps } = expression as PathExpression;
  const [first] = steps;
  // A list of matches: it is empty, and so no match, where its first filter lets nothing through.
  return root === "$" && first?.kind === "filter" ? ofTest(first.test) : [];
}

function ofTest(test: Expression): readonly Requirement[] {
  if (test.type !== "BinaryExpression") return [];
  const operator = String(test["operator"]);
  const left = test["left"] as Expression, right = test["right"] as Expression;
  switch (operator) {
    case "&&":
      return [...ofTest(left), ...ofTest(right)];
    case "||":
      return anyOf([ofTest(left), ofTest(right)]);
    case "=~":
      return keysOf(left) === null ? [] : ofPattern(literalOf(right));
    case "in":
      return keysOf(left) === null || right.type !== "ArrayExpression" ? [] : anyOf(
        (right["elements"] as (Expression | null)[]).map((one) => ofText(literalOf(one))),
      );
    case "==":
    case "<":
    case "<=":
    case ">":
    case ">=":
      return keysOf(left) === null
        ? ofComparison(right, MIRRORED[operator], left)
        : ofComparison(left, operator, right);
    default:
      return [];
  }
}

/** Nothing is required where one of several possibilities requires nothing. */
function anyOf(of: readonly (readonly Requirement[])[]): readonly Requirement[] {
  return of.some((one) => one.length === 0) ? [] : [{ kind: "any", of }];
}

function ofComparison(
  path: Expression,
  operator: Comparison,
  other: Expression,
): readonly Requirement[] {
  const keys = keysOf(path), value = literalOf(other);
  if (keys === null) return [];
  if (typeof value === "number" && Number.isFinite(value)) {
    return [{ kind: "number", keys, operator, value }];
  }
  return operator === "==" ? ofText(value) : [];
}

/** A text that equals nothing but itself stands in the JSON as it is written there. */
function ofText(value: unknown): readonly Requirement[] {
  if (typeof value !== "string" || toNumber(value) !== null || toBoolean(value) !== null) return [];
  return [{ kind: "text", text: JSON.stringify(value) }];
}

/** A pattern of nothing but letters that stand for themselves. */
const PLAIN_PATTERN = /^\^?([A-Za-z0-9 _:@/-]+)\$?$/;

function ofPattern(pattern: unknown): readonly Requirement[] {
  const text = typeof pattern === "string" ? PLAIN_PATTERN.exec(pattern)?.[1] : undefined;
  return text === undefined ? [] : [{ kind: "text", text }];
}

function literalOf(node: Expression | null): unknown {
  return node?.type === "Literal" ? node["value"] : undefined;
}

/** The keys of a plain path into the item, such as `@.IP.SrcIP`; null for anything else. */
function keysOf(node: Expression): readonly string[] | null {
  if (node.type !== "JPath") return null;
  const { root, steps } = node as PathExpression;
  if (root !== "@" || steps.length === 0) return null;
  const keys = steps.map(keyOf);
  // `time` is added to items that have none.
  if (keys[0] === "time" || keys.some((key) => key === null)) return null;
  return keys as string[];
}

function keyOf(step: Step): string | null {
  const key = step.kind === "child" && !step.isUnion ? literalOf(step.keys[0] ?? null) : null;
  return typeof key === "string" && /^[A-Za-z_][\w-]*$/.test(key) ? key : null;
}
