import { onceEach } from "../../system/core/config/memo.ts";
import { zValidator } from "@hono/zod-validator";
import type { MiddlewareHandler } from "hono";
import * as z from "zod";
import {
  englishOf,
  invalid,
  pointer,
  Problem,
  type ProblemItem,
  problemItem,
} from "../../system/core/errors/problem.ts";
import { issueSentence } from "../../system/core/errors/issue_text.ts";
import { atOnce, inSlices } from "../../system/core/time/slices.ts";
import { withJson } from "./body.ts";
import { checkLarge } from "../../system/core/config/check_large.ts";
import type { RouteDescription } from "./route.ts";

type JsonSchema = z.core.JSONSchema.BaseSchema;

/** The validators of a route, in the order in which its faults are reported. */
export function validators(description: RouteDescription): readonly MiddlewareHandler[] {
  const { access, params, query, headers, body, bodyOptional = false, maxBody, repeats } =
    description;
  return [
    ...(params ? [check("param", params)] : []),
    ...(query ? [check("query", query, (values) => queryOf(values, repeats))] : []),
    ...(headers ? [check("header", headers)] : []),
    ...(body
      ? [
        withJson({
          optional: bodyOptional,
          public: access === "public",
          ...(maxBody === undefined ? {} : { limit: maxBody }),
          use: async (c, { value, isSmall }, next) => {
            const schema = bodyOptional
              ? body.nullish().transform((value) => value ?? undefined)
              : body;
            const valid = isSmall ? validate(schema, value) : await validateLarge(schema, value);
            c.req.addValidatedData("json", valid as object);
            await next();
          },
        }),
      ]
      : []),
  ];
}

function check(
  target: "param" | "query" | "header",
  schema: z.ZodType,
  prepare: (value: unknown) => unknown = (value) => value,
): MiddlewareHandler {
  return zValidator(target, schema, (result) => {
    if (!result.success) throw faults((result.error as z.core.$ZodError).issues);
  }, { validationFunction: (_, value) => parse(schema, prepare(value)) });
}

/** Checks a value that came from outside against a schema. Throws Problem 400 with a pointer for each fault. */
export function validate<T extends z.ZodType>(schema: T, raw: unknown): z.output<T> {
  const result = parse(schema, raw);
  if (result.success) return result.data;
  throw faults(result.error.issues);
}

/** The same for a value of any size, of which the first faults are enough; others have their turn. */
async function validateLarge(schema: z.ZodType, raw: unknown): Promise<unknown> {
  const shape = shapeOf(schema);
  const folded = await inSlices(foldSteps(raw, shape, { root: shape, path: [] }));
  const result = await inSlices(checkLarge(schema, folded, MAX_FAULTS));
  if (result.success) return result.data;
  throw faults(result.issues);
}

/**
 * Parses a value whose field names match the schema's without regard to case; unknown fields are
 * dropped (unless the schema is strict) and `null` counts as missing, but where the schema has another
 * default and takes it.
 */
function parse<T extends z.ZodType>(schema: T, raw: unknown): z.ZodSafeParseResult<z.output<T>> {
  const shape = shapeOf(schema);
  return schema.safeParse(atOnce(foldSteps(raw, shape, { root: shape, path: [] })));
}

/** Query parameters; one that stands twice is refused rather than guessed at. */
function queryOf(values: unknown, repeats: readonly string[] = []): unknown {
  return Object.fromEntries(
    Object.entries(values as Readonly<Record<string, string | string[]>>).map(([name, value]) => {
      if (repeats.includes(name)) return [name, [value].flat()];
      if (typeof value === "string") return [name, value];
      throw new Problem(400, `The query parameter ${name} stands more than once`);
    }),
  );
}

/** Faults that a response lists; it counts the others. */
const MAX_FAULTS = 20;
/**
 * Items of an array, and fields of a map, where a schema sets no limit of its own. Describing every
 * fault of a body that holds nothing else would take seconds.
 */
const MAX_ITEMS = 5000;

function faults(issues: readonly z.core.$ZodIssue[]): Problem {
  const errors = issues.slice(0, MAX_FAULTS).flatMap((issue) => items(issue, []))
    .slice(0, MAX_FAULTS);
  const others = Math.max(errors.length, issues.length) - 1;
  return new Problem(400, summary(errors[0]!, others), { errors });
}

