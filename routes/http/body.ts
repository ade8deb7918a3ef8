import type { Context, MiddlewareHandler } from "hono";
import { invalid, Problem } from "../../system/core/errors/problem.ts";
import { inSlices, Turns } from "../../system/core/time/slices.ts";
import { largeJson, MAX_DEPTH, TooDeep } from "../../system/core/config/large_json.ts";

/** Bytes of a request body where a route names no limit of its own. */
const BODY_LIMIT = 1 << 20;
/** The same for a route that asks nobody who they are: names, passwords and signatures are short. */
const PUBLIC_BODY_LIMIT = 16 << 10;
/** Bytes of all bodies together that are being read and worked on, and those of public routes. */
const ALL_BODIES = 64 << 20;
const PUBLIC_BODIES = 4 << 20;
/** Characters of a body that is read and checked at once: few enough values, even if all are wrong. */
const SMALL = 2000;
/** Milliseconds within which a body must have arrived; Deno's server sets no such limit itself. */
const BODY_DEADLINE = 15_000;

/** Where the bodies of an app are counted. */
const KEY = "bodies";

/** Counts the bytes of bodies that are in memory. */
export class BodiesInFlight {
  readonly #limit: number;
  #bytes = 0;

  constructor(limit: number) {
    this.#limit = limit;
  }

  /** Throws Problem 503 when all together are too many. */
  add(bytes: number): void {
    if (this.#bytes + bytes > this.#limit) {
      throw new Problem(503, "Too much is being sent to the router at once; try again", {
        headers: { "retry-after": "1" },
      });
    }
    this.#bytes += bytes;
  }

  remove(bytes: number): void {
    this.#bytes -= bytes;
  }
}

/** Bodies of public routes, and of the others. Public ones cannot use up the limit of signed-in users. */
interface Bodies {
  readonly public: BodiesInFlight;
  readonly signedIn: BodiesInFlight;
}

/** Limits the bodies of all requests of an app together. */
export function bodyLimit(
  bodies: Bodies = {
    public: new BodiesInFlight(PUBLIC_BODIES),
    signedIn: new BodiesInFlight(ALL_BODIES - PUBLIC_BODIES),
  },
): MiddlewareHandler {
  return async (c, next) => {
    c.set(KEY, bodies);
    await next();
  };
}

/**
 * Reads a whole body within the limit and the deadline; `arrived` receives the size of each chunk.
 * Throws Problem 413 or 408.
 */
async function readBody(
  request: Request,
  limit: number,
  arrived: (bytes: number) => void,
): Promise<string> {
  const announced = Number(request.headers.get("content-length") ?? "0");
  if (announced > limit) throw tooLarge(limit);
  if (request.body === null) return "";
  const reader = request.body.getReader();
  let late = false;
  const timer = setTimeout(() => {
    late = true;
    reader.cancel("too slow").catch(() => {});
  }, BODY_DEADLINE);
  const decoder = new TextDecoder("utf-8", { fatal: true });
  const texts: string[] = [];
  const turns = new Turns();
  let size = 0;
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) break;
      size += value.byteLength;
      if (size > limit) throw tooLarge(limit);
      arrived(value.byteLength);
      // As they come: at once, a large body would take long.
      texts.push(decoded(decoder, value));
      // What has arrived already is read without a turn of anything else.
      await turns.pause();
    }
    // Before the rest is decoded: what was cut off may end within a character.
    if (late) throw new Problem(408, "The body did not arrive in time");
    texts.push(decoded(decoder));
  } catch (error) {
    await reader.cancel("refused").catch(() => {});
    throw error;
  } finally {
    clearTimeout(timer);
  }
  return texts.join("");
}

function decoded(decoder: TextDecoder, bytes?: Uint8Array): string {
  try {
    return decoder.decode(bytes, { stream: bytes !== undefined });
  } catch {
    throw new Problem(400, "The body is not UTF-8 text");
  }
}

function tooLarge(limit: number): Problem {
  return new Problem(413, `The body is larger than ${limit} bytes`);
}

/** The JSON of a body. */
export interface Body {
  readonly value: unknown;
  /** It is so short that all can be done at once that is to be done with it. */
  readonly isSmall: boolean;
}

/**
 * Reads the body of a request as JSON and calls `use` with its value while it counts among those in
 * memory; what a body says of its type does not matter. One that may be left out is `null`. Throws
 * Problem 400, 408, 413 or 503.
 */
export function withJson(
  options: {
    readonly optional?: boolean;
    readonly limit?: number;
    readonly public?: boolean;
    readonly use: (c: Context, body: Body, next: () => Promise<void>) => Promise<void>;
  },
): MiddlewareHandler {
  const limit = options.limit ?? (options.public ? PUBLIC_BODY_LIMIT : BODY_LIMIT);
  return async (c, next) => {
    const bodies = c.get(KEY) as Bodies | undefined;
    const inFlight = options.public ? bodies?.public : bodies?.signedIn;
    let counted = 0;
    try {
      const text = await readBody(c.req.raw, limit, (bytes) => {
        inFlight?.add(bytes);
        counted += bytes;
      });
      const isMissing = !/\S/.test(text);
      if (isMissing && !options.optional) {
        throw invalid("", "The request has no body; send a JSON value");
      }
      const value = isMissing ? null : await parsed(text);
      // A handler that wants field names as they were sent asks for the body itself.
      c.req.bodyCache.json = Promise.resolve(value);
      await options.use(c, { value, isSmall: text.length <= SMALL }, next);
    } finally {
      inFlight?.remove(counted);
    }
  };
}

async function parsed(text: string): Promise<unknown> {
  try {
    if (text.length > SMALL) return await inSlices(largeJson(text));
    if (isTooDeep(text)) throw new TooDeep();
    return JSON.parse(text);
  } catch (error) {
    if (error instanceof TooDeep) {
      throw invalid("", `Nest arrays and objects at most ${MAX_DEPTH} deep`);
    }
    if (error instanceof SyntaxError) throw invalid("", "The body is not JSON");
    throw error;
  }
}

/** True for JSON whose arrays and objects are nested deeper than {@link MAX_DEPTH}. */
function isTooDeep(text: string): boolean {
  let depth = 0;
  for (const [token] of text.matchAll(/"(?:[^"\\]|\\.)*"?|[[{\]}]/g)) {
    if (token === "[" || token === "{") {
      if (++depth > MAX_DEPTH) return true;
    } else if (token === "]" || token === "}") depth -= 1;
  }
  return false;
}
