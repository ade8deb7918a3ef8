import type { MiddlewareHandler } from "hono";
import { invalid, Problem } from "../../system/core/errors/problem.ts";

/** Bytes of a request body where a route names no limit of its own. */
const BODY_LIMIT = 1 << 20;
/** Milliseconds within which a body must have arrived; Deno's server sets no such limit itself. */
const BODY_DEADLINE = 15_000;

/** Reads a body whole within the limit and the deadline. Throws Problem 413 or 408. */
async function readBody(request: Request, limit: number = BODY_LIMIT): Promise<string> {
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
      if (size > limit) {
        await reader.cancel("too large").catch(() => {});
        throw tooLarge(limit);
      }
      chunks.push(value);
    }
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
  options: { readonly optional?: boolean; readonly limit?: number } = {},
): MiddlewareHandler {
  return async (c, next) => {
    const { raw } = c.req;
    const text = await readBody(raw, options.limit);
    const missing = text.trim() === "";
    if (missing && !options.optional) {
      throw invalid("", "The request has no body; send a JSON value");
    }
    const headers = new Headers(raw.headers);
    headers.set("content-type", "application/json");
    const { method, signal } = raw;
    c.req.raw = new Request(raw.url, { method, headers, signal, body: missing ? "null" : text });
    await next();
  };
}
