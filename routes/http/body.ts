import { z } from "zod";
import { invalid, pointer, Problem, type ProblemItem } from "../../system/core/errors/problem.ts";
import "../../system/core/errors/issue_words.ts";

/** Bytes of a request body where a route names no limit of its own. */
export const BODY_LIMIT = 1 << 20;
/** Milliseconds within which a body must have arrived; Deno's server sets no such limit itself. */
export const BODY_DEADLINE = 15_000;

type JsonSchema = z.core.JSONSchema.BaseSchema;

/** Reads a body whole within the limit and the deadline. Throws Problem 413 or 408. */
export async function readBody(request: Request, limit: number = BODY_LIMIT): Promise<string> {
  const announced = Number(request.headers.get("content-length") ?? "0");
  if (announced > limit) throw tooLarge(limit);
  if (request.body === null) return "";
  const reader = request.body.getReader();
  const timer = setTimeout(() => reader.cancel("too slow").catch(() => {}), BODY_DEADLINE);
  const started = performance.now();
  const chunks: Uint8Array[] = [];
  let size = 0;
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) break;
      size += value.byteLength;
      if (size > limit) {
        await reader.cancel("too large").catch(() => {});
        throw tooLarge(limit);
      }
      chunks.push(value);
    }
  } finally {
    clearTimeout(timer);
  }
  if (performance.now() - started >= BODY_DEADLINE) {
    throw new Problem(408, "The body did not arrive in time");
  }
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(
      await new Blob(chunks as BlobPart[]).arrayBuffer(),
    );
  } catch {
    throw new Problem(400, "The body is not UTF-8 text");
  }
}

function tooLarge(limit: number): Problem {
  return new Problem(413, `The body is larger than ${limit} bytes`);
}

/**
 * The validated body of a request. Field names match the schema's without regard to case, unknown
 * fields are dropped (unless the schema is strict) and `null` counts as missing.
 */
export async function jsonBody<T extends z.ZodType>(
  request: Request,
  schema: T,
  options: { readonly optional?: boolean; readonly limit?: number } = {},
): Promise<z.output<T> | undefined> {
  const text = await readBody(request, options.limit);
  if (text.trim() === "") {
    if (options.optional) return undefined;
    throw invalid("", "The request has no body; send a JSON value");
  }
  let raw: unknown;
  try {
    raw = JSON.parse(text);
  } catch {
    throw invalid("", "The body is not JSON");
  }
  if (options.optional && raw === null) return undefined;
  return validate(schema, raw);
}

/** Checks a value that came from outside against a schema. Throws Problem 400 with a pointer for each fault. */
export function validate<T extends z.ZodType>(schema: T, raw: unknown): z.output<T> {
  const folded = fold(raw, shapeOf(schema), shapeOf(schema), []);
  const result = schema.safeParse(folded);
  if (result.success) return result.data;
  const errors = result.error.issues.flatMap((issue) => items(issue, []));
  throw new Problem(400, summary(errors), { errors });
}

function summary(errors: readonly ProblemItem[]): string {
  const first = errors[0]!;
  const place = first.pointer === "" ? "The body" : first.pointer;
  const more = errors.length > 1 ? ` (and ${errors.length - 1} more)` : "";
  return `${place}: ${first.message}${more}`;
}

function items(issue: z.core.$ZodIssue, prefix: readonly PropertyKey[]): ProblemItem[] {
  const path = [...prefix, ...issue.path];
  if (issue.code === "invalid_union" && issue.message === "Invalid input") {
    const option = issue.errors.find((issues) => issues.length > 0);
    if (option) return option.flatMap((inner) => items(inner, path));
  }
  if (issue.code === "unrecognized_keys") {
    return issue.keys.map((key) => ({
      pointer: pointer([...path, key]),
      message: "There is no such field",
    }));
  }
  return [{ pointer: pointer(path), message: issue.message }];
}

const shapes = new WeakMap<z.ZodType, JsonSchema>();

function shapeOf(schema: z.ZodType): JsonSchema {
  let shape = shapes.get(schema);
  if (!shape) {
    shape = z.toJSONSchema(schema, { io: "input", unrepresentable: "any" }) as JsonSchema;
    shapes.set(schema, shape);
  }
  return shape;
}

function resolve(
  shape: JsonSchema | boolean | undefined,
  root: JsonSchema,
): JsonSchema | undefined {
  if (shape === undefined || typeof shape === "boolean") return undefined;
  if (!shape.$ref) return shape;
  if (shape.$ref === "#") return root;
  const name = shape.$ref.replace("#/$defs/", "");
  return resolve(root.$defs?.[name] as JsonSchema | undefined, root);
}

/** Gives field names the schema's spelling; recursion is bounded by the schema, not by the input. */
function fold(
  value: unknown,
  wanted: JsonSchema | boolean | undefined,
  root: JsonSchema,
  path: readonly PropertyKey[],
): unknown {
  const shape = resolve(wanted, root);
  if (shape === undefined || value === null || typeof value !== "object") return value;
  const branches = [shape, ...(shape.anyOf ?? []), ...(shape.oneOf ?? []), ...(shape.allOf ?? [])]
    .map((branch) => resolve(branch as JsonSchema, root))
    .filter((branch) => branch !== undefined);
  if (Array.isArray(value)) {
    const list = branches.find((branch) => branch.type === "array");
    return list
      ? value.map((item, i) => fold(item, list.items as JsonSchema, root, [...path, i]))
      : value;
  }
  const object = branches.find((branch) => branch.properties) ??
    branches.find((branch) => branch.type === "object");
  return object ? foldObject(value as Record<string, unknown>, object, root, path) : value;
}

function foldObject(
  value: Record<string, unknown>,
  shape: JsonSchema,
  root: JsonSchema,
  path: readonly PropertyKey[],
): Record<string, unknown> {
  const names = new Map(
    Object.keys(shape.properties ?? {}).map((name) => [name.toLowerCase(), name]),
  );
  const rest = shape.additionalProperties;
  const keepsRest = rest !== undefined || shape.properties === undefined;
  const folded: Record<string, unknown> = {};
  for (const [key, item] of Object.entries(value)) {
    if (key === "__proto__") throw invalid(pointer([...path, key]), "This is no field name");
    if (item === null) continue;
    const exact = shape.properties !== undefined && Object.hasOwn(shape.properties, key);
    const name = exact ? key : names.get(key.toLowerCase());
    if (name === undefined) {
      if (keepsRest) folded[key] = fold(item, rest as JsonSchema, root, [...path, key]);
    } else if (exact || !Object.hasOwn(value, name)) {
      folded[name] = fold(item, shape.properties?.[name] as JsonSchema, root, [...path, name]);
    }
  }
  return folded;
}
