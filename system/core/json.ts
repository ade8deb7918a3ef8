import { createHash } from "node:crypto";

/*
 * Configurations are immutable, so what was computed of one of their parts is kept beside it: after
 * a change of one device only that device is written and hashed anew.
 */
const texts = new WeakMap<object, string>();
const members = new WeakMap<object, { readonly name: string; readonly text: string }>();
const digests = new WeakMap<object, string>();
const wholes = new WeakMap<object, string>();

/** True for an object that is neither null nor an array. */
export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** The text of a file: JSON indented by one blank, with a final line feed. */
export function fileText(value: unknown): string {
  return `${indented(value)}\n`;
}

function indented(value: unknown): string {
  if (Array.isArray(value)) {
    if (value.length === 0) return "[]";
    return `[\n ${value.map((element) => inner(element)).join(",\n ")}\n]`;
  }
  if (!isRecord(value)) return JSON.stringify(value) ?? "null";
  const lines: string[] = [];
  for (const name of Object.keys(value)) {
    if (value[name] !== undefined) lines.push(member(name, value[name]));
  }
  return lines.length === 0 ? "{}" : `{\n ${lines.join(",\n ")}\n}`;
}

function member(name: string, value: unknown): string {
  const write = (): string => `${JSON.stringify(name)}: ${inner(value)}`;
  if (typeof value !== "object" || value === null) return write();
  const known = members.get(value);
  if (known?.name === name) return known.text;
  const made = { name, text: write() };
  members.set(value, made);
  return made.text;
}

function inner(value: unknown): string {
  if (typeof value !== "object" || value === null) return JSON.stringify(value) ?? "null";
  const known = texts.get(value);
  if (known !== undefined) return known;
  const text = JSON.stringify(value, null, 1).replaceAll("\n", "\n ");
  texts.set(value, text);
  return text;
}

/** JSON with the names of every object in order: equal for equal values, whatever their order. */
export function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join(",")}]`;
  if (!isRecord(value)) return JSON.stringify(value) ?? "null";
  return `{${
    Object.keys(value).filter((name) => value[name] !== undefined).sort()
      .map((name) => `${JSON.stringify(name)}:${canonical(value[name])}`).join(",")
  }}`;
}

/** SHA-256 in base64url, of text. */
export function hashText(text: string): string {
  return createHash("sha256").update(text).digest("base64url");
}

/** A hash of a JSON value: equal for equal values whatever the order of names in their objects. */
export function digest(value: unknown): string {
  if (typeof value !== "object" || value === null) return hashText(canonical(value));
  const known = wholes.get(value);
  if (known !== undefined) return known;
  const made = wholeDigest(value);
  wholes.set(value, made);
  return made;
}

function wholeDigest(value: object): string {
  if (Array.isArray(value)) return hashText(`[${value.map(memberDigest).join(",")}]`);
  if (!isRecord(value)) return hashText(canonical(value));
  return hashText(
    Object.keys(value).filter((name) => value[name] !== undefined).sort()
      .map((name) => `${JSON.stringify(name)}:${memberDigest(value[name])}`).join(","),
  );
}

function memberDigest(value: unknown): string {
  if (typeof value !== "object" || value === null) return canonical(value);
  const known = digests.get(value);
  if (known !== undefined) return known;
  const made = hashText(canonical(value));
  digests.set(value, made);
  return made;
}
