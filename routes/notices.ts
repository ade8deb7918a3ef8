import type { Config } from "../system/config.ts";
import { decideNewDevice, NEW_DEVICE, newDeviceSummary } from "../system/alerts/new_devices.ts";
import { conflict } from "../system/core/errors/problem.ts";
import type { ChangeEngine } from "../system/core/engine/change.ts";
import type { Notices } from "../system/notices/board.ts";
import {
  NoticeAct,
  NoticeId,
  NoticeList,
  NoticeQuery,
  NoticeSnooze,
} from "../system/notices/schema.ts";
import { type Route, route } from "./http/route.ts";

/** What the routes of notices need from outside. */
export interface NoticesDeps {
  readonly engine: Pick<ChangeEngine<Config>, "config">;
  readonly notices: Pick<Notices, "list" | "get" | "resolve" | "reopen" | "snooze">;
  /** Unix milliseconds by the trusted clock. */
  readonly counted: () => number;
}

/** Notices that need attention. */
export function noticesRoutes({ engine, notices, counted }: NoticesDeps): Route[] {
  const common = { tag: "Notices", access: "auth" } as const;
  return [
    route({
      method: "GET",
      path: "/notices",
      compresses: true,
      ...common,
      summary: "Notices, newest first",
      description:
        "What needs attention. A problem that recurs is one notice with a higher `count`. Resolved " +
        "and snoozed ones are listed with `all=true`.",
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
    route({
      method: "PUT",
      path: "/notices/{id}/reopen",
      ...common,
      summary: "Reopen a notice",
      description: "Takes back that the notice was resolved. An open notice stays as it is.",
      examples: { parameters: { id: "0f9c2c1e-6a51-4f0e-9d3b-5a1c7e2d4b60" } },
      params: NoticeId,
      errors: [404],
    }, async ({ params }) => {
      await notices.reopen(params.id);
    }),
    route({
      method: "PUT",
      path: "/notices/{id}/snooze",
      ...common,
      summary: "Snooze a notice",
      description:
        "Leaves the notice out of the list for so many minutes; 0 lists it again at once. What it is " +
        "about goes on.",
      examples: {
        parameters: { id: "0f9c2c1e-6a51-4f0e-9d3b-5a1c7e2d4b60" },
        body: { Minutes: 1440 },
      },
      params: NoticeId,
      body: NoticeSnooze,
      errors: [404],
    }, async ({ params, body }) => {
      await notices.snooze(params.id, body.Minutes * 60_000);
    }),
    route({
      method: "PUT",
      path: "/notices/{id}/act/{act}",
      ...common,
      document: "devices",
      summary: "Decide about a new device",
      description:
        "For a notice of the kind `new-device`: `allow` gives the device Internet and DNS, " +
        "`guest` the same for a day, `block` blocks it. The notice is resolved with it. A notice that is " +
        "resolved already, or of another kind, is refused with 409.",
      examples: { parameters: { id: "0f9c2c1e-6a51-4f0e-9d3b-5a1c7e2d4b60", act: "allow" } },
      params: NoticeAct,
      errors: [404, 409, 412],
    }, async (call) => {
      const { id, act } = call.params;
      const { kind, data, resolvedAt } = await notices.get(id);
      if (kind !== NEW_DEVICE) throw conflict("This notice is not about a new device");
      if (resolvedAt !== null) throw conflict("This device was already allowed or blocked");
      const identity = String(data["identity"]);
      return await call.decide({
        kind: "device.decide",
        summary: newDeviceSummary(engine.config, identity, act),
        reduce: (
          config,
        ) => [
          decideNewDevice(config, identity, { act, now: Math.floor(counted() / 1000) }),
          undefined,
        ],
      });
    }),
  ];
}
