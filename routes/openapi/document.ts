import { Preview } from "../../system/changes/schema.ts";
import { atOnce } from "../../system/core/time/slices.ts";
import { type Access, decides, isWrite, type Route, type RouteDescription } from "../http/route.ts";
import { Components, type JsonSchema } from "./components.ts";
import { exampleOf } from "./examples/build.ts";
import { CHANGE_PARAMETERS, parameters } from "./parameters.ts";
import { headerReferences, RESPONSE_HEADERS } from "./headers.ts";
import { ProblemDocument, PROBLEMS } from "./problems.ts";
import { TAGS } from "./tags.ts";

/** Version of the API that we owe, and of this program. */
export interface ApiVersions {
  readonly api: string;
  readonly program: string;
}

/** An OpenAPI 3.1 document. */
export interface OpenApi {
  readonly openapi: "3.1.0";
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: {
    readonly schemas: Readonly<Record<string, JsonSchema>>;
    readonly responses: Readonly<Record<string, Response>>;
    readonly [kind: string]: unknown;
  };
  readonly [part: string]: unknown;
}

/** What the document says of one method of a path. */
export interface Operation {
  readonly summary: string;
  readonly description: string;
  readonly parameters: readonly Parameter[];
  readonly requestBody?: { readonly content: Content };
  readonly responses: Readonly<Record<string, Response | { readonly $ref: string }>>;
  readonly [word: string]: unknown;
}

interface Parameter {
  readonly name: string;
  readonly in: string;
  readonly schema: JsonSchema;
  readonly example?: unknown;
}

type Content = Readonly<
  Record<string, { readonly schema?: JsonSchema; readonly example?: unknown }>
>;

interface Response {
  readonly description: string;
  readonly headers?: Readonly<Record<string, unknown>>;
  readonly content?: Content;
}

/** Where the API of a document is called. */
export interface Audience {
  readonly title: string;
  readonly description: string;
  readonly server: { readonly url: string; readonly description?: string };
  /** False for an internal socket, which checks no credentials. */
  readonly guarded: boolean;
}

/** The API for people, programs and the pages. */
const EXTERNAL: Audience = {
  title: "Sluice",
  description: "Management API of a programmable network router.",
  server: { url: "/" },
  guarded: true,
};

const SECURITY: Readonly<Record<Access, readonly Readonly<Record<string, readonly string[]>>[]>> = {
  public: [],
  auth: [{ basic: [] }, { bearer: [] }, { session: [] }],
  password: [{ basic: [] }, { session: [] }],
  otp: [{ basic: [], otp: [] }, { bearer: [], otp: [] }, { session: [], otp: [] }],
  setup: [{ bearer: [] }],
};

const SECURITY_SCHEMES = {
  basic: { type: "http", scheme: "basic", description: "User name and password" },
  bearer: { type: "http", scheme: "bearer", description: "An API token, within its scope" },
  session: { type: "apiKey", in: "cookie", name: "sluice", description: "A browser's session" },
  otp: {
    type: "apiKey",
    in: "header",
    name: "X-JWT-OTP",
    description: "From PUT /otp_validate",
  },
};

const ACCESS: Readonly<Record<Access, string>> = {
  public: "Needs no credentials.",
  auth: "For admins, and for tokens whose scope covers the path.",
  password: "For admins who signed in by password or passkey; never for a token.",
  otp: "For admins, and for tokens whose scope covers the path, with a valid one-time code.",
  setup: "Until setup is done, with the setup code as Bearer token.",
};

const DURING_SETUP = "Until setup is done also with the setup code as Bearer token.";

/** No operation answers 405 itself, and OpenAPI has no place for the responses of a path. */
const EVERY_PATH =
  "Every error is a problem document (RFC 9457). A path that does not exist is answered 404; a " +
  "method that a path does not have is answered 405, with the methods that it has in the header " +
  "`Allow`.";

const CHANGE_HEADERS = ["Change-Id", "Confirm-Token", "Confirm-Until", "Router-Addresses"];

/** What {@link openApiSteps} comes to, at once. */
export function openApi(...of: Parameters<typeof openApiSteps>): OpenApi {
  return atOnce(openApiSteps(...of));
}

/**
 * The OpenAPI 3.1 document of routes, computed from their descriptions alone. Yields after each small
 * step.
 */
