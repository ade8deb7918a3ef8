import { Hono } from "hono";
import { answersOf } from "./described_answers.ts";
import { mount } from "../../routes/http/mount.ts";
import type { Route } from "../../routes/http/route.ts";
import type { Config } from "../../system/config.ts";
import type { ChangeEngine } from "../../system/core/engine/change.ts";

/** What a call of a plain app gave. */
export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  // deno-lint-ignore no-explicit-any -- a test knows the shape it asks for
  readonly json: any;
}

/** Calls an app: `call("PUT", "/groups", {Name: "kids"})`. */
export type CallApp = (
  method: string,
  path: string,
  body?: unknown,
  headers?: Record<string, string>,
) => Promise<Answer>;

/** Mounts routes without any authentication; each answer is held to the API document of the routes. */
export function plainApp(engine: ChangeEngine<Config>, routes: readonly Route[]): CallApp {
  const app = new Hono();
  const check = answersOf(routes);
  mount(app, routes, {
    engine,
    authorize: () => ({ by: "admin", from: null, connection: null }),
    log: (error) => {
      throw error;
    },
  });
  return async (method, path, body, headers = {}) => {
    const response = await app.request(path, {
      method,
      headers: {
        ...(body === undefined ? {} : { "content-type": "application/json" }),
        ...headers,
      },
      ...(body === undefined
        ? {}
        : { body: typeof body === "string" ? body : JSON.stringify(body) }),
    });
    await check(method, path, response);
    const text = await response.text();
    return {
      status: response.status,
      headers: response.headers,
      text,
      json: text.startsWith("{") || text.startsWith("[") || text.trim() === "true" ||
          text.trim() === "false"
        ? JSON.parse(text)
        : undefined,
    };
  };
}
