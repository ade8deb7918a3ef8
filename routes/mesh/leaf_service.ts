import * as z from "zod";
import { notFound, Problem } from "../../system/core/errors/problem.ts";
import { LogEntry } from "../../system/machine/logs/schema.ts";
import { leafOf } from "../../system/mesh/rules.ts";
import { type LeafRouter, LeafRouterRequest } from "../../system/mesh/schema.ts";
import { LeafLogQuery, LeafUpdateAnswer } from "../../system/mesh/status_schema.ts";
import { flag, refuseOptions } from "../http/decide.ts";
import { type Route, route } from "../http/route.ts";
import type { MeshDeps } from "./deps.ts";
import { callRouter } from "./leaf_calls.ts";
import { previewEffects } from "./previews.ts";

/** Logs and update of leaf routers, at their parent. */
export function leafServiceRoutes({ engine, mesh }: MeshDeps): Route[] {
  const common = { tag: "Mesh", access: "auth", errors: [404, 502, 503] } as const;

  function stored(address: string): LeafRouter {
    const leaf = leafOf(engine.config.mesh, address);
    if (leaf === null) throw notFound(`No leaf router has the address ${address}`);
    return leaf;
  }

  return [
    route({
      ...common,
      method: "GET",
      path: "/plugins/mesh/leafLogs",
      summary: "Log entries of a leaf router, newest first",
      description:
        "As `GET /logs` of the leaf, which keeps them. A leaf that joined an earlier version refuses this " +
        "until its token is replaced (`PUT /plugins/mesh/rotateToken`).",
      examples: {
        parameters: {
          IP: "192.168.2.6",
          limit: "100",
          before: "1767225600000000",
          since: "1767139200000000",
          process: "wifid",
          level: "warn",
          text: "station",
        },
      },
      query: LeafLogQuery,
      response: z.array(LogEntry),
    }, async ({ query: { IP, ...query } }) => {
      const sent = new URLSearchParams(
        Object.entries(query).flatMap(([name, value]) =>
          value === undefined ? [] : [[name, String(value)]]
        ),
      );
      const { Body } = await callRouter(mesh.service, stored(IP), {
        ...{ Method: "GET", Path: `/logs?${sent}` },
      });
      const entries = z.array(LogEntry).safeParse(parsed(Body));
      if (!entries.success) throw new Problem(502, `The leaf router ${IP} sent no log entries`);
      return entries.data;
    }),
    route({
      ...common,
      method: "PUT",
      path: "/plugins/mesh/updateLeaf",
      summary: "Request an update of a leaf router",
      description:
        "As `PUT /update` of the leaf. Where its release has to be installed by hand, `Text` says how, " +
        "and a notice of the leaf says the same.",
      body: LeafRouterRequest.pick({ IP: true }),
      decides: true,
      response: LeafUpdateAnswer,
    }, async ({ c, body, caller }) => {
      const leaf = stored(body.IP);
      if (flag(c, "dryRun")) {
        return await previewEffects(engine, { c, caller }, [
          `The leaf router ${leaf.IP} is asked to run the release that is selected there`,
        ]);
      }
      refuseOptions(c);
      const { Body } = await callRouter(mesh.service, leaf, { Method: "PUT", Path: "/update" });
      mesh.refresh();
      return { IP: leaf.IP, Text: Body.trim().slice(0, 2000) };
    }),
  ];
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