export function* openApiSteps(
  routes: readonly Route[],
  versions: ApiVersions,
  audience: Audience = EXTERNAL,
): Generator<void, OpenApi> {
  const components = new Components();
  const problem = components.schema(ProblemDocument, "output");
  const paths: Record<string, Record<string, unknown>> = {};
  for (const { description } of routes) {
    (paths[description.path] ??= {})[description.method.toLowerCase()] = operation(
      description,
      components,
      audience,
    );
    yield;
  }
  const tags = new Set(routes.map(({ description }) => description.tag));
  const used = <T>(all: Readonly<Record<string, T>>, kind: string) =>
    Object.fromEntries(
      Object.entries(all).filter(([name]) => text.includes(`"#/components/${kind}/${name}"`)),
    );
  const responses = Object.fromEntries(
    Object.values(PROBLEMS).map(({ name, description, headers = [] }) => [name, {
      description,
      ...(headers.length > 0 ? { headers: headerReferences(headers) } : {}),
      content: { "application/problem+json": { schema: problem } },
    }]),
  );
  let text = JSON.stringify(paths);
  const usedResponses = used(responses, "responses");
  text += JSON.stringify(usedResponses);
  yield;
  const { schemas, value } = components.finish({ paths, responses: usedResponses });
  yield;
  return yield* withExamples({
    openapi: "3.1.0",
    info: {
      title: audience.title,
      version: versions.api,
      "x-sluice-version": versions.program,
      description: `${audience.description}\n\n${EVERY_PATH}`,
      license: { name: "MIT", identifier: "MIT" },
    },
    servers: [audience.server],
    tags: [...tags].map((name) => ({ name, description: TAGS[name] })),
    paths: value.paths as unknown as OpenApi["paths"],
    components: {
      ...(audience.guarded ? { securitySchemes: SECURITY_SCHEMES } : {}),
      schemas,
      responses: value.responses as OpenApi["components"]["responses"],
      parameters: used(CHANGE_PARAMETERS, "parameters"),
      headers: used(RESPONSE_HEADERS, "headers"),
    },
  });
}

function operation(
  description: RouteDescription,
  components: Components,
  audience: Audience,
): unknown {
  const { method, path, body } = description;
  return {
    operationId: `${method.toLowerCase()}${
      path.replaceAll(/[^A-Za-z0-9]+(\w)?/g, (_, c) => c?.toUpperCase() ?? "")
    }`,
    summary: description.summary,
    description: behaviour(description, audience),
    tags: [description.tag],
    security: audience.guarded ? SECURITY[description.access] : [],
    parameters: parameters(description),
    ...(body
      ? {
        requestBody: {
          required: description.bodyOptional !== true,
          content: {
            "application/json": {
              schema: components.schema(body, "input"),
              ...written(description.examples?.body),
            },
          },
        },
      }
      : {}),
    responses: responses(description, components, audience),
  };
}

/** What callers must know of a route beside its summary. */
function behaviour(description: RouteDescription, { guarded }: Audience): string {
  const { access, document, alsoWrites = [], body, bodyOptional, maxBody, duringSetup } =
    description;
  const sentences = [
    description.description,
    ...(guarded ? [ACCESS[access]] : []),
    ...(guarded && duringSetup ? [DURING_SETUP] : []),
  ];
  if (decides(description)) {
    sentences.push(
      "It is a change: it stands in the history, can be previewed with `dryRun`, reverts unless " +
        "confirmed with `Confirm-Within`, and can be undone.",
    );
  } else if (isWrite(description)) {
    sentences.push("It takes effect at once: it can be neither previewed nor undone.");
  }
  if (document !== undefined && decides(description)) {
    sentences.push(`\`If-Match\` is compared with the ETag of the document \`${document}\`.`);
    for (const other of alsoWrites) {
      sentences.push(`Where it lists several ETags, that of \`${other}\` must be among them too.`);
    }
  }
  if (body !== undefined) {
    sentences.push("Field names match without regard to case, and `null` counts as missing.");
  }
  if (bodyOptional) sentences.push("The body may be left out.");
  if (maxBody !== undefined) sentences.push(`The body may have ${maxBody} bytes.`);
  return sentences.join(" ");
}

