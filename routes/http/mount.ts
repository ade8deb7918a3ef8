import type { Context, Env, Handler, Hono } from "hono";
import type { Config } from "../../system/config.ts";
import type { Caller, ChangeEngine, Command } from "../../system/core/engine/change.ts";
import { Problem } from "../../system/core/errors/problem.ts";
import type { RequestStage } from "../../system/metrics/tallies.ts";
import { answerOf, errorAnswer } from "./answer.ts";
import { compressed } from "./compression.ts";
import { inTurns } from "../../system/core/time/slices.ts";
import { decide, refuseOptions } from "./decide.ts";
import { type Call, decides, isWrite, type Route, type RouteDescription } from "./route.ts";
import { validators } from "./validation.ts";

/** Dependencies of {@link mount}. */
export interface MountOptions {
  /** Decides and tags documents; absent where no route does. */
  readonly engine?: ChangeEngine<Config> | undefined;
  /** Lets the caller in or throws Problem 401, 403; runs before anything of the request is read. */
  readonly authorize: (c: Context, route: RouteDescription) => Promise<Caller> | Caller;
  readonly log: (error: unknown) => void;
  /** Receives the addresses that a previewed change would give the router. */
  readonly foresee?: (addresses: readonly string[]) => void;
  /** Receives how many milliseconds each stage of a request took. */
  readonly took?: (stage: RequestStage, milliseconds: number) => void;
}

/** Where the caller of a request is kept once it was let in. */
const CALLER = "caller";
/** Where it is kept when that was, by `performance.now()`. */
const AUTHORIZED = "authorized";

/**
 * Mounts routes on an app: each authorises, validates parameters, query, headers and body, and turns
 * what its handler gives into an answer; whatever is thrown becomes a problem document. A path that
 * exists but not with this method answers 405 with `Allow`.
 */
export function mount<E extends Env>(
  app: Hono<E>,
  routes: readonly Route[],
  options: MountOptions,
): void {
  app.onError((error) => errorAnswer(error, options.log));
  const paths = Map.groupBy(routes, (route) => honoPath(route.description.path));
  for (const [path, siblings] of paths) {
    // Hono takes a HEAD for a GET, so what differs must stand ahead of that.
    const inOrder = siblings.toSorted((a, b) => Number(isHead(b)) - Number(isHead(a)));
    for (const sibling of inOrder) {
      const handlers = handlersOf(sibling, options);
      if (isHead(sibling)) app.on("GET", [path], ...handlers.map(forHead));
      else app.on(sibling.description.method, [path], ...handlers);
    }
    app.all(path, (c) => refuseMethod(c, siblings, options));
  }
}

function isHead({ description }: Route): boolean {
  return description.method === "HEAD";
}

function forHead(handler: Handler): Handler {
  return (c, next) => c.req.method === "HEAD" ? handler(c, next) : next();
}

function handlersOf({ description, handle }: Route, options: MountOptions): readonly Handler[] {
  const { engine, authorize, foresee, took = (): void => {} } = options;
  const { document, alsoWrites, method } = description;
  const atOnce = isWrite(description) && !decides(description);
  return [
    async (c, next) => {
      const began = performance.now();
      c.set(CALLER, await authorize(c, description));
      if (atOnce) refuseOptions(c);
      const authorized = performance.now();
      took("authorized", authorized - began);
      c.set(AUTHORIZED, authorized);
      await next();
    },
    ...validators(description),
    async (c) => {
      const caller: Caller = c.get(CALLER);
      const valid = performance.now();
      took("validated", valid - c.get(AUTHORIZED));
      const isTagged = document !== undefined && method === "GET" && engine !== undefined;
      if (isTagged) await inTurns(engine.prepareTag(document));
      // Taken in the same turn as the value: a change may come in while the handler is awaited.
      const tag = isTagged ? engine.etag(document) : null;
      const response = await answerOf(
        await handle({
          c,
          params: validated(c, "param"),
          query: validated(c, "query"),
          headers: validated(c, "header"),
          body: validated(c, "json"),
          caller,
          decide: (command: Command<Config, unknown>, answer?: (result: unknown) => unknown) =>
            decide(c, engine!, { caller, document, alsoWrites, command, answer, foresee }),
        } as Call<RouteDescription>),
      );
      if (tag !== null && !response.headers.has("etag")) response.headers.set("etag", tag);
      took("handled", performance.now() - valid);
      return description.compresses ? await compressed(c, response) : response;
    },
  ];
}

function validated(c: Context, target: "param" | "query" | "header" | "json"): unknown {
  return c.req.valid(target as never);
}

async function refuseMethod(
  c: Context,
  siblings: readonly Route[],
  options: MountOptions,
): Promise<Response> {
  await options.authorize(c, { ...siblings[0]!.description, access: "auth" });
  const methods = siblings.map(({ description }) => description.method);
  const allow = [...new Set(methods.flatMap((m) => m === "GET" ? ["GET", "HEAD"] : [m]))];
  throw new Problem(405, `${c.req.method} is not possible here; use ${allow.join(" or ")}`, {
    headers: { allow: allow.join(", ") },
  });
}

/** `/device/{identity}` as Hono writes it. */
function honoPath(path: string): string {
  return path.replaceAll(/\{(\w+)\}/g, ":$1");
}
