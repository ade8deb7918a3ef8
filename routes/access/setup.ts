import { z } from "zod";
import type { Access } from "../../system/access/open.ts";
import { type Route, route } from "../http/route.ts";

/** Whether anyone is at home, and whether setup is still to be made. */
export function setupRoutes(access: Access): Route[] {
  return [
    route({
      method: "GET",
      path: "/status",
      summary: "Say that the API answers",
      tag: "Access",
      access: "auth",
      response: z.string(),
    }, () => "Online"),
    route({
      method: "GET",
      path: "/setup",
      summary: "Say whether setup is still to be made",
      tag: "Access",
      access: "public",
      response: z.object({ status: z.string() }),
      errors: [400],
    }, () =>
      access.setup.isOpen
        ? { status: "ok" }
        // Existing clients show this text as it is.
        : new Response("setup already done\n", {
          status: 400,
          headers: { "content-type": "text/plain; charset=utf-8" },
        })),
  ];
}
