import { createHash } from "node:crypto";
import { type JsonForm, LARGE, writeLarge } from "./json_text.ts";
import { type InSteps, onceEach, onceEachInSteps, type PerVersion, perVersion } from "./memo.ts";

/*
 * Configurations are immutable, so what was computed of one of their parts is kept with it: after a
 * change of one device only that device is written and hashed anew.
 */

/** True for an object that is neither null nor an array. */
export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

type Members = Readonly<Record<string, unknown>>;

/** Characters of a text that count as one value. */
const CHARACTERS = 32;

/** How many values are within a value, counted no further than {@link LARGE}. */
export function weightOf(value: unknown): number {
  return weigh(value, LARGE);
}

function weigh(value: unknown, most: number): number {
  if (typeof value === "string") return 1 + value.length / CHARACTERS;
  if (typeof value !== "object" || value === null || "toJSON" in value) return 1;
  let sum = 1;
  if (Array.isArray(value)) {
    for (const element of value) {
      sum += weigh(element, most - sum);
      if (sum >= most) return most;
    }
    return sum;
  }
  for (const name in value) {
    sum += 1 + weigh((value as Members)[name], most - sum);
    if (sum >= most) return most;
  }
  return sum;
}

const ON_ONE_LINE: JsonForm = { indent: null };

/**
 * The text that `JSON.stringify(value)` gives, in small steps; with an indent that of
 * `JSON.stringify(value, null, 1)`, as it stands in a text where so many blanks are before it. `null`
 * for what is no JSON, as undefined is.
 */
export function* jsonSteps(value: unknown, form = ON_ONE_LINE): Generator<void, string> {
  if (weightOf(value) < LARGE) return plainText(value, form);
  const parts: string[] = [];
  yield* writeLarge(value, form, { parts, weightOf, textOf: plainText });
  return parts.join("");
}

function plainText(value: unknown, { indent }: JsonForm): string {
  if (indent === null) return JSON.stringify(value) ?? "null";
  const text = JSON.stringify(value, null, 1) ?? "null";
  return indent === 0 ? text : text.replaceAll("\n", `\n${" ".repeat(indent)}`);
}

/** The pieces of a record, and of which earlier pieces they differ where. */
interface Pieces<P> {
  readonly pieces: readonly P[];
  /** Position of each name's piece. */
  readonly positions: ReadonlyMap<string, number>;
  readonly before: readonly P[] | null;
  /** Positions of the pieces that are new. */
  readonly changed: readonly number[];
}

/**
 * Makes one piece of each member of a record, in an order of its names. Of a version that differs
 * from an earlier one in few members only those are made. Records must be immutable.
 */
function piecesOf<P>(
  make: (name: string, member: unknown) => P,
  order: (names: string[]) => string[] = (names) => names,
): PerVersion<Members, Pieces<P>> {
  const computeBy = (
    record: Members,
    piece: (name: string) => P,
  ): Pieces<P> => {
    const names = order(Object.keys(record).filter((name) => record[name] !== undefined));
    const positions = new Map<string, number>();
    for (const name of names) positions.set(name, positions.size);
    return { pieces: names.map(piece), positions, before: null, changed: [] };
  };
  return perVersion({
    grows: true,
    compute: (record) => computeBy(record, (name) => make(name, record[name])),
    update: ({ pieces: before, positions }, record, names) => {
      const known = names.every((name) => positions.has(name) && record[name] !== undefined);
      if (!known) {
        const anew = new Set(names);
        return computeBy(record, (name) => {
          const at = anew.has(name) ? undefined : positions.get(name);
          return at === undefined ? make(name, record[name]) : before[at]!;
        });
      }
      const pieces = before.slice();
      for (const name of names) pieces[positions.get(name)!] = make(name, record[name]);
      const changed = names.map((name) => positions.get(name)!).sort((a, b) => a - b);
      return { pieces, positions, before, changed };
    },
  });
}

const encoder = new TextEncoder();
const BETWEEN = encoder.encode(",\n ");
/** Bytes before the first line of a record: a brace, a line feed and a blank. */
const RECORD_HEAD = 3;

/** The bytes of a file: JSON indented by one blank, with a final line feed. */
export function fileBytes(value: unknown): Uint8Array<ArrayBuffer> {
  if (Array.isArray(value)) {
    return value.length === 0
      ? encoder.encode("[]\n")
      : framed("[\n ", value.map((element) => encoder.encode(inner(element))), "\n]\n");
  }
  if (!isRecord(value)) return encoder.encode(`${JSON.stringify(value) ?? "null"}\n`);
  return recordFile(value).bytes;
}

const lines = piecesOf(member);

interface RecordFile {
  readonly lines: readonly Uint8Array[];
  readonly bytes: Uint8Array<ArrayBuffer>;
}

const recordFile = perVersion<Readonly<Record<string, unknown>>, RecordFile>({
  grows: true,
  compute: (record) => wholeFile(lines(record)),
  update: (earlier, record) => {
    const { pieces, before, changed } = lines(record);
    if (before === null || before !== earlier.lines) return wholeFile(lines(record));
    return { lines: pieces, bytes: spliced(earlier.bytes, { before, after: pieces, changed }) };
  },
});

function wholeFile({ pieces }: Pieces<Uint8Array>): RecordFile {
  const bytes = pieces.length === 0 ? encoder.encode("{}\n") : framed("{\n ", pieces, "\n}\n");
  return { lines: pieces, bytes };
}

