import type { MiddlewareHandler } from "hono";
import { invalid, Problem } from "../../system/core/errors/problem.ts";

/** Bytes of a request body where a route names no limit of its own. */
const BODY_LIMIT = 1 << 20;
/** The same for a route that asks nobody who they are: names, passwords and signatures are short. */
const PUBLIC_BODY_LIMIT = 16 << 10;
/** Bytes of all bodies together that are being read and worked on, and those of public routes. */
const ALL_BODIES = 64 << 20;
const PUBLIC_BODIES = 4 << 20;
/** Milliseconds within which a body must have arrived; Deno's server sets no such limit itself. */
const BODY_DEADLINE = 15_000;

/** Arrays and objects in one another; no shape of ours comes near. */
const MAX_DEPTH = 64;

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

/** Bodies of public routes, and of the others. Strangers cannot use up what is for those signed in. */
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
  const timer = setTimeout(() => reader.cancel("too slow").catch(() => {}), BODY_DEADLINE);
  const started = performance.now();
  const chunks: Uint8Array[] = [];
  let size = 0;
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) break;
      size += value.byteLength;
      if (size > limit) throw tooLarge(limit);
      arrived(value.byteLength);
      chunks.push(value);
    }
  } catch (error) {
    await reader.cancel("refused").catch(() => {});
    throw error;
  } finally {
    clearTimeout(timer);
  }
  if (performance.now() - started >= BODY_DEADLINE) {
    throw new Problem(408, "The body did not arrive in time");
  }
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(
      await new Blob(chunks as BlobPart[]).arrayBuffer(),
    );
  } catch {
    throw new Problem(400, "The body is not UTF-8 text");
  }
}

function tooLarge(limit: number): Problem {
  return new Problem(413, `The body is larger than ${limit} bytes`);
}

/**
 * Reads the body of a request for the validator, which would read any amount for any time and only what
 * calls itself JSON. A body that may be left out is `null` to the schema.
 */
export function readsJson(
  options: { readonly optional?: boolean; readonly limit?: number; readonly public?: boolean } = {},
): MiddlewareHandler {
  const limit = options.limit ?? (options.public ? PUBLIC_BODY_LIMIT : BODY_LIMIT);
  return async (c, next) => {
    const { raw } = c.req;
    const bodies = c.get(KEY) as Bodies | undefined;
    const inFlight = options.public ? bodies?.public : bodies?.signedIn;
    let counted = 0;
    try {
      const text = await readBody(raw, limit, (bytes) => {
        inFlight?.add(bytes);
        counted += bytes;
      });
      const missing = text.trim() === "";
      if (missing && !options.optional) {
        throw invalid("", "The request has no body; send a JSON value");
      }
      if (isTooDeep(text)) {
        throw invalid("", `Nest arrays and objects at most ${MAX_DEPTH} deep`);
      }
      const headers = new Headers(raw.headers);
      headers.set("content-type", "application/json");
      const { method, signal } = raw;
      c.req.raw = new Request(raw.url, { method, headers, signal, body: missing ? "null" : text });
      await next();
    } finally {
      inFlight?.remove(counted);
    }
  };
}

/** True for JSON whose arrays and objects are nested deeper than {@link MAX_DEPTH}. */
function isTooDeep(text: string): boolean {
  let depth = 0, inString = false;
  for (let at = 0; at < text.length; at++) {
    const letter = text[at];
    if (inString) {
      if (letter === "\\") at += 1;
      else if (letter === '"') inString = false;
    } else if (letter === '"') inString = true;
    else if (letter === "[" || letter === "{") {
      if (++depth > MAX_DEPTH) return true;
    } else if (letter === "]" || letter === "}") depth -= 1;
  }
  return false;
}
