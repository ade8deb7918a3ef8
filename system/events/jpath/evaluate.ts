import type { Expression, PathExpression, Step } from "./grammar.ts";
import {
  areEqual,
  isObject,
  type Json,
  matches,
  NoValue,
  order,
  toBoolean,
  toNumber,
} from "./values.ts";

/** Values that are looked at in one evaluation; a path that needs more has no value. */
const MAX_STEPS = 20_000;

interface Scope {
  readonly root: Json;
  readonly current: Json;
  readonly budget: { left: number };
}

/**
 * The value of an expression for an input. Throws {@link NoValue} where it has none: a key is missing,
 * types do not fit, or it would take too long.
 */
export function evaluate(expression: Expression, input: Json): Json {
  return valueOf(expression, { root: input, current: input, budget: { left: MAX_STEPS } });
}

function valueOf(node: Expression, scope: Scope): Json {
  spend(scope);
  switch (node.type) {
    case "Literal":
      return node["value"];
    case "Identifier":
      if (node["name"] === "null" || node["name"] === "nil") return null;
      throw new NoValue(`${node["name"]} is not known`);
    case "JPath":
      return pathValue(node as PathExpression, scope);
    case "ArrayExpression":
      return (node["elements"] as (Expression | null)[]).map((one) => one && valueOf(one, scope));
    case "UnaryExpression":
      return unary(String(node["operator"]), valueOf(node["argument"] as Expression, scope));
    case "ConditionalExpression":
      return valueOf(
        node[truth(node["test"] as Expression, scope) ? "consequent" : "alternate"] as Expression,
        scope,
      );
    case "BinaryExpression":
      return binary(node, scope);
    case "CallExpression":
      return call(node, scope);
    default:
      throw new NoValue(`${node.type} is not part of a condition`);
  }
}

function spend({ budget }: Scope): void {
  if (--budget.left < 0) throw new NoValue("This takes too long");
}

function truth(node: Expression, scope: Scope): boolean {
  const value = toBoolean(valueOf(node, scope));
  if (value === null) throw new NoValue("This is neither true nor false");
  return value;
}

function unary(operator: string, value: Json): Json {
  if (operator === "!") {
    const flag = toBoolean(value);
    if (flag === null) throw new NoValue("This is neither true nor false");
    return !flag;
  }
  const number = numberOf(value);
  return operator === "-" ? -number : operator === "~" ? ~number : number;
}

function numberOf(value: Json): number {
  const number = toNumber(value);
  if (number === null) throw new NoValue("This is not a number");
  return number;
}

function binary(node: Expression, scope: Scope): Json {
  const operator = String(node["operator"]);
  const left = node["left"] as Expression, right = node["right"] as Expression;
  if (operator === "&&") return truth(left, scope) && truth(right, scope);
  if (operator === "||") return truth(left, scope) || truth(right, scope);
  if (operator === "??") {
    const value = attempt(() => valueOf(left, scope), null);
    return value === null || value === "" ? valueOf(right, scope) : value;
  }
  return combine(operator, valueOf(left, scope), valueOf(right, scope));
}

function combine(operator: string, a: Json, b: Json): Json {
  switch (operator) {
    case "==":
      return areEqual(a, b);
    case "!=":
      return !areEqual(a, b);
    case "<":
      return order(a, b) < 0;
    case "<=":
      return order(a, b) <= 0;
    case ">":
      return order(a, b) > 0;
    case ">=":
      return order(a, b) >= 0;
    case "=~":
      return matches(a, b);
    case "!~":
      return !matches(a, b);
    case "in":
      if (!Array.isArray(b)) throw new NoValue("`in` needs a list");
      return b.some((one) => areEqual(a, one));
    case "+":
      if (typeof a === "string" && typeof b === "string") return a + b;
      return numberOf(a) + numberOf(b);
    default:
      return arithmetic(operator, numberOf(a), numberOf(b));
  }
}

