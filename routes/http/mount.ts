import type { Context, Env, Hono } from "hono";
import type { Config } from "../../system/config.ts";
import type { Caller, ChangeEngine } from "../../system/core/engine/change.ts";
import { Problem } from "../../system/core/errors/problem.ts";
import { empty, errorAnswer, json } from "./answer.ts";
import { jsonBody, validate } from "./body.ts";
import { decide, refuseOptions } from "./decide.ts";
import { type Call, decides, type Route, type RouteDescription } from "./route.ts";

/** What mounted routes need from outside. */
export interface MountOptions {
  readonly engine: ChangeEngine<Config>;
  /** Lets the caller in or throws Problem 401, 403; runs before anything of the request is read. */
  readonly authorize: (c: Context, route: RouteDescription) => Promise<Caller> | Caller;
  readonly log: (error: unknown) => void;
  /** Told of the addresses that a previewed change would give the router. */
  readonly foresee?: (addresses: readonly string[]) => void;
}

/**
 * Mounts routes on an app: authorises, validates parameters, query and body, and turns what the
 * handler gives into an answer. A path that exists but not with this method answers 405 with `Allow`.
 */
export function mount<E extends Env>(
  app: Hono<E>,
  routes: readonly Route[],
  options: MountOptions,
): void {
  const paths = Map.groupBy(routes, (route) => honoPath(route.description.path));
  for (const [path, siblings] of paths) {
    for (const sibling of siblings) {
      const { method } = sibling.description;
      if (method === "HEAD") continue;
      const head = method === "GET" &&
        siblings.find((other) => other.description.method === "HEAD");
      app.on(
        method,
        path,
        (c) => run(c, head && c.req.method === "HEAD" ? head : sibling, options),
      );
    }
    app.all(path, (c) => refuseMethod(c, siblings, options));
  }
}

async function run(c: Context, route: Route, options: MountOptions): Promise<Response> {
  try {
    const caller = await options.authorize(c, route.description);
    if (isWrite(route.description) && !decides(route.description)) refuseOptions(c);
    const call = await parse(c, route.description, caller, options);
    const { document, method } = route.description;
    // Taken in the same turn as the value: a change may come in while the handler is awaited.
    const tag = document !== undefined && method === "GET" ? options.engine.etag(document) : null;
    const answer = await route.handle(call);
    const response = answer instanceof Response
      ? answer
      : answer === undefined
      ? empty()
      : json(answer);
    if (tag !== null && !response.headers.has("etag")) response.headers.set("etag", tag);
    return response;
  } catch (error) {
    return errorAnswer(error, options.log);
  }
}

function isWrite({ method }: RouteDescription): boolean {
  return method !== "GET" && method !== "HEAD";
}

async function refuseMethod(
  c: Context,
  siblings: readonly Route[],
  options: MountOptions,
): Promise<Response> {
  try {
    await options.authorize(c, { ...siblings[0]!.description, access: "auth" });
    const methods = siblings.map(({ description }) => description.method);
    const allow = [...new Set(methods.flatMap((m) => m === "GET" ? ["GET", "HEAD"] : [m]))];
    throw new Problem(405, `${c.req.method} is not possible here; use ${allow.join(" or ")}`, {
      headers: { allow: allow.join(", ") },
    });
  } catch (error) {
    return errorAnswer(error, options.log);
  }
}

/** `/device/{identity}` as Hono writes it. */
export function honoPath(path: string): string {
  return path.replaceAll(/\{(\w+)\}/g, ":$1");
}

async function parse(
  c: Context,
  description: RouteDescription,
  caller: Caller,
  { engine, foresee }: MountOptions,
): Promise<Call<RouteDescription>> {
  const params = description.params && validate(description.params, c.req.param());
  const query = description.query && validate(description.query, queryOf(c, description.repeats));
  const body = description.body === undefined
    ? undefined
    : await jsonBody(c.req.raw, description.body, {
      optional: description.bodyOptional ?? false,
      ...(description.maxBody === undefined ? {} : { limit: description.maxBody }),
    });
  return {
    c,
    params,
    query,
    body,
    caller,
    decide: (command, answer) =>
      decide(c, engine, { caller, document: description.document, command, answer, foresee }),
  } as Call<RouteDescription>;
}

/** Query parameters; one that stands twice is refused rather than guessed at. */
function queryOf(c: Context, repeats: readonly string[] = []): Record<string, string | string[]> {
  const query: Record<string, string | string[]> = {};
  for (const [name, values] of Object.entries(c.req.queries())) {
    if (repeats.includes(name)) {
      query[name] = values;
      continue;
    }
    if (values.length > 1) {
      throw new Problem(400, `The query parameter ${name} stands more than once`);
    }
    query[name] = values[0]!;
  }
  return query;
}
