import type { Notices } from "../system/notices/board.ts";
import { NoticeId, NoticeList, NoticeQuery } from "../system/notices/schema.ts";
import { type Route, route } from "./http/route.ts";

/** What the routes of notices need from outside. */
export interface NoticesDeps {
  readonly notices: Pick<Notices, "list" | "resolve">;
}

/** Notices that need attention. */
export function noticesRoutes({ notices }: NoticesDeps): Route[] {
  const common = { tag: "Notices", access: "auth" } as const;
  return [
    route({
      method: "GET",
      path: "/notices",
      ...common,
      summary: "Notices, newest first",
      description:
        "What needs attention. A problem that recurs is one notice with a higher `count`. Resolved " +
        "ones are listed with `all=true`.",
      examples: { parameters: { after: "0f9c2c1e-6a51-4f0e-9d3b-5a1c7e2d4b60", all: "true" } },
      query: NoticeQuery,
      response: NoticeList,
      errors: [400, 404],
    }, ({ query }) => {
      const { limit, after, all } = query;
      return notices.list({
        limit,
        all: all === "true",
        ...(after === undefined ? {} : { after }),
      });
    }),
    route({
      method: "PUT",
      path: "/notices/{id}/resolve",
      ...common,
      summary: "Resolve a notice",
      description:
        "Marks the notice as resolved. A condition that is found again opens a new notice.",
      examples: { parameters: { id: "0f9c2c1e-6a51-4f0e-9d3b-5a1c7e2d4b60" } },
      params: NoticeId,
      errors: [404],
    }, async ({ params, caller }) => {
      await notices.resolve(params.id, caller.by);
    }),
  ];
}
