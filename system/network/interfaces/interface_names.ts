import * as z from "zod";
import { isRecord } from "../../core/config/json.ts";
import { onceEach } from "../../core/config/memo.ts";
import { InterfaceName } from "../../core/net/grammar.ts";

/** Gives a name its successor; the same name where it stays. */
type Rename = (name: string) => string;

/**
 * The value with every interface name in it replaced, found by its schema: wherever this takes an
 * {@link InterfaceName}, also as the key of a record. Values that stay keep their identity.
 */
export function withInterfaceNames<T>(schema: z.ZodType<T>, value: T, rename: Rename): T {
  return renamed(schema, value, rename) as T;
}

/** Every interface name that the value holds, in the order in which they stand there. */
export function interfaceNamesIn<T>(schema: z.ZodType<T>, value: T): readonly string[] {
  const names = new Set<string>();
  renamed(schema, value, (name) => {
    names.add(name);
    return name;
  });
  return [...names];
}

/** False where no value of the schema holds a name, so that thousands of rules need no look. */
const mayHoldNames = onceEach((schema: z.core.$ZodType) => leadsToName(schema, new Set()));

/** `seen`: schemas that were looked at, since some hold themselves. */
function leadsToName(schema: z.core.$ZodType, seen: Set<z.core.$ZodType>): boolean {
  if (schema === InterfaceName) return true;
  if (seen.has(schema)) return false;
  seen.add(schema);
  return innerOf(schema).some((inner) => leadsToName(inner, seen));
}

/** The schemas into whose values {@link renamed} looks. */
function innerOf(schema: z.core.$ZodType): readonly z.core.$ZodType[] {
  const { def } = schema._zod as z.core.$ZodTypes["_zod"];
  switch (def.type) {
    case "object":
      return Object.values(def.shape);
    case "record":
      return [def.keyType, def.valueType];
    case "array":
      return [def.element];
    case "union":
      return def.options;
    case "optional":
    case "nullable":
    case "default":
    case "prefault":
    case "catch":
    case "readonly":
      return [def.innerType];
    case "pipe":
      return [def.in, def.out];
    default:
      return [];
  }
}

function renamed(schema: z.core.$ZodType, value: unknown, rename: Rename): unknown {
  if (schema === InterfaceName) return typeof value === "string" ? rename(value) : value;
  if (!mayHoldNames(schema)) return value;
  const { def } = schema._zod as z.core.$ZodTypes["_zod"];
  switch (def.type) {
    case "object":
      return isRecord(value) ? renamedFields(def.shape, value, rename) : value;
    case "record":
      return isRecord(value) ? renamedRecord(def, value, rename) : value;
    case "array":
      return Array.isArray(value)
        ? kept(value, value.map((item) => renamed(def.element, item, rename)))
        : value;
    case "union": {
      const option = def.options.find((option) => z.safeParse(option, value).success);
      return option === undefined ? value : renamed(option, value, rename);
    }
    case "optional":
    case "nullable":
    case "default":
    case "prefault":
    case "catch":
    case "readonly":
      return renamed(def.innerType, value, rename);
    case "pipe": {
      const last = (def.out._zod as z.core.$ZodTypes["_zod"]).def.type;
      return renamed(last === "transform" ? def.in : def.out, value, rename);
    }
    default:
      return value;
  }
}

function renamedFields(
  shape: Readonly<Record<string, z.core.$ZodType>>,
  value: Readonly<Record<string, unknown>>,
  rename: Rename,
): unknown {
  const entries = Object.entries(value);
  const next = entries.map(([key, item]): [string, unknown] =>
    Object.hasOwn(shape, key) ? [key, renamed(shape[key]!, item, rename)] : [key, item]
  );
  return next.every(([, item], at) => item === entries[at]![1]) ? value : Object.fromEntries(next);
}

function renamedRecord(
  { keyType, valueType }: z.core.$ZodRecordDef,
  value: Readonly<Record<string, unknown>>,
  rename: Rename,
): unknown {
  const entries = Object.entries(value);
  const next = entries.map(([key, item]): [string, unknown] => [
    String(renamed(keyType, key, rename)),
    renamed(valueType, item, rename),
  ]);
  const stays = next.every(([key, item], at) =>
    key === entries[at]![0] && item === entries[at]![1]
  );
  return stays ? value : Object.fromEntries(next);
}

function kept(before: readonly unknown[], after: readonly unknown[]): readonly unknown[] {
  return after.every((item, at) => item === before[at]) ? before : after;
}
