/*
 * Text of large JSON values in small steps. JSON.stringify takes some milliseconds for a megabyte, more
 * where it indents, and a long text is written to a file or a socket only when all of it is there.
 */

/** How text is written. */
export interface JsonForm {
  /** Blanks before the value's own line; null: all on one line. */
  readonly indent: number | null;
}

/** Values within a value from which on it is large: so many become text in some tenths of a millisecond. */
export const LARGE = 1000;

/** What a large value is written with. */
export interface JsonWriter {
  /** Takes the text, part by part. */
  readonly parts: string[];
  /** How many values are within a value, counted no further than {@link LARGE}. */
  readonly weightOf: (value: unknown) => number;
  /** The text of a small value. */
  readonly textOf: (value: unknown, form: JsonForm) => string;
}

function lineAt(indent: number): string {
  return `\n${" ".repeat(indent)}`;
}

/**
 * Writes the text of a large value, part by part: its large members one by one, and several small ones at
 * a time. Yields after each.
 */
export function* writeLarge(
  value: unknown,
  form: JsonForm,
  writer: JsonWriter,
): Generator<void, void> {
  const { parts, weightOf, textOf } = writer;
  // A long text, or what says itself how it is written, is one part.
  if (typeof value !== "object" || value === null || "toJSON" in value) {
    parts.push(textOf(value, form));
    return yield;
  }
  const isList = Array.isArray(value);
  const list = new Enclosed(isList ? "[]" : "{}", form, writer);
  const members = isList ? Array.from(value, (one) => ["", one] as const) : Object.entries(value);
  let few: (readonly [string, unknown])[] = [], sum = 0;
  for (const [name, member] of members) {
    const weight = weightOf(member);
    if (sum + weight >= LARGE && few.length > 0) {
      list.add(few);
      [few, sum] = [[], 0];
      yield;
    }
    if (weight < LARGE) {
      few.push([name, member]);
      sum += weight;
    } else {
      list.begin(name);
      yield* writeLarge(member, list.inside, writer);
    }
  }
  list.add(few);
  list.end();
  yield;
}

/** A list or an object as it is written. */
class Enclosed {
  readonly inside: JsonForm;
  readonly #around: "[]" | "{}";
  readonly #form: JsonForm;
  readonly #parts: string[];
  readonly #textOf: JsonWriter["textOf"];
  /** What parts its first line from what is before it. */
  readonly #line: string;
  #isEmpty = true;

  constructor(around: "[]" | "{}", form: JsonForm, { parts, textOf }: JsonWriter) {
    const { indent } = form;
    this.#around = around;
    this.#form = form;
    this.#parts = parts;
    this.#textOf = textOf;
    this.inside = indent === null ? form : { indent: indent + 1 };
    this.#line = indent === null ? "" : lineAt(indent + 1);
  }

  /** Begins an element, or a member with its name. */
  begin(name: string): void {
    this.#next();
    if (this.#around === "[]") return;
    this.#parts.push(JSON.stringify(name), this.#form.indent === null ? ":" : ": ");
  }

  /** Adds small ones together. */
  add(few: readonly (readonly [string, unknown])[]): void {
    if (few.length === 0) return;
    const some = this.#around === "[]" ? few.map(([, one]) => one) : Object.fromEntries(few);
    const text = this.#textOf(some, this.#form);
    // Members without a value are left out.
    if (text === this.#around) return;
    this.#next();
    this.#parts.push(text.slice(1 + this.#line.length, -Math.max(1, this.#line.length)));
  }

  end(): void {
    const { indent } = this.#form;
    if (this.#isEmpty) this.#parts.push(this.#around);
    else this.#parts.push(indent === null ? "" : lineAt(indent), this.#around[1]!);
  }

  #next(): void {
    this.#parts.push(this.#isEmpty ? this.#around[0]! : ",", this.#line);
    this.#isEmpty = false;
  }
}
