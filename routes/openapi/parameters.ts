import * as z from "zod";
import { decides, type RouteDescription } from "../http/route.ts";
import { type JsonSchema, jsonSchema } from "./components.ts";

/** What every change takes beside its own parameters. */
export const CHANGE_PARAMETERS = {
  DryRun: {
    name: "dryRun",
    in: "query",
    schema: { type: "boolean", default: false },
    description: "Answer a preview; nothing is changed.",
    example: true,
  },
  Force: {
    name: "force",
    in: "query",
    schema: { type: "boolean", default: false },
    description: "Do it although it ends the caller's own connection or breaks a test.",
    example: true,
  },
  ConfirmWithin: {
    name: "Confirm-Within",
    in: "header",
    schema: { type: "integer", minimum: 10, maximum: 600 },
    description: "Seconds after which the change reverts unless it is confirmed.",
    example: 60,
  },
  IfMatch: {
    name: "If-Match",
    in: "header",
    schema: { type: "string" },
    description: "ETag that was read; another one is 412.",
    example: '"4f2a"',
  },
} as const;

/** The parameters of a route: of its path, its query and its headers, and of a change. */
export function parameters(description: RouteDescription): unknown[] {
  const { path, params, query, headers, examples } = description;
  const list: unknown[] = [];
  const example = (name: string) => {
    const value = examples?.parameters?.[name];
    return value === undefined ? {} : { example: value };
  };
  for (const [, name] of path.matchAll(/\{(\w+)\}/g)) {
    list.push({ name, in: "path", required: true, ...field(params, name!), ...example(name!) });
  }
  for (const [location, schema] of [["query", query], ["header", headers]] as const) {
    for (const name of fieldNames(schema)) {
      list.push({
        name,
        in: location,
        required: isRequired(schema, name),
        ...field(schema, name),
        ...example(name),
      });
    }
  }
  if (decides(description)) {
    for (const name of Object.keys(CHANGE_PARAMETERS)) {
      list.push({ $ref: `#/components/parameters/${name}` });
    }
  } else if (description.force) list.push({ $ref: "#/components/parameters/Force" });
  return list;
}

/** What is said of one field of a schema of parameters, with its description where readers look for it. */
function field(schema: z.ZodType | undefined, name: string): Record<string, unknown> {
  const { description, ...rest } = fields(schema)[name] ?? { type: "string" };
  return { ...(description === undefined ? {} : { description }), schema: rest };
}

function fieldNames(schema: z.ZodType | undefined): readonly string[] {
  return Object.keys(fields(schema));
}

function isRequired(schema: z.ZodType | undefined, name: string): boolean {
  return schema !== undefined && (inlined(schema).required as string[] ?? []).includes(name);
}

function fields(schema: z.ZodType | undefined): Readonly<Record<string, JsonSchema>> {
  return schema === undefined
    ? {}
    : (inlined(schema).properties ?? {}) as Record<string, JsonSchema>;
}

/** Parameters are short: nothing of them is a reference. */
function inlined(schema: z.ZodType): JsonSchema {
  return jsonSchema(schema, "input", withoutIds);
}

/** What is said of schemas but their names. */
const withoutIds = {
  get(schema: z.core.$ZodType) {
    const { id: _, ...rest } = z.globalRegistry.get(schema) ?? {};
    return rest;
  },
} as typeof z.globalRegistry;