/** The bytes of a file of which some lines were replaced. */
function spliced(
  file: Uint8Array,
  lines: {
    readonly before: readonly Uint8Array[];
    readonly after: readonly Uint8Array[];
    readonly changed: readonly number[];
  },
): Uint8Array<ArrayBuffer> {
  const { before, after, changed } = lines;
  const more = changed.reduce((sum, at) => sum + after[at]!.length - before[at]!.length, 0);
  const bytes = new Uint8Array(file.length + more);
  let [from, to, line, start] = [0, 0, 0, RECORD_HEAD];
  for (const at of changed) {
    for (; line < at; line++) start += before[line]!.length + BETWEEN.length;
    bytes.set(file.subarray(from, start), to);
    to += start - from;
    bytes.set(after[at]!, to);
    to += after[at]!.length;
    from = start + before[at]!.length;
  }
  bytes.set(file.subarray(from), to);
  return bytes;
}

/** What {@link fileBytes} gives, as text. */
export function fileText(value: unknown): string {
  return new TextDecoder().decode(fileBytes(value));
}

/** A list in one piece of memory: strings of this size would be made anew for each step. */
function framed(
  before: string,
  lines: readonly Uint8Array[],
  after: string,
): Uint8Array<ArrayBuffer> {
  const [head, tail] = [encoder.encode(before), encoder.encode(after)];
  const inside = lines.reduce((sum, line) => sum + line.length + BETWEEN.length, -BETWEEN.length);
  const bytes = new Uint8Array(head.length + inside + tail.length);
  bytes.set(head);
  let at = head.length;
  for (const line of lines) {
    if (at > head.length) {
      bytes.set(BETWEEN, at);
      at += BETWEEN.length;
    }
    bytes.set(line, at);
    at += line.length;
  }
  bytes.set(tail, at);
  return bytes;
}

function member(name: string, value: unknown): Uint8Array {
  return encoder.encode(`${JSON.stringify(name)}: ${inner(value)}`);
}

function inner(value: unknown): string {
  return typeof value === "object" && value !== null
    ? textOf(value)
    : JSON.stringify(value) ?? "null";
}

const textOf = onceEachInSteps(
  (value: object) => jsonSteps(value, { indent: 1 }),
  (value) => JSON.stringify(value, null, 1).replaceAll("\n", "\n "),
);

/** Does in small steps what {@link fileBytes} takes long for: it is quick afterwards. */
export function prepareFile(value: unknown): Generator<void, void> {
  return prepareParts(value, { of: textOf, changed: lines.changed });
}

/** Makes what is made of each object or list in a document, of those that an earlier version lacked. */
function* prepareParts<R>(
  value: unknown,
  { of, changed }: {
    readonly of: InSteps<object, R>;
    readonly changed: (record: Members) => readonly string[];
  },
): Generator<void, void> {
  const parts = Array.isArray(value)
    ? value
    : isRecord(value)
    ? changed(value).map((name) => value[name])
    : [];
  for (const part of parts) {
    if (typeof part !== "object" || part === null || of.isKnown(part)) continue;
    yield* of.steps(part);
    yield;
  }
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
  return wholeDigest(value);
}

const wholeDigest = onceEach((value: object): string => {
  if (Array.isArray(value)) return hashText(`[${value.map(memberDigest).join(",")}]`);
  if (!isRecord(value)) return hashText(canonical(value));
  return hashText(memberDigests(value).pieces.join(","));
});

const memberDigests = piecesOf(
  (name, member) => `${JSON.stringify(name)}:${memberDigest(member)}`,
  (names) => names.sort(),
);

function memberDigest(value: unknown): string {
  return typeof value === "object" && value !== null ? objectDigest(value) : canonical(value);
}

const objectDigest = onceEachInSteps(digestSteps, (value) => hashText(canonical(value)));

/** Characters that are hashed at a time. */
const HASHED = 64 << 10;

function* digestSteps(value: object): Generator<void, string> {
  const hash = createHash("sha256");
  let text = "";
  yield* canonicalSteps(value, (part) => {
    text += part;
    if (text.length < HASHED) return;
    hash.update(text);
    text = "";
  });
  return hash.update(text).digest("base64url");
}

/** The text of {@link canonical} part by part, in small steps. */
function* canonicalSteps(value: unknown, take: (part: string) => void): Generator<void, void> {
  if (weightOf(value) < LARGE) return take(canonical(value));
  if (Array.isArray(value)) {
    take("[");
    for (const [at, element] of value.entries()) {
      if (at > 0) take(",");
      yield* canonicalSteps(element, take);
      yield;
    }
    return take("]");
  }
  if (!isRecord(value)) return take(canonical(value));
  take("{");
  const names = Object.keys(value).filter((name) => value[name] !== undefined).sort();
  for (const [at, name] of names.entries()) {
    take(`${at > 0 ? "," : ""}${JSON.stringify(name)}:`);
    yield* canonicalSteps(value[name], take);
    yield;
  }
  take("}");
}

/** Does in small steps what {@link digest} takes long for: it is quick afterwards. */
export function* prepareDigest(value: unknown): Generator<void, void> {
  yield* prepareParts(value, { of: objectDigest, changed: memberDigests.changed });
  // From which the next version goes on, also where nobody asks for the digest of this one.
  if (isRecord(value)) memberDigests(value);
}
