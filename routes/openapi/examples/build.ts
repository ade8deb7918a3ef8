import type { JsonSchema } from "../components.ts";
import { DNS_EXAMPLES } from "./dns.ts";
import { CANDIDATES, FIELDS, NUMBERS } from "./fields.ts";
import { LAN_EXAMPLES } from "./lan.ts";
import { ROUTER_EXAMPLES } from "./router.ts";
import { TRAFFIC_EXAMPLES } from "./traffic.ts";
import { UPLINK_EXAMPLES } from "./uplink.ts";

/** Written examples by the name of their component. */
const COMPONENTS: Readonly<Record<string, unknown>> = {
  ...DNS_EXAMPLES,
  ...LAN_EXAMPLES,
  ...ROUTER_EXAMPLES,
  ...TRAFFIC_EXAMPLES,
  ...UPLINK_EXAMPLES,
};

/**
 * An example of a schema: the written one of its component, its own, or one put together of the
 * examples of its parts.
 * `name` is the field that it is the value of.
 */
export function exampleOf(
  schema: JsonSchema,
  components: Readonly<Record<string, JsonSchema>>,
  name = "",
): unknown {
  return build(schema, { components, name, open: [] });
}

/** Where in a document an example is built. */
interface Context {
  readonly components: Readonly<Record<string, JsonSchema>>;
  readonly name: string;
  /** Components that are being put together, so that one that holds itself comes to an end. */
  readonly open: readonly string[];
}

const LEAVE_OUT = Symbol("a part that would never end");

function build(schema: JsonSchema, context: Context): unknown {
  const { $ref, examples, enum: text, anyOf, oneOf, allOf } = schema as {
    readonly [word: string]: unknown;
    readonly $ref?: string;
    readonly examples?: readonly unknown[];
    readonly enum?: readonly unknown[];
    readonly anyOf?: readonly JsonSchema[];
    readonly oneOf?: readonly JsonSchema[];
    readonly allOf?: readonly JsonSchema[];
  };
  if (examples !== undefined && examples.length > 0) return examples[0];
  if ("const" in schema) return schema["const"];
  if ($ref !== undefined) return referenced($ref, context);
  if (text !== undefined) return text[0];
  const options = anyOf ?? oneOf;
  if (options !== undefined) return firstThatEnds(options, context);
  if (allOf !== undefined) {
    return Object.assign({}, ...allOf.map((part) => build(part, context)));
  }
  return built(schema, context);
}

function referenced(reference: string, context: Context): unknown {
  if (context.open.includes(reference)) return LEAVE_OUT;
  const name = reference.split("/").at(-1)!;
  const written = COMPONENTS[name] ?? COMPONENTS[name.replace(/Input$/, "")];
  if (written !== undefined) return written;
  const schema = context.components[name] ?? {};
  return build(schema, { ...context, open: [...context.open, reference] });
}

function firstThatEnds(options: readonly JsonSchema[], context: Context): unknown {
  // What is there says more than null.
  const inOrder = options.toSorted((a, b) =>
    Number(a["type"] === "null") - Number(b["type"] === "null")
  );
  for (const option of inOrder) {
    const example = build(option, context);
    if (example !== LEAVE_OUT) return example;
  }
  return LEAVE_OUT;
}

function built(schema: JsonSchema, context: Context): unknown {
  const type = Array.isArray(schema["type"]) ? schema["type"][0] : schema["type"];
  switch (type) {
    case "string":
      return textOf(schema, context.name);
    case "integer":
    case "number":
      return numberOf(schema, context.name);
    case "boolean":
      return schema["default"] ?? true;
    case "null":
      return null;
    case "array":
      return listOf(schema, context);
    case "object":
      return objectOf(schema, context);
  }
  return schema["default"] ?? "example";
}

function textOf(schema: JsonSchema, name: string): unknown {
  const { pattern, minLength = 0, maxLength = Infinity } = schema as {
    readonly pattern?: string;
    readonly minLength?: number;
    readonly maxLength?: number;
  };
  const fits = (text: string) =>
    text.length >= minLength && text.length <= maxLength &&
    (pattern === undefined || new RegExp(pattern, "u").test(text));
  const own = FIELDS[name.toLowerCase()];
  const given = schema["default"];
  const wanted = [...(own === undefined ? [] : [own]), ...CANDIDATES];
  return wanted.find(fits) ??
    (typeof given === "string" ? given : "example".padEnd(minLength, "-"));
}

function numberOf(schema: JsonSchema, name: string): number {
  const { minimum = -Infinity, maximum = Infinity } = schema as {
    readonly minimum?: number;
    readonly maximum?: number;
  };
  const given = schema["default"];
  const wanted = NUMBERS[name.toLowerCase()] ?? (typeof given === "number" ? given : 1);
  return Math.min(Math.max(wanted, minimum), maximum);
}

function listOf(schema: JsonSchema, context: Context): unknown[] {
  const { prefixItems, items } = schema as {
    readonly prefixItems?: readonly JsonSchema[];
    readonly items?: JsonSchema;
  };
  const parts = prefixItems ?? (items === undefined ? [] : [items]);
  // An entry of `Policies` is a policy.
  const name = context.name.replace(/s$/, "");
  return parts.map((part) => build(part, { ...context, name })).filter((one) => one !== LEAVE_OUT);
}

function objectOf(schema: JsonSchema, context: Context): Record<string, unknown> {
  const { properties = {}, propertyNames = {}, additionalProperties } = schema as {
    readonly properties?: Readonly<Record<string, JsonSchema>>;
    readonly propertyNames?: JsonSchema;
    readonly additionalProperties?: JsonSchema | boolean;
  };
  const known = Object.entries(properties).map(([name, part]) =>
    [name, build(part, { ...context, name })] as const
  ).filter(([, value]) => value !== LEAVE_OUT);
  if (known.length > 0 || typeof additionalProperties !== "object") {
    return Object.fromEntries(known);
  }
  if (Object.keys(additionalProperties).length === 0) return {};
  const key = String(build({ type: "string", ...propertyNames }, { ...context, name: "identity" }));
  const value = build(additionalProperties, context);
  return value === LEAVE_OUT ? {} : { [key]: value };
}
