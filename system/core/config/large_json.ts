/** Arrays and objects in one another; no shape of ours comes near. */
export const MAX_DEPTH = 64;

/** Characters that become values at once: some tenths of a millisecond. */
const PART = 64 << 10;
/** Steps of the reader, each of at least one character, between two pauses. */
const STEPS = 20_000;
/** Characters before a cut through a text that must not be part of an escape (RFC 8259, section 7). */
const ESCAPE = 6;

const QUOTE = 0x22, COMMA = 0x2c, BACKSLASH = 0x5c;
const OPEN_LIST = 0x5b, CLOSE_LIST = 0x5d, OPEN_OBJECT = 0x7b, CLOSE_OBJECT = 0x7d;

/**
 * True for a value from outside that is nested too deeply to be worked on: a function that walks it by calling
 * itself would run out of stack, halfway through.
 */
export function isTooDeep(value: unknown): boolean {
  let level = [value];
  for (let depth = 0; level.length > 0; depth++) {
    if (depth > MAX_DEPTH) return true;
    const below: unknown[] = [];
    for (const one of level) {
      if (typeof one !== "object" || one === null) continue;
      for (const inside of Object.values(one)) {
        if (typeof inside === "object" && inside !== null) below.push(inside);
      }
    }
    level = below;
  }
  return false;
}

/** JSON that is nested deeper than {@link MAX_DEPTH}. */
export class TooDeep extends Error {}

/** A list, an object or a text of more than {@link PART} characters. */
interface Large {
  readonly kind: "list" | "object" | "text";
  readonly start: number;
  end: number;
  /** Where commas part its items; those close to each other are left out. */
  readonly cuts: number[];
  /** Those among its items, each alone between two cuts. */
  readonly items: Large[];
}

/** What is open around the place that is read. */
interface Open {
  readonly kind: "list" | "object";
  readonly start: number;
  /** The last comma in it, and the last one that is a cut; its start before those. */
  comma: number;
  cut: number;
  large: Large | null;
  /** The item before the next comma is large. */
  cutsNext: boolean;
}

/**
 * The value of a JSON text as `JSON.parse` gives it, in small steps, since that takes some ten
 * milliseconds for a megabyte. Throws {@link TooDeep}, or SyntaxError.
 */
export function* largeJson(text: string): Generator<void, unknown> {
  const root = yield* outline(text);
  return root === null ? JSON.parse(text) : yield* valueOf(text, root);
}

/** The outermost value where it is large, with what is large in it. Throws {@link TooDeep}. */
function* outline(text: string): Generator<void, Large | null> {
  const open: Open[] = [];
  let root: Large | null = null;
  let count = 0;
  for (let at = 0; at < text.length; at++) {
    if (++count % STEPS === 0) yield;
    const letter = text.charCodeAt(at);
    if (letter === QUOTE) {
      const start = at;
      for (at = text.indexOf('"', at + 1); at >= 0; at = text.indexOf('"', at + 1)) {
        if (++count % STEPS === 0) yield;
        if (!isEscaped(text, at)) break;
      }
      if (at < 0) return null;
      if (at - start > PART) {
        root = enclose(open, { kind: "text", start, end: at + 1, cuts: [], items: [] }) ?? root;
      }
    } else if (letter === OPEN_LIST || letter === OPEN_OBJECT) {
      if (open.length >= MAX_DEPTH) throw new TooDeep();
      const kind = letter === OPEN_LIST ? "list" : "object";
      open.push({ kind, start: at, comma: at, cut: at, large: null, cutsNext: false });
    } else if (letter === CLOSE_LIST || letter === CLOSE_OBJECT) {
      const closed = open.pop();
      if (closed === undefined) return null;
      if ((closed.kind === "list") !== (letter === CLOSE_LIST)) return null;
      if (closed.large === null) continue;
      closed.large.end = at + 1;
      root = enclose(open, closed.large) ?? root;
    } else if (letter === COMMA) {
      const around = open.at(-1);
      if (around === undefined) return null;
      around.comma = at;
      if (around.cutsNext || at - around.cut >= PART) cut(around, at);
    }
  }
  return open.length === 0 ? root : null;
}

