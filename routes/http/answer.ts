import { diskError } from "../../system/core/errors/disk_error.ts";
import { HTTPException } from "hono/http-exception";
import { jsonSteps } from "../../system/core/config/json.ts";
import { encodedParts } from "../../system/core/data/encoded_parts.ts";
import { invalid, Problem } from "../../system/core/errors/problem.ts";
import { inTurns } from "../../system/core/time/slices.ts";

const TITLES: Readonly<Record<number, string>> = {
  400: "Bad request",
  401: "Sign-in needed",
  403: "Not allowed",
  404: "Not found",
  405: "Method not allowed",
  408: "Too slow",
  409: "Conflict",
  412: "Changed meanwhile",
  413: "Too large",
  415: "Unsupported content type",
  421: "Unknown host name",
  429: "Too many requests",
  500: "Internal error",
  501: "Not part of this router",
  502: "A tool failed",
  503: "Not available",
};

/** A JSON answer of a small value. */
export function json(value: unknown, status = 200, headers: HeadersInit = {}): Response {
  return jsonAnswer(JSON.stringify(value) + "\n", { status, headers });
}

/** A JSON answer of a value of any size: others have their turn while a large one becomes text. */
export async function largeJson(value: unknown): Promise<Response> {
  return await jsonText(await inTurns(jsonSteps(value)));
}

/** The same of a value that is JSON text already. */
export async function jsonText(text: string): Promise<Response> {
  const line = text + "\n";
  return jsonAnswer(line.length < LONG_TEXT ? line : await inTurns(encodeSteps(line)));
}

function jsonAnswer(body: string | Uint8Array<ArrayBuffer>, init: ResponseInit = {}): Response {
  const answer = new Response(body, init);
  answer.headers.set("content-type", "application/json");
  return answer;
}

/** Characters from which on a text is encoded in parts. */
const LONG_TEXT = 256 << 10;

/** The bytes of a text, in small steps. */
function* encodeSteps(text: string): Generator<void, Uint8Array<ArrayBuffer>> {
  const parts: Uint8Array<ArrayBuffer>[] = [];
  let length = 0;
  for (const part of encodedParts(text)) {
    parts.push(part);
    length += part.length;
    yield;
  }
  const bytes = new Uint8Array(length);
  let at = 0;
  for (const part of parts) {
    bytes.set(part, at);
    at += part.length;
  }
  return bytes;
}

/** 200 of zero length without a content type: existing clients read a missing type as success. */
export function empty(status = 200): Response {
  return new Response(null, { status, headers: { "content-length": "0" } });
}

/** The answer that a handler's value stands for: itself, JSON, or for nothing an empty 200. */
export async function answerOf(value: unknown): Promise<Response> {
  if (value instanceof Response) return value;
  return value === undefined ? empty() : await largeJson(value);
}

/** The problem document (RFC 9457) of an error that a caller may read. */
export function problemAnswer(problem: Problem): Response {
  const document = {
    type: "about:blank",
    title: TITLES[problem.status] ?? "Error",
    status: problem.status,
    detail: problem.message,
    ...(problem.sentence === null ? {} : { sentence: problem.sentence }),
    ...(problem.errors.length > 0 ? { errors: problem.errors } : {}),
    ...problem.members,
  };
  const answer = new Response(JSON.stringify(document) + "\n", {
    status: problem.status,
    headers: problem.headers,
  });
  answer.headers.set("content-type", "application/problem+json");
  return answer;
}

/**
 * The answer to anything thrown: a Problem as it is, a disk that takes nothing as a 500 that says so,
 * the rest as a bare 500; `log` takes both.
 */
export function errorAnswer(error: unknown, log: (error: unknown) => void): Response {
  if (error instanceof Problem) return problemAnswer(error);
  // The one that the validator throws by itself.
  if (error instanceof HTTPException) return problemAnswer(invalid("", "The body is not JSON"));
  log(error);
  const trouble = diskError(error);
  if (trouble !== null) {
    return problemAnswer(new Problem(500, `${trouble}, so this could not be done`));
  }
  return problemAnswer(new Problem(500, "Something went wrong inside; the log has the details"));
}
