import type { z } from "zod";
import { inSlices } from "../../system/core/time/slices.ts";

type Schema = z.core.$ZodType;
type Issue = z.core.$ZodIssue;

/** Values of a body that are checked at once: at worst some 20 µs each, where all of them are wrong. */
const MAX_AT_ONCE = 1000;

/**
 * The first faults of a large value, looked for item by item, so that one of nothing but faults
 * costs no more than these; empty where there are none, or where the value is small enough to be
 * checked whole. Only what a schema says of items by themselves is looked at. Other requests have
 * their turn meanwhile. `most`: faults after which it ends.
 */
export async function firstFaults(
  schema: Schema,
  value: unknown,
  most: number,
): Promise<readonly Issue[]> {
  if (countUpTo(value, MAX_AT_ONCE) < MAX_AT_ONCE) return [];
  const found: Issue[] = [];
  await inSlices(search({ schema, value, path: [] }, { found, most }));
  return found;
}

interface Place {
  readonly schema: Schema;
  readonly value: unknown;
  readonly path: readonly PropertyKey[];
}

interface Search {
  readonly found: Issue[];
  readonly most: number;
}

/** Finds the faults of the innermost items first; an item that holds such ones is not looked at itself. */
function* search(place: Place, faults: Search): Generator<void, void> {
  const { found, most } = faults;
  for (const part of partsOf(place)) {
    const before = found.length;
    yield* search(part, faults);
    if (part.isItem && found.length === before) {
      found.push(...parsed(part).slice(0, most - before));
    }
    if (found.length >= most) return;
    yield;
  }
}

function parsed({ schema, value, path }: Place): readonly Issue[] {
  const result = (schema as z.ZodType).safeParse(value);
  if (result.success) return [];
  return result.error.issues.map((issue) => ({ ...issue, path: [...path, ...issue.path] }));
}

/** What a value consists of; items of lists and maps are as many as a caller likes. */
function* partsOf(place: Place): Generator<Place & { readonly isItem: boolean }> {
  const { value, path } = place;
  if (typeof value !== "object" || value === null) return;
  const { def } = (unwrapped(place.schema, value) as z.core.$ZodTypes)._zod;
  if (def.type === "array" && Array.isArray(value)) {
    for (const [at, item] of value.entries()) {
      yield { schema: def.element, value: item, path: [...path, at], isItem: true };
    }
  } else if (def.type === "record" && !Array.isArray(value)) {
    for (const [key, item] of Object.entries(value)) {
      yield { schema: def.valueType, value: item, path: [...path, key], isItem: true };
    }
  } else if (def.type === "object" && !Array.isArray(value)) {
    for (const [key, item] of Object.entries(value)) {
      const schema = Object.hasOwn(def.shape, key) ? def.shape[key] : undefined;
      if (schema !== undefined) yield { schema, value: item, path: [...path, key], isItem: false };
    }
  }
}

/** The schema of a list, a map or an object behind what may be left out, transformed or chosen. */
function unwrapped(schema: Schema, value: object): Schema {
  const { def } = (schema as z.core.$ZodTypes)._zod;
  switch (def.type) {
    case "optional":
    case "nullable":
    case "default":
    case "prefault":
    case "nonoptional":
    case "catch":
    case "readonly":
      return unwrapped(def.innerType, value);
    case "pipe":
      return unwrapped(def.in, value);
    case "lazy":
      return unwrapped(def.getter(), value);
    case "union": {
      const wanted = def.options.map((option) => unwrapped(option, value))
        .filter((option) => holds(option, value));
      return wanted.length === 1 ? wanted[0]! : schema;
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
  for (const item of Object.values(value)) {
    if (count >= most) break;
    count += countUpTo(item, most - count);
  }
  return count;
}
