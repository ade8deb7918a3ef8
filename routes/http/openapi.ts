import { z } from "zod";
import { type Access, decides, type Route, type RouteDescription } from "./route.ts";

/** Version of the API that we owe, and of this program. */
export interface ApiVersions {
  readonly api: string;
  readonly program: string;
}

/** An OpenAPI 3.1 document. */
export interface OpenApi {
  readonly openapi: "3.1.0";
  readonly [part: string]: unknown;
}

const ERRORS: Readonly<Record<number, string>> = {
  400: "The request is malformed or does not fit",
  401: "Credentials are missing or wrong",
  403: "The token's scope does not cover this, or an OTP code is needed",
  404: "There is no such thing",
  408: "The body did not arrive in time",
  409: "It conflicts with what is there, or would lock the caller out",
  412: "It was changed meanwhile",
  413: "The body is too large",
  415: "The body must be JSON",
  429: "Too many requests; see Retry-After",
  502: "A tool, daemon or plugin failed",
  503: "A needed tool or service is absent",
};

const SECURITY: Readonly<Record<Access, readonly Record<string, readonly string[]>[]>> = {
  public: [],
  auth: [{ basic: [] }, { bearer: [] }, { session: [] }],
  password: [{ basic: [] }, { session: [] }],
  otp: [{ basic: [], otp: [] }, { bearer: [], otp: [] }, { session: [], otp: [] }],
  setup: [{ bearer: [] }],
};

/** The OpenAPI 3.1 document of the routes, computed from their descriptions alone. */
export function openApi(routes: readonly Route[], versions: ApiVersions): OpenApi {
  const paths: Record<string, Record<string, unknown>> = {};
  for (const { description } of routes) {
    (paths[description.path] ??= {})[description.method.toLowerCase()] = operation(description);
  }
  return {
    openapi: "3.1.0",
    info: {
      title: "Sluice",
      version: versions.api,
      "x-sluice-version": versions.program,
      description: "Management API of a programmable network router.",
      license: { name: "MIT", identifier: "MIT" },
    },
    servers: [{ url: "/" }],
    tags: [...new Set(routes.map((r) => r.description.tag))].map((name) => ({ name })),
    paths,
    components: {
      securitySchemes: {
        basic: { type: "http", scheme: "basic" },
        bearer: { type: "http", scheme: "bearer", description: "An API token, within its scope" },
        session: { type: "apiKey", in: "cookie", name: "sluice" },
        otp: {
          type: "apiKey",
          in: "header",
          name: "X-JWT-OTP",
          description: "From PUT /otp_validate",
        },
      },
      schemas: { Problem: PROBLEM },
    },
  };
}

const PROBLEM = {
  type: "object",
  description: "RFC 9457 problem document",
  required: ["type", "title", "status", "detail"],
  properties: {
    type: { type: "string" },
    title: { type: "string" },
    status: { type: "integer" },
    detail: { type: "string" },
    errors: {
      type: "array",
      items: {
        type: "object",
        required: ["pointer", "message"],
        properties: { pointer: { type: "string" }, message: { type: "string" } },
      },
    },
  },
};

function operation(description: RouteDescription): Record<string, unknown> {
  const { method, path } = description;
  return {
    operationId: `${method.toLowerCase()}${
      path.replaceAll(/[^A-Za-z0-9]+(\w)?/g, (_, c) => c?.toUpperCase() ?? "")
    }`,
    summary: description.summary,
    tags: [description.tag],
    security: SECURITY[description.access],
    parameters: parameters(description),
    ...(description.body
      ? {
        requestBody: {
          required: description.bodyOptional !== true,
          content: { "application/json": { schema: schemaOf(description.body, "input") } },
        },
      }
      : {}),
    responses: responses(description),
  };
}

function parameters(description: RouteDescription): unknown[] {
  const list: unknown[] = [];
  for (const [, name] of description.path.matchAll(/\{(\w+)\}/g)) {
    const schema = properties(description.params)[name!] ?? { type: "string" };
    list.push({ name, in: "path", required: true, schema });
  }
  for (const [name, schema] of Object.entries(properties(description.query))) {
    list.push({ name, in: "query", required: required(description.query).includes(name), schema });
  }
  if (decides(description)) {
    list.push(
      {
        name: "dryRun",
        in: "query",
        schema: { type: "boolean" },
        description: "Answer a preview; nothing moves",
      },
      {
        name: "force",
        in: "query",
        schema: { type: "boolean" },
        description: "Pass the lock-out guard",
      },
      {
        name: "Confirm-Within",
        in: "header",
        schema: { type: "integer", minimum: 10, maximum: 600 },
        description: "Seconds after which the change undoes itself unless confirmed",
      },
      {
        name: "If-Match",
        in: "header",
        schema: { type: "string" },
        description: "ETag that was read",
      },
    );
  }
  return list;
}

function responses(description: RouteDescription): Record<string, unknown> {
  const { access, body, params, query } = description;
  const codes = new Set(description.errors ?? []);
  if (access !== "public") [401, 403, 429].forEach((code) => codes.add(code));
  if (body) [400, 408, 413, 415].forEach((code) => codes.add(code));
  if (params || query) codes.add(400);
  if (decides(description)) {
    [400, 409, 412, 502].forEach((code) => codes.add(code));
  }
  const { status = 200, response, mediaType } = description;
  const content = response
    ? { [mediaType ?? "application/json"]: { schema: schemaOf(response, "output") } }
    : mediaType === undefined
    ? undefined
    : { [mediaType]: {} };
  const ok = content === undefined
    ? { description: "Done; the answer is empty" }
    : { description: "Done", content };
  const problems = [...codes].sort().map((code) => [code, {
    description: ERRORS[code] ?? "Error",
    content: { "application/problem+json": { schema: { $ref: "#/components/schemas/Problem" } } },
  }]);
  const early = decides(description)
    ? {
      202: { description: "Taken; it changes the way to the caller, so it is applied after this" },
    }
    : {};
  return { [status]: ok, ...early, ...Object.fromEntries(problems) };
}

function schemaOf(schema: z.ZodType, io: "input" | "output"): Record<string, unknown> {
  const { $schema: _, ...rest } = z.toJSONSchema(schema, {
    io,
    unrepresentable: "any",
    override({ zodSchema, jsonSchema }) {
      if (io === "output") describeTidied(zodSchema, jsonSchema);
    },
  });
  return rest;
}

/**
 * What a schema makes of a value is not known to it. What is answered was tidied, such as an address in
 * its one spelling, and could be sent again: it is of the kind that is taken.
 */
function describeTidied(schema: z.core.$ZodType, described: z.core.JSONSchema.BaseSchema): void {
  if (!(schema instanceof z.ZodPipe && schema.out instanceof z.ZodTransform)) return;
  if (Object.keys(described).length > 0) return;
  Object.assign(described, schemaOf(schema.in as z.ZodType, "input"));
}

function properties(schema: z.ZodType | undefined): Record<string, unknown> {
  return (schema ? schemaOf(schema, "input").properties : undefined) as Record<string, unknown> ??
    {};
}

function required(schema: z.ZodType | undefined): readonly string[] {
  return (schema ? schemaOf(schema, "input").required : undefined) as string[] ?? [];
}