/** Puts a large value into what is around it, alone between two cuts; returns it where nothing is. */
function enclose(open: readonly Open[], large: Large): Large | null {
  const around = open.at(-1);
  if (around === undefined) return large;
  if (around.comma > around.cut) cut(around, around.comma);
  largeOf(around).items.push(large);
  around.cutsNext = true;
  return null;
}

function cut(around: Open, at: number): void {
  largeOf(around).cuts.push(at);
  around.cut = at;
  around.cutsNext = false;
}

function largeOf(around: Open): Large {
  return around.large ??= {
    ...{ kind: around.kind, start: around.start, end: around.start, cuts: [], items: [] },
  };
}

/** True where an odd number of backslashes stands before a place. */
function isEscaped(text: string, at: number): boolean {
  let before = at;
  while (text.charCodeAt(before - 1) === BACKSLASH) before--;
  return (at - before) % 2 === 1;
}

function* valueOf(text: string, root: Large): Generator<void, unknown> {
  const around = text.slice(0, root.start) + text.slice(root.end);
  if (!isBlank(around)) return JSON.parse(text);
  return yield* large(text, root);
}

function* large(text: string, value: Large): Generator<void, unknown> {
  if (value.kind === "text") return yield* textOf(text, value);
  const list: unknown[] = [];
  const fields: Record<string, unknown> = {};
  let next = 0;
  const ends = [...value.cuts, value.end - 1];
  for (let part = 0, start = value.start + 1; part < ends.length; start = ends[part++]! + 1) {
    const end = ends[part]!;
    const item = value.items[next];
    const inside = item !== undefined && item.start >= start && item.end <= end ? item : null;
    if (inside !== null) next++;
    if (value.kind === "list") {
      if (inside !== null && isAlone(text, { start, end }, inside)) {
        list.push(yield* large(text, inside));
      } else for (const one of few(text, { start, end }, "[]") as unknown[]) list.push(one);
    } else {
      const key = inside === null ? null : keyOf(text, { start, end }, inside);
      if (key !== null) setField(fields, key, yield* large(text, inside!));
      else {
        const some = few(text, { start, end }, "{}") as Record<string, unknown>;
        for (const name of Object.keys(some)) setField(fields, name, some[name]);
      }
    }
    yield;
  }
  return value.kind === "list" ? list : fields;
}

interface Span {
  readonly start: number;
  readonly end: number;
}

/** The items or fields between two commas; throws SyntaxError for none. */
function few(text: string, { start, end }: Span, around: "[]" | "{}"): object {
  const part = text.slice(start, end);
  if (isBlank(part)) throw new SyntaxError("There is a comma too many");
  return JSON.parse(around[0] + part + around[1]);
}

function isAlone(text: string, { start, end }: Span, inside: Large): boolean {
  return isBlank(text.slice(start, inside.start)) && isBlank(text.slice(inside.end, end));
}

/** The name of the field whose value is large; null where it is not the value. */
function keyOf(text: string, { start, end }: Span, inside: Large): string | null {
  if (!isBlank(text.slice(inside.end, end))) return null;
  const fields = JSON.parse(`{${text.slice(start, inside.start)}null}`);
  const [name, ...others] = Object.keys(fields);
  return name === undefined || others.length > 0 ? null : name;
}

/** As a field of its own, whatever it is called; the last one of a name counts. */
function setField(fields: Record<string, unknown>, name: string, value: unknown): void {
  if (name !== "__proto__") fields[name] = value;
  else {
    Object.defineProperty(fields, name, {
      ...{ value, enumerable: true, configurable: true, writable: true },
    });
  }
}

/** A text piece by piece, cut where no escape can be. */
function* textOf(text: string, { start, end }: Large): Generator<void, string> {
  const pieces: string[] = [];
  for (let from = start + 1; from < end - 1;) {
    let to = Math.min(from + PART, end - 1);
    while (to < end - 1 && text.slice(to - ESCAPE, to).includes("\\")) {
      to++;
      if (to - from > 2 * PART) to = end - 1;
    }
    pieces.push(JSON.parse(`"${text.slice(from, to)}"`));
    from = to;
    yield;
  }
  return pieces.join("");
}

/** True for the blanks of JSON alone. */
function isBlank(text: string): boolean {
  return /^[ \t\n\r]*$/.test(text);
}
