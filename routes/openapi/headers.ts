/** A response header of the document. */
export interface ResponseHeader {
  readonly description: string;
  readonly schema: Readonly<Record<string, unknown>>;
}

const text = { type: "string" } as const;

/** Every header that an answer may carry beside those of HTTP itself. */
export const RESPONSE_HEADERS = {
  "Change-Id": {
    description: "Id of the change in the history; absent where nothing changed.",
    schema: { ...text, examples: ["01K3ZJ4Q7W"] },
  },
  "Confirm-Token": {
    description:
      "Single-use token that confirms the change, as Bearer; only with `Confirm-Within`.",
    schema: { ...text, examples: ["c0nf1rm"] },
  },
  "Confirm-Until": {
    description: "When the change reverts unless confirmed, unix milliseconds; only with " +
      "`Confirm-Within`.",
    schema: { type: "integer", examples: [1_767_225_600_000] },
  },
  "Content-Disposition": {
    description: "File name of the download.",
    schema: { ...text, examples: ['attachment; filename="backup.tar.gz"'] },
  },
  "Device-Identity": {
    description: "Identity under which the device is stored.",
    schema: { ...text, examples: ["02:00:00:00:0a:01"] },
  },
  "ETag": {
    description: "Entity tag to send as `If-Match`.",
    schema: { ...text, examples: ['"4f2a"'] },
  },
  "Retry-After": {
    description: "Seconds after which to try again.",
    schema: { type: "integer", minimum: 0, examples: [10] },
  },
  "Router-Addresses": {
    description:
      "Addresses of the router while the change is not confirmed, joined by commas; only " +
      "with `Confirm-Within`.",
    schema: { ...text, examples: ["192.168.2.1, 10.0.0.1"] },
  },
  "Search-Stopped-At": {
    description:
      "Time of the first event that the search did not get to (RFC 3339); absent where it " +
      "looked at everything.",
    schema: { ...text, examples: ["2026-01-31T12:00:00.000001000Z"] },
  },
  "WWW-Authenticate": {
    description: "Challenge for callers that are no browser.",
    schema: { ...text, examples: ['Basic realm="Sluice", charset="UTF-8", Bearer realm="Sluice"'] },
  },
  "X-SVC-Mesh-TLS-Hash": {
    description:
      "HMAC-SHA-256 of the certificate, keyed with the token of the leaf, in lower-case hex.",
    schema: {
      ...text,
      examples: ["9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"],
    },
  },
  "X-SPR-Auth-Error": {
    description: "Why the token of a plugin's page was refused: `invalid_token` asks for another.",
    schema: { ...text, enum: ["invalid_token", "insufficient_scope"], examples: ["invalid_token"] },
  },
} as const satisfies Readonly<Record<string, ResponseHeader>>;

/** Name of a response header in the document. */
export type ResponseHeaderName = keyof typeof RESPONSE_HEADERS;

/** References to headers, by name. */
export function headerReferences(names: readonly string[]): Record<string, unknown> {
  return Object.fromEntries(
    names.map((name) => [name, { $ref: `#/components/headers/${name}` }]),
  );
}
