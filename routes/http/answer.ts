import { diskError } from "../../system/core/errors/disk_error.ts";
import { HTTPException } from "hono/http-exception";
import { invalid, Problem } from "../../system/core/errors/problem.ts";

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

/** A JSON answer. */
export function json(value: unknown, status = 200, headers: HeadersInit = {}): Response {
  return jsonText(JSON.stringify(value), status, headers);
}

/** A JSON answer of a value that is JSON text already. */
export function jsonText(text: string, status = 200, headers: HeadersInit = {}): Response {
  const answer = new Response(text + "\n", { status, headers });
  answer.headers.set("content-type", "application/json");
  return answer;
}

/** 200 of zero length without a content type: existing clients read a missing type as success. */
export function empty(status = 200): Response {
  return new Response(null, { status, headers: { "content-length": "0" } });
}

/** The answer that a handler's value stands for: itself, JSON, or for nothing an empty 200. */
export function answerOf(value: unknown): Response {
  return value instanceof Response ? value : value === undefined ? empty() : json(value);
}

/** The problem document (RFC 9457) of an error that a caller may read. */
export function problemAnswer(problem: Problem): Response {
  const document = {
    type: "about:blank",
    title: TITLES[problem.status] ?? "Error",
    status: problem.status,
    detail: problem.message,
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
