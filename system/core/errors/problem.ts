/** One complaint about one place of a request body or file, by JSON pointer (RFC 6901). */
export interface ProblemItem {
  readonly pointer: string;
  readonly message: string;
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
  readonly errors: readonly ProblemItem[];
  readonly members: Readonly<Record<string, unknown>>;
  readonly headers: Readonly<Record<string, string>>;

  constructor(status: number, detail: string, options: ProblemOptions = {}) {
    super(detail, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = "Problem";
    this.status = status;
    this.errors = options.errors ?? [];
    this.members = options.members ?? {};
    this.headers = options.headers ?? {};
  }
}

/** A 400 about one place: `invalid("/PSKEntry/Psk", "Use 8 to 63 characters")`. */
export function invalid(pointer: string, message: string): Problem {
  return new Problem(400, message, { errors: [{ pointer, message }] });
}

/** A 404 in a sentence. */
export function notFound(detail: string): Problem {
  return new Problem(404, detail);
}

/** A 409 in a sentence, with further members such as the id of the change that stands in the way. */
export function conflict(detail: string, members: Record<string, unknown> = {}): Problem {
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
    const { status, message, errors, members } = error;
    const places = errors.length > 0 ? errors : [{ pointer: "", message }];
    throw new Problem(status, message, {
      errors: places.map((one) => ({ pointer: to(one.pointer), message: one.message })),
      members,
      cause: error,
    });
  }
}
