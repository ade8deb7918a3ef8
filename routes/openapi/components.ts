import * as z from "zod";
import { wireForm } from "../../system/core/net/grammar.ts";

/** A JSON Schema of the document. */
export type JsonSchema = { readonly [word: string]: unknown };

/** Words of a JSON Schema that say what kind of value it takes; any other only narrows it. */
const KIND = ["type", "anyOf", "oneOf", "allOf", "enum", "const", "$ref"];

/** Which side of a schema: what is sent to us, or what we answer. */
export type Direction = "input" | "output";

const DEFINITIONS = "#/$defs/";
const COMPONENTS = "#/components/schemas/";

/**
 * The named schemas of a document. A schema with an `id` is a component and a reference wherever it is
 * used; where it is not the same in both directions, what is sent has the name with `Input` behind it.
 */
export class Components {
  readonly #drafts: Readonly<Record<Direction, Map<string, JsonSchema>>> = {
    input: new Map(),
    output: new Map(),
  };

  /** A schema with its named parts as references; the names are final after {@link finish}. */
  schema(schema: z.ZodType, io: Direction): JsonSchema {
    const { $defs = {}, ...rest } = jsonSchema(schema, io) as { readonly $defs?: JsonSchema };
    const drafts = this.#drafts[io];
    for (const [name, draft] of Object.entries($defs)) {
      const { id: _, ...body } = draft as JsonSchema;
      if (!drafts.has(name)) drafts.set(name, marked(body, io) as JsonSchema);
    }
    return marked(rest, io) as JsonSchema;
  }

  /** The components, and a value of the document with its references to them under their final names. */
  finish<T>(
    value: T,
  ): { readonly schemas: Readonly<Record<string, JsonSchema>>; readonly value: T } {
    const differing = this.#differing();
    const name = (io: string, id: string) =>
      io === "input" && differing.has(id) ? `${id}Input` : id;
    const final = (text: string) => {
      const match = /^(input|output):(.+)$/.exec(text);
      return match ? COMPONENTS + name(match[1]!, match[2]!) : text;
    };
    const schemas: Record<string, JsonSchema> = {};
    for (const io of ["input", "output"] as const) {
      for (const [id, draft] of this.#drafts[io]) {
        schemas[name(io, id)] = withReferences(draft, final) as JsonSchema;
      }
    }
    const sorted = Object.entries(schemas).toSorted(([a], [b]) => a < b ? -1 : 1);
    return { schemas: Object.fromEntries(sorted), value: withReferences(value, final) as T };
  }

  /** Names whose two directions are not alike, themselves or in a part. */
  #differing(): ReadonlySet<string> {
    const { input, output } = this.#drafts;
    const plain = (schema: JsonSchema) =>
      JSON.stringify(withReferences(schema, (text) => text.replace(/^(input|output):/, "")));
    const found = new Set(
      [...input.keys()].filter((name) =>
        output.has(name) && plain(input.get(name)!) !== plain(output.get(name)!)
      ),
    );
    for (let size = -1; size !== found.size;) {
      size = found.size;
      for (const [name, draft] of input) {
        if (!output.has(name)) continue;
        withReferences(draft, (text) => {
          if (found.has(text.replace(/^input:/, ""))) found.add(name);
          return text;
        });
      }
    }
    return found;
  }
}

/** The JSON Schema of a zod schema, with named parts under `$defs`. */
export function jsonSchema(
  schema: z.ZodType,
  io: Direction,
  metadata: typeof z.globalRegistry = z.globalRegistry,
): JsonSchema {
  const { $schema: _, ...rest } = z.toJSONSchema(schema, {
    io,
    metadata,
    unrepresentable: "any",
    override({ zodSchema, jsonSchema }) {
      describeForm(zodSchema, jsonSchema);
      if (io === "input") return;
      describeTransformed(zodSchema, jsonSchema);
      // Readers of an answer must accept fields to come.
      if (zodSchema instanceof z.ZodObject && zodSchema.def.catchall === undefined) {
        delete jsonSchema.additionalProperties;
      }
    },
  });
  return rest as JsonSchema;
}

/** What is known of the form that a schema with code of its own takes. */
function describeForm(schema: z.core.$ZodType, described: z.core.JSONSchema.BaseSchema): void {
  const form = wireForm(schema);
  if (form !== undefined) {
    for (const word of Object.keys(described)) delete described[word];
    Object.assign(described, jsonSchema(form, "input"));
    return;
  }
  // A text that is trimmed first is of the form that the next schema takes.
  if (!(schema instanceof z.ZodPipe) || schema.out instanceof z.ZodTransform) return;
  if (!(schema.in instanceof z.ZodString || schema.in instanceof z.ZodPipe)) return;
  if (described.type !== "string" || described.pattern !== undefined) return;
  Object.assign(described, jsonSchema(schema.out as z.ZodType, "input"));
}

/**
 * What a schema makes of a value is not known to it. What is answered was brought into its one form, such
 * as an address, and could be sent again: it is of the kind that is taken.
 */
function describeTransformed(
  schema: z.core.$ZodType,
  described: z.core.JSONSchema.BaseSchema,
): void {
  if (!(schema instanceof z.ZodPipe && schema.out instanceof z.ZodTransform)) return;
  if (KIND.some((word) => word in described)) return;
  Object.assign(described, { ...jsonSchema(schema.in as z.ZodType, "input"), ...described });
}

/** Marks references with the direction that they are used in. */
function marked(value: unknown, io: Direction): unknown {
  return withReferences(
    value,
    (text) => text.startsWith(DEFINITIONS) ? `${io}:${text.slice(DEFINITIONS.length)}` : text,
  );
}

/** A copy of a value with each `$ref` put through a function. */
function withReferences(value: unknown, change: (reference: string) => string): unknown {
  if (Array.isArray(value)) return value.map((item) => withReferences(item, change));
  if (value === null || typeof value !== "object") return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [
      key,
      key === "$ref" && typeof item === "string" ? change(item) : withReferences(item, change),
    ]),
  );
}
