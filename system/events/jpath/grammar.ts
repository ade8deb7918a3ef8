import jsep from "jsep";

/** One step of a path. */
export type Step =
  | { readonly kind: "child"; readonly keys: readonly Expression[]; readonly isUnion: boolean }
  | { readonly kind: "wildcard" }
  | { readonly kind: "slice"; readonly bounds: readonly (Expression | null)[] }
  | { readonly kind: "filter"; readonly test: Expression }
  /** Every value below; the next step is taken from each of them. */
  | { readonly kind: "descend" };

/** A path from the root (`$`) or the current element (`@`). */
export interface PathExpression extends jsep.Expression {
  readonly type: "JPath";
  readonly root: "$" | "@";
  readonly steps: Step[] & object;
}

export type Expression = jsep.Expression;

/** A condition may be this long. */
export const MAX_LENGTH = 2000;
/** Brackets may be nested this deep. */
const MAX_DEPTH = 50;

/** What the library tells a plug-in of its parser. */
interface Parser {
  readonly expr: string;
  index: number;
  readonly code: number;
  gobbleExpression(): Expression | false;
  gobbleSpaces(): void;
  throwError(message: string): never;
}

const NAME = /^[\p{L}_][\p{L}\p{N}_-]*/u;

// The parser knows the paths and operators of the dialect from here on.
for (const [operator, precedence] of [["=~", 6], ["!~", 6], ["in", 7], ["??", 1]] as const) {
  jsep.addBinaryOp(operator, precedence);
}
jsep.addBinaryOp("**", 11, true);
for (const operator of ["===", "!==", ">>>"]) jsep.removeBinaryOp(operator);
jsep.hooks.add("gobble-token", function (this: unknown, env: { node?: Expression }): void {
  const parser = this as Parser;
  const sign = parser.expr.charAt(parser.index);
  if (sign === "$" || sign === "@") env.node = path(parser, sign);
  else if (sign === "`") env.node = rawText(parser);
});

/** Parses an expression. Throws an error whose message says what is wrong, and where. */
export function parse(text: string): Expression {
  if (text.length > MAX_LENGTH) throw new Error(`Use at most ${MAX_LENGTH} characters`);
  let depth = 0;
  for (const sign of text) {
    if ("([{?".includes(sign)) depth++;
    if (depth > MAX_DEPTH) throw new Error(`Nest at most ${MAX_DEPTH} brackets`);
  }
  const expression = jsep(text);
  if (expression.type === "Compound") throw new Error("Write one expression");
  return expression;
}

/** Text between back-ticks, as it is. */
function rawText(parser: Parser): Expression {
  const end = parser.expr.indexOf("`", parser.index + 1);
  if (end < 0) parser.throwError("Unclosed back-tick");
  const value = parser.expr.slice(parser.index + 1, end);
  parser.index = end + 1;
  return { type: "Literal", value, raw: `\`${value}\`` };
}

function path(parser: Parser, root: "$" | "@"): PathExpression {
  parser.index++;
  const steps: Step[] = [];
  for (;;) {
    if (parser.expr.startsWith("..", parser.index)) {
      parser.index += 2;
      steps.push(
        { kind: "descend" },
        parser.expr[parser.index] === "[" ? bracket(parser) : member(parser),
      );
    } else if (parser.expr[parser.index] === ".") {
      parser.index++;
      steps.push(member(parser));
    } else if (parser.expr[parser.index] === "[") steps.push(bracket(parser));
    else return { type: "JPath", root, steps };
  }
}

function member(parser: Parser): Step {
  if (parser.expr[parser.index] === "*") {
    parser.index++;
    return { kind: "wildcard" };
  }
  const name = NAME.exec(parser.expr.slice(parser.index))?.[0];
  if (name === undefined) return parser.throwError("Expected a name after the dot");
  parser.index += name.length;
  return { kind: "child", keys: [literal(name)], isUnion: false };
}

function bracket(parser: Parser): Step {
  parser.index++;
  parser.gobbleSpaces();
  const sign = parser.expr[parser.index];
  const step = sign === "*" ? wildcard(parser) : sign === "?" ? filter(parser) : selection(parser);
  parser.gobbleSpaces();
  if (parser.expr[parser.index] !== "]") parser.throwError("Expected ]");
  parser.index++;
  return step;
}

function wildcard(parser: Parser): Step {
  parser.index++;
  return { kind: "wildcard" };
}

function filter(parser: Parser): Step {
  parser.index++;
  const test = parser.gobbleExpression();
  if (test === false) return parser.throwError("Expected a condition after ?");
  return { kind: "filter", test };
}

/** Keys joined by commas, or a slice. */
function selection(parser: Parser): Step {
  const parts: (Expression | null)[] = [];
  let separator: "," | ":" | null = null;
  for (;;) {
    parser.gobbleSpaces();
    const isOmitted = /[\]:]/.test(parser.expr.charAt(parser.index));
    const part = isOmitted ? false : parser.gobbleExpression();
    parts.push(part === false ? null : part);
    parser.gobbleSpaces();
    const sign = parser.expr[parser.index];
    if (sign !== "," && sign !== ":") break;
    if (separator !== null && separator !== sign) parser.throwError("Use either , or :");
    separator = sign;
    parser.index++;
  }
  if (separator === ":") {
    if (parts.length > 3) parser.throwError("A slice has a start, an end and a step");
    return { kind: "slice", bounds: parts };
  }
  const keys = parts.filter((part) => part !== null);
  if (keys.length !== parts.length) parser.throwError("Expected a key");
  return { kind: "child", keys, isUnion: separator === "," };
}

function literal(value: string): Expression {
  return { type: "Literal", value, raw: JSON.stringify(value) };
}
