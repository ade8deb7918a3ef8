import { z } from "zod";
import type { Config } from "../system/config.ts";
import type { Engine } from "../system/core/engine/engine.ts";
import { notFound } from "../system/core/errors/problem.ts";
import { suggestChanges } from "../system/reach/suggestions/suggest.ts";
import { reachMatrix } from "../system/reach/matrix.ts";
import { MatrixQuery, ReachMatrix } from "../system/reach/matrix_schema.ts";
import { reach } from "../system/reach/reach.ts";
import {
  ReachAnswer,
  ReachQuery,
  ReachTest,
  ReachTestName,
  ReachTestResult,
  SuggestOption,
} from "../system/reach/schema.ts";
import { deleteTest, runTests, setTest } from "../system/reach/tests.ts";
import { type Route, route } from "./http/route.ts";

/** What the routes of reach need from outside. */
export interface ReachDeps {
  readonly engine: Pick<Engine<Config>, "config" | "desired" | "planner" | "foresee">;
}

/** "Can A reach B?", and the tests that every write is held to. */
export function reachRoutes({ engine }: ReachDeps): Route[] {
  const common = { tag: "Reach", access: "auth" } as const;
  const tests = { ...common, path: "/reach/tests", document: "reachTests" } as const;
  return [
    route({
      method: "GET",
      path: "/reach",
      ...common,
      summary: "Whether one end may open a connection to another, with the rules in words",
      query: ReachQuery.safeExtend(SuggestOption.shape),
      response: ReachAnswer,
      errors: [400],
    }, ({ query: { suggest, ...query } }) => {
      const answer = reach(query, engine, engine.planner);
      return suggest === "true"
        ? { ...answer, suggestions: suggestChanges(query, answer, engine) }
        : answer;
    }),
    route({
      method: "GET",
      path: "/reach/matrix",
      ...common,
      summary: "Who reaches whom among devices, the Internet and the router, alike ones together",
      query: MatrixQuery,
      response: ReachMatrix,
      errors: [404],
    }, ({ query }) => {
      const { devices } = engine.config;
      const unknown = query.ids.find((id) => !Object.hasOwn(devices, id));
      if (unknown !== undefined) throw notFound(`There is no device ${unknown.slice(0, 100)}`);
      const ids = query.ids.length > 0 ? [...new Set(query.ids)] : Object.keys(devices);
      return reachMatrix(ids, engine, engine.planner);
    }),
    route({
      method: "GET",
      ...tests,
      summary: "The tests of what must and must not reach what, and whether each holds",
      response: z.array(ReachTestResult),
    }, () => runTests(engine.config.reachTests, engine, engine.planner)),
    route({
      method: "PUT",
      ...tests,
      summary: "Add a test, or replace the one of this name",
      body: ReachTest,
      errors: [409, 412],
    }, (call) =>
      call.decide({
        kind: "reach.test.set",
        summary: `Set the test ${call.body.Name}`,
        reduce: (config) => setTest(config, call.body),
      })),
    route({
      method: "DELETE",
      ...tests,
      summary: "Delete a test",
      body: ReachTestName,
      errors: [404, 409, 412],
    }, (call) =>
      call.decide({
        kind: "reach.test.delete",
        summary: `Delete the test ${call.body.Name}`,
        reduce: (config) => deleteTest(config, call.body.Name),
      })),
  ];
}
