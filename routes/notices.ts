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
      summary: "What needs someone, newest first",
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
      summary: "Close a notice",
      params: NoticeId,
      errors: [404],
    }, async ({ params, caller }) => {
      await notices.resolve(params.id, caller.by);
    }),
  ];
}
