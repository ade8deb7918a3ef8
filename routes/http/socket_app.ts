import { Hono } from "hono";
import { notFound } from "../../system/core/errors/problem.ts";
import { problemAnswer } from "./answer.ts";
import { mount, type MountOptions } from "./mount.ts";
import { redirectTo, registeredPaths } from "./registered_path.ts";
import type { Route } from "./route.ts";

/** What an internal socket needs beside its routes. */
export interface SocketAppOptions extends Pick<MountOptions, "engine" | "log"> {
  /** Who calls, in the words of the change history. */
  readonly by: string;
}

/** An app for an internal socket: file permissions control access; no credentials are checked. */
export function socketApp(routes: readonly Route[], options: SocketAppOptions): Hono {
  const app = new Hono();
  const caller = { by: options.by, from: null, connection: null };
  mount(app, routes, { ...options, authorize: () => caller });
  const registered = registeredPaths(routes);
  app.notFound((c) => {
    const meant = registered(c.req.url);
    if (meant !== null) return redirectTo(c, meant.path);
    return problemAnswer(notFound("There is nothing at this path of this socket"));
  });
  return app;
}
