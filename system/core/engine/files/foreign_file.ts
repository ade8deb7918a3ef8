import type { Document, Reading } from "../../config/document.ts";
import { digest, isRecord } from "../../config/json.ts";

/**
 * True for a file that says something, but nothing that a document knows: valid JSON of another shape.
 * A person who put it there did not mean that every entry is to be deleted. An empty one did. Pure.
 */
export function isForeign<T>(raw: unknown, document: Document<T>, reading: Reading<T>): boolean {
  const names = membersOf(raw);
  const known = knownMembers(document);
  if (names.length === 0 || names.some((name) => known.has(name))) return false;
  // Members that an object does not know may be kept in it; those of a record are its entries.
  const unknown = known.size > 0 ? names : [];
  return digest(without(reading.value, unknown)) === digest(emptyReading(raw, document));
}

function without(value: unknown, names: readonly string[]): unknown {
  return isRecord(value) && names.length > 0
    ? Object.fromEntries(Object.entries(value).filter(([name]) => !names.includes(name)))
    : value;
}

function membersOf(raw: unknown): readonly string[] {
  if (Array.isArray(raw)) return raw.map((_, index) => `[${index}]`);
  return isRecord(raw) ? Object.keys(raw) : [];
}

/** What a file says that says nothing. */
function emptyReading<T>(raw: unknown, document: Document<T>): T {
  try {
    return document.read(Array.isArray(raw) ? [] : {}).value;
  } catch {
    return document.fallback;
  }
}

/** Names that stand in every file of a document; none for one that is a record or a list of entries. */
function knownMembers<T>({ fallback, schema, write }: Document<T>): ReadonlySet<string> {
  const written = write === undefined ? fallback : write(fallback);
  const names = isRecord(written) ? Object.keys(written) : [];
  const shape: unknown = "shape" in schema ? schema.shape : undefined;
  return new Set([...names, ...isRecord(shape) ? Object.keys(shape) : []]);
}
