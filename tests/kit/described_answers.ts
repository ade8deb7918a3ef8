import { Ajv2020, type ValidateFunction } from "ajv/dist/2020.js";
import type { JsonSchema } from "../../routes/openapi/components.ts";
import { type OpenApi, openApi } from "../../routes/openapi/document.ts";
import { RESPONSE_HEADERS } from "../../routes/openapi/headers.ts";
import type { Route } from "../../routes/http/route.ts";

/** Holds an app's answers to the API document of its routes. Throws when one is not as described. */
export type CheckAnswer = (method: string, url: string, response: Response) => Promise<void>;

const VERSIONS = { api: "0.0.0", program: "0.0.0" };

/** What the API document says of an app's answers, made when the first one comes. */
export function describedAnswers(document: () => OpenApi): CheckAnswer {
  let checker: ((method: string, url: string, response: Response) => Promise<void>) | undefined;
  return (method, url, response) => (checker ??= makeChecker(document()))(method, url, response);
}

/** The same for a few routes. */
export function answersOf(routes: readonly Route[]): CheckAnswer {
  return describedAnswers(() => openApi(routes, VERSIONS));
}

interface Described {
  readonly headers?: Readonly<Record<string, unknown>>;
  readonly content?: Readonly<Record<string, unknown>>;
}

function makeChecker(document: OpenApi): CheckAnswer {
  // That the schemas are valid is tested once (tests/api/http/documents_test.ts). Validating them here,
  // and optimizing code that few answers go through, would be an eighth of the time of these tests.
  const ajv = new Ajv2020({
    strict: false,
    validateFormats: false,
    allErrors: true,
    meta: false,
    validateSchema: false,
    code: { optimize: false },
  });
  ajv.addSchema(closed(document) as object, "document");
  const validators = new Map<string, ValidateFunction>();
  const templates = Object.keys(document.paths).map((path) => ({
    path,
    pattern: new RegExp(`^${path.replaceAll(/[.]/g, "\\.").replaceAll(/\{\w+\}/g, "[^/]+")}$`),
  })).toSorted((a, b) => parametersIn(a.path) - parametersIn(b.path));
  const failsAt = (pointer: string, value: unknown): string | null => {
    let validate = validators.get(pointer);
    if (!validate) validators.set(pointer, validate = ajv.compile({ $ref: `document#${pointer}` }));
    return validate(value) ? null : ajv.errorsText(validate.errors);
  };
  return async (method, url, response) => {
    const { pathname, searchParams } = new URL(url, "http://localhost");
    const path = templates.find(({ pattern }) => pattern.test(pathname))?.path;
    const methods = path === undefined ? undefined : document.paths[path];
    const name = method === "HEAD" && !methods?.["head"] ? "get" : method.toLowerCase();
    const operation = methods?.[name];
    if (path === undefined || operation === undefined) return;
    const call = `${method} ${path} answered ${response.status}`;
    const found = operation.responses[response.status] as Described & { $ref?: string } | undefined;
    if (found === undefined) throw new Error(`${call}, which the API document does not name`);
    const pointer = found.$ref?.slice(1) ??
      `/paths/${escaped(path)}/${name}/responses/${response.status}`;
    const described = found.$ref === undefined
      ? found
      : document.components.responses[found.$ref.split("/").at(-1)!] as Described;
    for (const header of Object.keys(RESPONSE_HEADERS)) {
      if (response.headers.has(header) && described.headers?.[header] === undefined) {
        throw new Error(`${call} with ${header}, which the API document does not name`);
      }
    }
    const type = response.headers.get("content-type")?.split(";")[0];
    if (method === "HEAD" || type === undefined) return;
    if (described.content?.[type] === undefined) {
      throw new Error(`${call} as ${type}, which the API document does not name`);
    }
    if (!type.endsWith("json")) return;
    const text = await plainText(response.clone());
    if (text === "") return;
    const schema = `${pointer}/content/${escaped(type)}/schema`;
    const previewed = response.status === 200 && /^(true|1|)$/.test(flag(searchParams) ?? "no");
    const options =
      (described.content[type] as { schema: { anyOf?: readonly JsonSchema[] } }).schema.anyOf;
    const isEither = options?.at(-1)?.["$ref"] === "#/components/schemas/Preview";
    const fault = failsAt(
      previewed ? "/components/schemas/Preview" : isEither ? `${schema}/anyOf/0` : schema,
      JSON.parse(text),
    );
    if (fault === null) return;
    throw new Error(
      `${call} with what its schema does not take: ${fault.replaceAll("data/", "/")}\n${
        text.slice(0, 2000)
      }`,
    );
  };
}

async function plainText(response: Response): Promise<string> {
  if (response.headers.get("content-encoding") !== "gzip") return await response.text();
  return await new Response(response.body!.pipeThrough(new DecompressionStream("gzip"))).text();
}

function flag(query: URLSearchParams): string | undefined {
  return [...query].find(([name]) => name.toLowerCase() === "dryrun")?.[1];
}

function parametersIn(path: string): number {
  return path.split("{").length;
}

function escaped(word: string): string {
  return encodeURIComponent(word.replaceAll("~", "~0").replaceAll("/", "~1"));
}

/** A document whose objects have no field but those that are named, lest an answer tell too much. */
function closed(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(closed);
  if (value === null || typeof value !== "object") return value;
  const copy = Object.fromEntries(Object.entries(value).map(([key, part]) => [key, closed(part)]));
  if (copy["type"] === "object" && "properties" in copy && !("additionalProperties" in copy)) {
    copy["additionalProperties"] = false;
  }
  return copy;
}