function arithmetic(operator: string, a: number, b: number): number {
  switch (operator) {
    case "-":
      return a - b;
    case "*":
      return a * b;
    case "/":
      return a / b;
    case "%":
      return a % b;
    case "**":
      return a ** b;
    case "&":
      return a & b;
    case "|":
      return a | b;
    case "^":
      return a ^ b;
    case "<<":
      return a << b;
    case ">>":
      return a >> b;
    default:
      throw new NoValue(`${operator} is not known`);
  }
}

/** `date("2026-01-31")` as seconds since 1970. */
function call(node: Expression, scope: Scope): Json {
  const callee = node["callee"] as Expression, given = node["arguments"] as Expression[];
  const [first] = given;
  if (callee["name"] !== "date" || first === undefined || given.length !== 1) {
    throw new NoValue("The only function is date(text)");
  }
  const at = Date.parse(String(valueOf(first, scope)));
  if (Number.isNaN(at)) throw new NoValue("This is not a date");
  return at / 1000;
}

/** The one value of a plain path; a list of all matches where a step can have several. */
function pathValue({ root, steps }: PathExpression, scope: Scope): Json {
  let values: Json[] = [root === "$" ? scope.root : scope.current];
  let isList = false;
  for (const step of steps) {
    isList ||= step.kind !== "child" || step.isUnion;
    values = values.flatMap((value) => stepFrom(step, { value, isList }, scope));
  }
  return isList ? values : values[0];
}

function stepFrom(
  step: Step,
  { value, isList }: { readonly value: Json; readonly isList: boolean },
  scope: Scope,
): Json[] {
  spend(scope);
  switch (step.kind) {
    case "child": {
      const found = step.keys.flatMap((key) => childOf(value, valueOf(key, scope)));
      // A path that can have several matches has none here; a plain one has no value at all.
      if (found.length === 0 && !isList) throw new NoValue("A key is missing");
      return found;
    }
    case "wildcard":
      return counted(members(value), scope);
    case "descend":
      return descendants(value, scope);
    case "slice":
      return Array.isArray(value) ? counted(sliced(value, step.bounds, scope), scope) : [];
    case "filter":
      return members(value).filter((member) => {
        spend(scope);
        return attempt(() => truth(step.test, { ...scope, current: member }), false);
      });
  }
}

function childOf(value: Json, key: Json): Json[] {
  if (Array.isArray(value)) {
    const index = toNumber(key);
    if (index === null || !Number.isInteger(index)) return [];
    const at = index < 0 ? index + value.length : index;
    return at in value ? [value[at]] : [];
  }
  return isObject(value) && Object.hasOwn(value, String(key)) ? [value[String(key)]] : [];
}

function members(value: Json): Json[] {
  return Array.isArray(value) ? value : isObject(value) ? Object.values(value) : [];
}

function descendants(value: Json, scope: Scope): Json[] {
  const found: Json[] = [], open: Json[] = [value];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    spend(scope);
    found.push(next);
    open.push(...counted(members(next), scope).toReversed());
  }
  return found;
}

function counted(values: Json[], { budget }: Scope): Json[] {
  budget.left -= values.length;
  if (budget.left < 0) throw new NoValue("This takes too long");
  return values;
}

function sliced(value: Json[], bounds: readonly (Expression | null)[], scope: Scope): Json[] {
  const [start, end, step] = bounds.map((bound) => bound && numberOf(valueOf(bound, scope)));
  const stride = step ?? 1;
  if (stride === 0 || !Number.isInteger(stride)) throw new NoValue("A step is a whole number");
  const within = (bound: number): number =>
    Math.min(Math.max(bound < 0 ? bound + value.length : bound, stride < 0 ? -1 : 0), value.length);
  const from = within(start ?? (stride < 0 ? value.length - 1 : 0));
  const to = end === null || end === undefined ? (stride < 0 ? -1 : value.length) : within(end);
  const taken: Json[] = [];
  for (let at = from; stride < 0 ? at > to : at < to; at += stride) {
    if (at in value) taken.push(value[at]);
  }
  return taken;
}

/** The fallback where there is no value; what takes too long ends the whole evaluation. */
function attempt<T>(work: () => T, fallback: T): T {
  try {
    return work();
  } catch (error) {
    if (error instanceof NoValue && error.message !== "This takes too long") return fallback;
    throw error;
  }
}
