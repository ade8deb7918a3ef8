import * as z from "zod";
import type { Config } from "../system/config.ts";
import type { Engine } from "../system/core/engine/engine.ts";
import { memo } from "../system/core/config/memo.ts";
import { inSlices, SharedWork } from "../system/core/time/slices.ts";
import { notFound } from "../system/core/errors/problem.ts";
import { type SuggestionState, suggestionSteps } from "../system/reach/suggestions/suggest.ts";
import type { CellAnswer } from "../system/reach/cell_answers.ts";
import { reachMatrixSteps } from "../system/reach/matrix.ts";
import { MatrixQuery, ReachMatrix } from "../system/reach/matrix_schema.ts";
import { PairMemory } from "../system/reach/pair_answers.ts";
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
import { jsonText } from "./http/answer.ts";
import { type Route, route } from "./http/route.ts";

/** What the routes of reach need from outside. */
export interface ReachDeps {
  readonly engine: Pick<
    Engine<Config>,
    "config" | "observed" | "desired" | "planner" | "foresee"
  >;
}

/** The answer with its suggestions, all of them about the configuration of this moment. */
async function suggested(
  query: ReachQuery,
  engine: ReachDeps["engine"],
  signal: AbortSignal,
): Promise<ReachAnswer> {
  const { config, observed, desired, planner } = engine;
  const state: SuggestionState = {
    ...{ config, desired, planner },
    foresee: (command) => engine.foresee(command, { config, observed, desired }),
  };
  const answer = reach(query, state, planner);
  return {
    ...answer,
    suggestions: await inSlices(suggestionSteps(query, answer, state), { signal }),
  };
}

/** Rows of a matrix that become text without a pause. */
const ROWS_PER_STEP = 50;

/** A matrix as the text of its JSON, in small steps: a thousand devices have a million cells. */
function* matrixText(matrix: Generator<void, ReachMatrix>): Generator<void, string> {
  const { cells, ...named } = yield* matrix;
  const rows: string[] = [];
  for (const row of cells) if (rows.push(JSON.stringify(row)) % ROWS_PER_STEP === 0) yield;
  return `${JSON.stringify(named).slice(0, -1)},"cells":[${rows.join(",")}]}`;
}

/** "Can A reach B?", and the tests that every write is held to. */
export function reachRoutes({ engine }: ReachDeps): Route[] {
  const matrices = new SharedWork<string>();
  // Whose answers a matrix is of: those who ask while it is computed share it.
  const stateOf = memo((..._parts: readonly unknown[]) => ({}));
  const memory = new PairMemory<CellAnswer>();
  const common = { tag: "Reach", access: "auth" } as const;
  const tests = { ...common, path: "/reach/tests", document: "reachTests" } as const;
  return [
    route(
      {
        method: "GET",
        path: "/reach",
        ...common,
        summary: "Test access between two ends",
        description:
          "Evaluates the ruleset for one connection and returns the verdict with every rule on the " +
          "path. An end is an identity, an IP address, `internet` or `router`. `suggest=true` adds " +
          "changes that would turn the verdict, least access first.",
        examples: {
          parameters: { from: "02:00:00:00:0a:01", to: "internet", protocol: "tcp", port: "443" },
        },
        query: ReachQuery.safeExtend(SuggestOption.shape),
        response: ReachAnswer,
        errors: [400],
      },
      async ({ query: { suggest, ...query }, c }) =>
        suggest === "true"
          ? await suggested(query, engine, c.req.raw.signal)
          : reach(query, engine, engine.planner),
    ),
    route({
      method: "GET",
      path: "/reach/matrix",
      compresses: true,
      ...common,
      summary: "Access matrix",
      description:
        "Devices with identical access share a class. `cells[from][to]` is an index of `answers`, " +
        "or -1 where there is no other member.",
      query: MatrixQuery,
      response: ReachMatrix,
      errors: [404],
    }, async ({ query, c }) => {
      const { config, desired } = engine;
      const { devices } = config;
      const unknown = query.ids.find((id) => !Object.hasOwn(devices, id));
      if (unknown !== undefined) throw notFound(`There is no device ${unknown.slice(0, 100)}`);
      const ids = query.ids.length > 0 ? [...new Set(query.ids)] : Object.keys(devices);
      // The configuration does not move while it is looked at, and a change has another ruleset.
      const state = stateOf(desired, engine.planner.traceBasis?.());
      const text = await matrices.run(state, ids.join(","), {
        signal: c.req.raw.signal,
        steps: () =>
          matrixText(
            reachMatrixSteps(ids, { config, desired }, { tracer: engine.planner, memory }),
          ),
      });
      return jsonText(text);
    }),
    route({
      method: "GET",
      ...tests,
      summary: "Access tests with their current results",
      description:
        'Access tests are requirements such as "guests must not reach the printer". Every change is ' +
        "checked against them before it is applied.",
      response: z.array(ReachTestResult),
    }, () => runTests(engine.config.reachTests, engine, engine.planner)),
    route({
      method: "PUT",
      ...tests,
      summary: "Add or replace an access test",
      description:
        "The test is known by `Name`. A change that breaks a test is refused with 409 unless " +
        "forced.",
      body: ReachTest,
      errors: [409, 412],
    }, (call) =>
      call.decide({
        kind: "reach.test.set",
        summary: `Saved access test ${call.body.Name}`,
        reduce: (config) => setTest(config, call.body),
      })),
    route({
      method: "DELETE",
      ...tests,
      summary: "Delete an access test",
      description:
        "Deletes the access test with this name; later changes are no longer checked against it.",
      body: ReachTestName,
      errors: [404, 409, 412],
    }, (call) =>
      call.decide({
        kind: "reach.test.delete",
        summary: `Deleted access test ${call.body.Name}`,
        reduce: (config) => deleteTest(config, call.body.Name),
      })),
  ];
}