function responses(
  description: RouteDescription,
  components: Components,
  { guarded }: Audience,
): Record<string, unknown> {
  const { status = 200, mediaType, response } = description;
  const change = decides(description);
  const headers = [
    ...(change ? CHANGE_HEADERS : []),
    ...(description.document !== undefined && (change || !isWrite(description)) ? ["ETag"] : []),
    ...description.sends ?? [],
  ];
  const withHeaders = headers.length > 0 ? { headers: headerReferences(headers) } : {};
  const example = written(description.examples?.response);
  const content = response
    ? {
      [mediaType ?? "application/json"]: {
        schema: components.schema(response, "output"),
        ...example,
      },
    }
    : mediaType === undefined
    ? undefined
    : { [mediaType]: {} };
  const done = content === undefined
    ? {
      description: status === 101
        ? "The connection speaks WebSocket from now on."
        : "Done; the answer is empty.",
      ...withHeaders,
    }
    : { description: "Done.", ...withHeaders, content };
  const good: Record<string, unknown> = { [status]: done };
  if (description.accepted !== undefined) {
    good["202"] = {
      description: description.accepted,
      content: { "text/plain": { schema: { type: "string" } } },
    };
  }
  if (change) {
    const preview = components.schema(Preview, "output");
    const schema = response ? { anyOf: [components.schema(response, "output"), preview] } : preview;
    good["200"] = {
      description:
        `Done${response ? "" : ", and empty without a content type"}; with \`dryRun\`: ` +
        "the preview.",
      ...withHeaders,
      content: { "application/json": { schema, ...example } },
    };
    good["202"] = {
      description:
        "Taken, and applied right after this answer, since it changes the connection to " +
        "the caller. The answer is empty.",
      ...withHeaders,
    };
  }
  const codes = [...problemsOf(description, guarded)].sort();
  return {
    ...good,
    ...Object.fromEntries(
      codes.map((code) => [code, { $ref: `#/components/responses/${PROBLEMS[code]!.name}` }]),
    ),
    ...Object.fromEntries(
      (description.textErrors ?? []).map((code) => [code, {
        description: PROBLEMS[code]!.description,
        content: { "text/plain": { schema: { type: "string" } } },
      }]),
    ),
  };
}

/** The example of a route where it has one of its own. */
function written(example: unknown): { readonly example?: unknown } {
  return example === undefined ? {} : { example };
}

/** Statuses of the problems that a route may answer. */
function problemsOf(description: RouteDescription, guarded: boolean): ReadonlySet<number> {
  const { access, body, params, query, headers, errors = [] } = description;
  const codes = new Set([...errors, 500]);
  const add = (...more: readonly number[]): void => more.forEach((code) => codes.add(code));
  if (guarded) add(421, 429);
  if (guarded && access !== "public") add(401, 403);
  if (guarded && isWrite(description)) add(403, 415);
  if (isWrite(description)) add(400);
  if (body) add(400, 408, 413);
  if (params || query || headers) add(400);
  if (decides(description)) add(409, 412, 502, 503);
  if (description.path.startsWith("/plugins/")) add(400);
  return codes;
}

/** The document with an example of each body, answer and parameter that has none. */
function* withExamples(document: OpenApi): Generator<void, OpenApi> {
  const { schemas } = document.components;
  const content = (parts: Content | undefined): Content | undefined =>
    parts && Object.fromEntries(
      Object.entries(parts).map(([type, { schema, ...rest }]) => [
        type,
        schema === undefined ? rest : { schema, example: exampleOf(schema, schemas), ...rest },
      ]),
    );
  const answer = <T extends object>(one: T): T =>
    "content" in one ? { ...one, content: content(one.content as Content) } : one;
  const withAnswers = <T extends object>(all: Readonly<Record<string, T>>) =>
    Object.fromEntries(Object.entries(all).map(([name, one]) => [name, answer(one)]));
  const paths: Record<string, Readonly<Record<string, unknown>>> = {};
  for (const [path, methods] of Object.entries(document.paths)) {
    paths[path] = Object.fromEntries(
      Object.entries(methods).map(([method, operation]) => [method, {
        ...operation,
        parameters: operation.parameters.map((parameter) =>
          "$ref" in parameter || "example" in parameter ? parameter : {
            ...parameter,
            example: exampleOf(parameter.schema, schemas, parameter.name),
          }
        ),
        ...(operation.requestBody ? { requestBody: answer(operation.requestBody) } : {}),
        responses: withAnswers(operation.responses),
      }]),
    );
    yield;
  }
  return {
    ...document,
    paths: paths as OpenApi["paths"],
    components: {
      ...document.components,
      responses: withAnswers(document.components.responses),
    },
  };
}
