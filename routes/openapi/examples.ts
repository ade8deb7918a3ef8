import type { JsonSchema } from "./components.ts";

/** What stands in an example for a field of this name. */
const BY_FIELD: Readonly<Record<string, string>> = {
  address: "192.168.2.10",
  agent: "Mozilla/5.0",
  because: "The policy wan of Kids' tablet allows it",
  by: "admin",
  client: "192.168.2.10",
  clientip: "192.168.2.10",
  clientipexclusion: "192.168.2.10",
  comment: "Kids",
  description: "Kids",
  destination: "192.168.2.1",
  detail: "The group kids does not exist",
  domain: "example.com",
  dstip: "192.168.2.10",
  dstport: "443",
  error: "",
  expiration: "0",
  from: "02:00:00:00:0a:01",
  gateway: "203.0.113.1",
  id: "01K3ZJ4Q7W",
  identity: "02:00:00:00:0a:01",
  iface: "wan0",
  interface: "lan0",
  ip: "192.168.2.10",
  kind: "device.update",
  link: "lan0",
  mac: "02:00:00:00:0a:01",
  message: "Write a name",
  name: "kids",
  path: "/Name",
  pointer: "/Name",
  port: "443",
  psk: "correct horse battery",
  resultip: "192.168.2.10",
  reason: "The policy wan of Kids' tablet allows it",
  quarantinehostip: "192.168.2.10",
  recentip: "192.168.2.10",
  router: "203.0.113.1",
  rulename: "web server",
  source: "192.168.2.10",
  srcip: "0.0.0.0/0",
  srcport: "443",
  summary: "Set the group kids",
  title: "Conflict",
  to: "internet",
  topic: "device:update",
  type: "sae",
  uri: "https://lists.example/ads",
  user: "admin",
};

/** Texts of the grammars of the API; the first that fits is the example of a field without one. */
const CANDIDATES: readonly string[] = [
  "example",
  "kids",
  "lan0",
  "02:00:00:00:0a:01",
  "192.168.2.10",
  "192.168.2.0/24",
  "203.0.113.2/24",
  "224.0.0.251:5353",
  "443",
  "0",
  "1000-2000",
  "0-1000",
  "example.com",
  "correct horse battery",
  "123456",
  "24h0m0s",
  "https://lists.example/ads",
  "upload:mine",
  "block",
  "custom-kids",
  "spr-configs-v1.0.0.tgz",
  "#3366cc",
  "YWJjZGVmZ2hpamtsbW5vcHFyc3R1dnd4eXoxMjM0NTY=",
  "c2x1aWNl",
  "2026-01-01T00:00:00Z",
  "sluice-2026-01-01T00-00-00Z.tar.gz",
  "Europe/Berlin",
  "main",
  "",
];

/** Integers of times look like times. */
const NUMBERS: Readonly<Record<string, number>> = {
  at: 1_767_225_600_000,
  createdat: 1_767_225_600_000,
  fetched: 1_767_225_600_000,
  checked: 1_767_225_600_000,
  lastseen: 1_767_225_600_000,
  since: 1_767_225_600_000,
  until: 1_767_225_600_000,
  status: 400,
};

/**
 * An example of a schema: its own, its default, or one that is put together of the examples of its parts.
 * `name` is the field that it is the value of.
 */
export function exampleOf(
  schema: JsonSchema,
  components: Readonly<Record<string, JsonSchema>>,
  name = "",
): unknown {
  return build(schema, { components, name, open: [] });
}

interface Place {
  readonly components: Readonly<Record<string, JsonSchema>>;
  readonly name: string;
  /** Components that are being put together, so that one that holds itself comes to an end. */
  readonly open: readonly string[];
}

const LEAVE_OUT = Symbol("a part that would never end");

function build(schema: JsonSchema, place: Place): unknown {
  const { $ref, examples, enum: words, anyOf, oneOf, allOf } = schema as {
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
  if ($ref !== undefined) return referenced($ref, place);
  if (words !== undefined) return words[0];
  const options = anyOf ?? oneOf;
  if (options !== undefined) return firstThatEnds(options, place);
  if (allOf !== undefined) {
    return Object.assign({}, ...allOf.map((part) => build(part, place)));
  }
  return built(schema, place);
}

function referenced(reference: string, place: Place): unknown {
  if (place.open.includes(reference)) return LEAVE_OUT;
  const schema = place.components[reference.split("/").at(-1)!] ?? {};
  return build(schema, { ...place, open: [...place.open, reference] });
}

function firstThatEnds(options: readonly JsonSchema[], place: Place): unknown {
  // What is there says more than null.
  const inOrder = options.toSorted((a, b) =>
    Number(a["type"] === "null") - Number(b["type"] === "null")
  );
  for (const option of inOrder) {
    const example = build(option, place);
    if (example !== LEAVE_OUT) return example;
  }
  return LEAVE_OUT;
}

function built(schema: JsonSchema, place: Place): unknown {
  const type = Array.isArray(schema["type"]) ? schema["type"][0] : schema["type"];
  switch (type) {
    case "string":
      return textOf(schema, place.name);
    case "integer":
    case "number":
      return numberOf(schema, place.name);
    case "boolean":
      return schema["default"] ?? true;
    case "null":
      return null;
    case "array":
      return listOf(schema, place);
    case "object":
      return objectOf(schema, place);
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
  const own = BY_FIELD[name.toLowerCase()];
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

function listOf(schema: JsonSchema, place: Place): unknown[] {
  const { prefixItems, items } = schema as {
    readonly prefixItems?: readonly JsonSchema[];
    readonly items?: JsonSchema;
  };
  const parts = prefixItems ?? (items === undefined ? [] : [items]);
  // An entry of `Policies` is a policy.
  const name = place.name.replace(/s$/, "");
  return parts.map((part) => build(part, { ...place, name })).filter((one) => one !== LEAVE_OUT);
}

function objectOf(schema: JsonSchema, place: Place): Record<string, unknown> {
  const { properties = {}, propertyNames = {}, additionalProperties } = schema as {
    readonly properties?: Readonly<Record<string, JsonSchema>>;
    readonly propertyNames?: JsonSchema;
    readonly additionalProperties?: JsonSchema | boolean;
  };
  const known = Object.entries(properties).map(([name, part]) =>
    [name, build(part, { ...place, name })] as const
  ).filter(([, value]) => value !== LEAVE_OUT);
  if (known.length > 0 || typeof additionalProperties !== "object") {
    return Object.fromEntries(known);
  }
  if (Object.keys(additionalProperties).length === 0) return {};
  const key = String(build({ type: "string", ...propertyNames }, { ...place, name: "identity" }));
  const value = build(additionalProperties, place);
  return value === LEAVE_OUT ? {} : { [key]: value };
}
