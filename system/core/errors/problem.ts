/** A sentence with values in it: a reader in another language finds its own by the id. */
export interface Sentence {
  /** The sentence in English, with `{name}` in the place of each value. It is what a program matches. */
  readonly id: string;
  readonly values: Readonly<Record<string, string | number>>;
}

/** One complaint about one place of a request body or file, by JSON pointer (RFC 6901). */
export interface ProblemItem {
  readonly pointer: string;
  readonly message: string;
  /** Where the message has values in it; else the message is its own id. */
  readonly sentence?: Sentence;
}

/** A sentence of its parts: `sentence("There is no device {identity}", { identity })`. */
export function sentence(id: string, values: Sentence["values"]): Sentence {
  return { id, values };
}

/** The sentence in English. */
export function englishOf(said: string | Sentence): string {
  if (typeof said === "string") return said;
  return said.id.replace(/\{(\w+)\}/g, (whole, name) => String(said.values[name] ?? whole));
}

/** A complaint about one place. */
export function problemItem(pointer: string, said: string | Sentence): ProblemItem {
  const message = englishOf(said);
  return typeof said === "string" ? { pointer, message } : { pointer, message, sentence: said };
}

/** What a {@link Problem} carries beside its status and sentence. */
export interface ProblemOptions {
  /** The places that are wrong; shown at the fields they point to. */
  readonly errors?: readonly ProblemItem[];
  /** Further members of the problem document (RFC 9457 section 3.2), for example the deciding rule. */
  readonly members?: Readonly<Record<string, unknown>>;
  /** Response headers, for example `Retry-After` or `Allow`. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly cause?: unknown;
}

/**
 * The one error that a caller may read: an HTTP status and a sentence in the words of the person
 * whom it stops. Everything else that is thrown is logged and shown as a bare 500.
 */
export class Problem extends Error {
  readonly status: number;
  /** The parts of the message where it has values in it; null: the message is its own id. */
  readonly sentence: Sentence | null;
  readonly errors: readonly ProblemItem[];
  readonly members: Readonly<Record<string, unknown>>;
  readonly headers: Readonly<Record<string, string>>;

  constructor(status: number, detail: string | Sentence, options: ProblemOptions = {}) {
    super(englishOf(detail), options.cause === undefined ? undefined : { cause: options.cause });
    this.name = "Problem";
    this.status = status;
    this.sentence = typeof detail === "string" ? null : detail;
    this.errors = options.errors ?? [];
    this.members = options.members ?? {};
    this.headers = options.headers ?? {};
  }
}

/** A 400 about one place: `invalid("/PSKEntry/Psk", "Use 8 to 63 characters")`. */
export function invalid(pointer: string, message: string | Sentence): Problem {
  return new Problem(400, message, { errors: [problemItem(pointer, message)] });
}

/** A 404 in a sentence. */
export function notFound(detail: string | Sentence): Problem {
  return new Problem(404, detail);
}

/** A 409 in a sentence, with further members such as the id of the change that stands in the way. */
export function conflict(
  detail: string | Sentence,
  members: Record<string, unknown> = {},
): Problem {
  return new Problem(409, detail, { members });
}

/** Joins path segments to a JSON pointer, escaping `~` and `/` (RFC 6901 section 3). */
export function pointer(path: readonly PropertyKey[]): string {
  return path.map((part) => `/${String(part).replaceAll("~", "~0").replaceAll("/", "~1")}`).join(
    "",
  );
}

/**
 * What `work` returns. The places of a Problem that it throws become those of a larger body by `to`, which
 * is given "" for a Problem without a place.
 */
export function pointingTo<T>(to: (place: string) => string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    const { status, message, sentence, errors, members } = error;
    const places = errors.length > 0 ? errors : [problemItem("", sentence ?? message)];
    throw new Problem(status, sentence ?? message, {
      errors: places.map((one) => ({ ...one, pointer: to(one.pointer) })),
      members,
      cause: error,
    });
  }
}
