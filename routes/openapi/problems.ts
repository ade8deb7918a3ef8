import * as z from "zod";

const Sentence = z.object({
  id: z.string().describe("The sentence with `{name}` in the place of each value"),
  values: z.record(z.string(), z.union([z.string(), z.number()])),
});

/** An error that a caller may read (RFC 9457); further members say more of it, such as the deciding rule. */
export const ProblemDocument = z.looseObject({
  type: z.literal("about:blank"),
  title: z.string(),
  status: z.int().min(400).max(599),
  detail: z.string(),
  sentence: Sentence.optional().describe(
    "Parts of `detail` where it has values in it, by which it can be translated",
  ),
  errors: z.array(z.object({
    pointer: z.string().describe("JSON pointer to the field, as the request names it"),
    message: z.string(),
    sentence: Sentence.optional().describe("The same of `message`"),
  })).optional(),
}).meta({
  id: "Problem",
  examples: [{
    type: "about:blank",
    title: "Bad request",
    status: 400,
    detail: "/Name: This is needed: a text",
    errors: [{ pointer: "/Name", message: "This is needed: a text" }],
  }],
});

interface ProblemAnswer {
  /** Name of the response component. */
  readonly name: string;
  readonly description: string;
  /** Headers that it may carry. */
  readonly headers?: readonly string[];
}

/** What each status of a problem means. */
export const PROBLEMS: Readonly<Record<number, ProblemAnswer>> = {
  400: { name: "BadRequest", description: "The request is malformed or does not fit its schema." },
  401: {
    name: "Unauthorized",
    description: "Credentials are missing or wrong. Browsers get no challenge.",
    headers: ["WWW-Authenticate", "X-SPR-Auth-Error"],
  },
  403: {
    name: "Forbidden",
    description:
      "The token's scope does not cover this, an OTP code is needed, or a page of another " +
      "origin sent it.",
    headers: ["WWW-Authenticate", "X-SPR-Auth-Error"],
  },
  404: { name: "NotFound", description: "It does not exist." },
  408: { name: "RequestTimeout", description: "The body did not arrive in time." },
  409: {
    name: "Conflict",
    description:
      "It conflicts with the configuration, another change waits to be confirmed, or it " +
      "would lock the caller out.",
  },
  412: {
    name: "PreconditionFailed",
    description: "It was changed since the ETag of `If-Match` was read.",
    headers: ["ETag"],
  },
  413: { name: "ContentTooLarge", description: "The body is too large." },
  415: { name: "UnsupportedMediaType", description: "A browser sent a body that is not JSON." },
  421: { name: "MisdirectedRequest", description: "`Host` is no name or address of this router." },
  429: {
    name: "TooManyRequests",
    description: "Too many requests or sign-in attempts.",
    headers: ["Retry-After"],
  },
  500: { name: "InternalError", description: "Something went wrong inside; the log has details." },
  501: {
    name: "NotImplemented",
    description: "This router does not do this; `detail` says what to do instead.",
  },
  502: {
    name: "BadGateway",
    description: "A tool, daemon or service failed; `detail` has its message.",
  },
  503: {
    name: "ServiceUnavailable",
    description: "A needed tool or service is absent.",
    headers: ["Retry-After"],
  },
};