function summary(first: ProblemItem, others: number): string {
  const where = first.pointer === "" ? "The body" : first.pointer;
  return `${where}: ${first.message}${others > 0 ? ` (and ${others} more)` : ""}`;
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
  const made = issueSentence(issue);
  // A schema may have a sentence of its own for the same.
  const isOwn = made === null || englishOf(made) !== issue.message;
  return [problemItem(pointer(path), isOwn ? issue.message : made)];
}

const shapeOf = onceEach((schema: z.ZodType) =>
  z.toJSONSchema(schema, { io: "input", unrepresentable: "any" }) as JsonSchema
);

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

/** Throws Problem 400 for more items or fields than a schema's own limit, or {@link MAX_ITEMS}. */
function bound(
  count: number,
  own: number | undefined,
  what: "items" | "fields",
  path: readonly PropertyKey[],
): void {
  const limit = own ?? MAX_ITEMS;
  if (count > limit) throw invalid(pointer(path), `Send at most ${limit} ${what}`);
}

/** Where a value stands: in a body of this schema, at this path. */
interface Within {
  readonly root: JsonSchema;
  readonly path: readonly PropertyKey[];
}

/**
 * Gives field names the schema's spelling, in small steps; recursion is bounded by the schema, not
 * by the input.
 */
function* foldSteps(
  value: unknown,
  wanted: JsonSchema | boolean | undefined,
  { root, path }: Within,
): Generator<void, unknown> {
  const shape = resolve(wanted, root);
  if (shape === undefined || value === null || typeof value !== "object") return value;
  const branches = [shape, ...(shape.anyOf ?? []), ...(shape.oneOf ?? []), ...(shape.allOf ?? [])]
    .map((branch) => resolve(branch as JsonSchema, root))
    .filter((branch) => branch !== undefined);
  if (Array.isArray(value)) {
    const list = branches.find((branch) => branch.type === "array");
    if (list === undefined) return value;
    bound(value.length, list.maxItems, "items", path);
    const folded: unknown[] = [];
    for (const [at, item] of value.entries()) {
      folded.push(
        yield* foldSteps(item, list.items as JsonSchema, { root, path: [...path, at] }),
      );
      yield;
    }
    return folded;
  }
  const objects = branches.filter((branch) => branch.properties);
  const object = (objects.length > 1 ? objects.find((branch) => isMeant(branch, value)) : null) ??
    objects[0] ??
    branches.find((branch) => branch.type === "object");
  return object === undefined
    ? value
    : yield* foldObject(value as Record<string, unknown>, object, { root, path });
}

/** True for the branch of a union that an object means, by the fields that have one value in it. */
function isMeant({ properties = {} }: JsonSchema, value: object): boolean {
  return Object.entries(properties).every(([name, field]) => {
    if (typeof field === "boolean" || field.const === undefined) return true;
    const sent = Object.entries(value).find(([key]) => key.toLowerCase() === name.toLowerCase());
    return sent?.[1] === field.const;
  });
}

/** True for a field to which null says something else than its absence, which means another value. */
const isNullMeant = onceEach((field: JsonSchema): boolean =>
  field.default !== undefined && field.default !== null &&
  (field.anyOf ?? []).some((one) => (one as JsonSchema).type === "null")
);

/** The names of a schema's fields by what they are in lower case. */
const namesOf = onceEach((shape: JsonSchema) =>
  new Map(Object.keys(shape.properties ?? {}).map((name) => [name.toLowerCase(), name]))
);

function* foldObject(
  value: Record<string, unknown>,
  shape: JsonSchema,
  { root, path }: Within,
): Generator<void, Record<string, unknown>> {
  const names = namesOf(shape);
  const rest = shape.additionalProperties;
  const keepsRest = rest !== undefined || shape.properties === undefined;
  const folded: Record<string, unknown> = {};
  const entries = Object.entries(value);
  bound(entries.length, undefined, "fields", path);
  for (const [key, item] of entries) {
    if (key === "__proto__") throw invalid(pointer([...path, key]), "This is no field name");
    const exact = shape.properties !== undefined && Object.hasOwn(shape.properties, key);
    const name = exact ? key : names.get(key.toLowerCase());
    if (
      item === null && (name === undefined || !isNullMeant(shape.properties![name] as JsonSchema))
    ) {
      continue;
    }
    if (name === undefined) {
      if (keepsRest) {
        folded[key] = yield* foldSteps(item, rest as JsonSchema, { root, path: [...path, key] });
      }
    } else if (exact || !Object.hasOwn(value, name)) {
      const own = shape.properties?.[name] as JsonSchema;
      folded[name] = yield* foldSteps(item, own, { root, path: [...path, name] });
    }
    yield;
  }
  return folded;
}
