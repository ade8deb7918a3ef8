import * as z from "zod";

type Schema = z.core.$ZodType;
type Issue = z.core.$ZodIssue;

/** Values that are checked at once: at worst some 20 µs each, where all of them are wrong. */
const MAX_AT_ONCE = 1000;

/** What a schema makes of a value, or the first of its faults. */
export type Checked =
  | { readonly success: true; readonly data: unknown }
  | { readonly success: false; readonly issues: readonly Issue[] };

/**
 * Checks a value against a schema in small steps, item by item where it is large, so that a large one
 * keeps no other request waiting, and one of nothing but faults costs no more than the first of them.
 * `most`: faults after which it ends. An item that holds faults within is not looked at as a whole.
 */
export function* checkLarge(
  schema: Schema,
  value: unknown,
  most: number,
): Generator<void, Checked> {
  const faults: Faults = { found: [], most };
  const data = yield* check({ schema, value, path: [] }, faults);
  return faults.found.length > 0
    ? { success: false, issues: faults.found }
    : { success: true, data };
}

interface Place {
  readonly schema: Schema;
  readonly value: unknown;
  readonly path: readonly PropertyKey[];
}

interface Faults {
  readonly found: Issue[];
  readonly most: number;
}

/** Of a value that has faults, which its result does not show. */
const FAULTY = Symbol("faulty");

function* check(place: Place, faults: Faults): Generator<void, unknown> {
  const { schema, value, path } = place;
  const parts = countUpTo(value, MAX_AT_ONCE) < MAX_AT_ONCE ? null : partsOf(schema, value);
  if (parts === null) return parsed(place, faults);
  const checked = new Map<PropertyKey, unknown>();
  let isFaulty = false;
  for (const [key, part] of parts.entries) {
    const item = yield* check({ ...part, path: [...path, key] }, faults);
    if (faults.found.length >= faults.most) return FAULTY;
    if (item === FAULTY) isFaulty = true;
    checked.set(key, item);
    yield;
  }
  if (isFaulty) return FAULTY;
  return parsed({ schema: parts.around, value: parts.with(checked), path }, faults);
}

function parsed({ schema, value, path }: Place, { found, most }: Faults): unknown {
  const result = (schema as z.ZodType).safeParse(value);
  if (result.success) return result.data;
  found.push(
    ...result.error.issues.slice(0, most - found.length)
      .map((issue) => ({ ...issue, path: [...path, ...issue.path] })),
  );
  return FAULTY;
}

/** A large value as its parts, each with a schema of its own, and what is left to check around them. */
interface Parts {
  readonly entries: Iterable<readonly [PropertyKey, Omit<Place, "path">]>;
  /** The schema of the whole, which takes any value where the parts are. */
  readonly around: Schema;
  /** The whole with what came of its parts. */
  with(checked: ReadonlyMap<PropertyKey, unknown>): unknown;
}

/** Null for a schema that is no list, map or object, even behind what may be left out. */
function partsOf(schema: Schema, value: unknown): Parts | null {
  if (typeof value !== "object" || value === null) return null;
  const { def } = (container(schema, value) as z.core.$ZodTypes)._zod;
  if (def.type === "array" && Array.isArray(value)) {
    const { element } = def;
    return {
      entries: pairs(value.entries(), () => element),
      around: around(schema, value, []),
      with: (checked) => [...checked.values()],
    };
  }
  if (Array.isArray(value)) return null;
  if (def.type === "record") {
    const { valueType } = def;
    return {
      entries: pairs(Object.entries(value), () => valueType),
      around: around(schema, value, []),
      with: (checked) => Object.fromEntries(checked),
    };
  }
  if (def.type !== "object") return null;
  const { shape } = def;
  const known = Object.entries(value).filter(([key, item]) =>
    Object.hasOwn(shape, key) && typeof item === "object" && item !== null
  );
  if (known.length === 0) return null;
  return {
    entries: pairs(known, (key) => shape[key]!),
    around: around(schema, value, known.map(([key]) => key)),
    with: (checked) => ({ ...value, ...Object.fromEntries(checked) }),
  };
}

function* pairs<K extends PropertyKey>(
  entries: Iterable<[K, unknown]>,
  schemaOf: (key: K) => Schema,
): Generator<readonly [PropertyKey, Omit<Place, "path">]> {
  for (const [key, value] of entries) yield [key, { schema: schemaOf(key), value }];
}

/** The schema of a list, a map or an object behind what may be left out, transformed or chosen. */
function container(schema: Schema, value: object): Schema {
  const inner = innerOf(schema, value);
  return inner === null ? schema : container(inner.schema, value);
}

/** The schema within another that a value goes through first, and the other with one in its place. */
function innerOf(
  schema: Schema,
  value: object,
): { readonly schema: Schema; readonly replaced: (inner: Schema) => Schema } | null {
  const { def } = (schema as z.core.$ZodTypes)._zod;
  const clone = (changed: object): Schema => z.core.clone(schema, changed as never);
  switch (def.type) {
    case "optional":
    case "nullable":
    case "default":
    case "prefault":
    case "nonoptional":
    case "readonly":
      return { schema: def.innerType, replaced: (innerType) => clone({ ...def, innerType }) };
    case "pipe":
      return { schema: def.in, replaced: (inner) => clone({ ...def, in: inner }) };
    case "lazy":
      return { schema: def.getter(), replaced: (inner) => inner };
    case "union": {
      const wanted = def.options.filter((option) => holds(container(option, value), value));
      if (wanted.length !== 1) return null;
      return {
        schema: wanted[0]!,
        replaced: (inner) => {
          const options = def.options.map((option) => option === wanted[0] ? inner : option);
          return clone({ ...def, options });
        },
      };
    }
    default:
      return null;
  }
}

const ANYTHING = z.any();

/** The schema with one that takes any value in the place of its items, or of some of its fields. */
function around(schema: Schema, value: object, fields: readonly string[]): Schema {
  const inner = innerOf(schema, value);
  if (inner !== null) return inner.replaced(around(inner.schema, value, fields));
  const { def } = (schema as z.core.$ZodTypes)._zod;
  switch (def.type) {
    case "array":
      return z.core.clone(schema, { ...def, element: ANYTHING } as never);
    case "record":
      return z.core.clone(schema, { ...def, valueType: ANYTHING } as never);
    case "object": {
      const any = Object.fromEntries(fields.map((name) => [name, ANYTHING]));
      return z.core.clone(schema, { ...def, shape: { ...def.shape, ...any } } as never);
    }
    default:
      return schema;
  }
}

function holds(schema: Schema, value: object): boolean {
  const { type } = schema._zod.def;
  return Array.isArray(value) ? type === "array" : type === "object" || type === "record";
}

/** Values within a value, as far as a number of them. */
function countUpTo(value: unknown, most: number): number {
  if (typeof value !== "object" || value === null) return 1;
  let count = 1;
  for (const key in value) {
    if (count >= most) break;
    count += countUpTo((value as Record<string, unknown>)[key], most - count);
  }
  return count;
}
