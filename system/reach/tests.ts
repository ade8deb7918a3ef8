import type { Config } from "../config.ts";
import type { Caller } from "../core/engine/change.ts";
import type { Desired } from "../core/kernel/desired.ts";
import { conflict, notFound, type Problem, sentence } from "../core/errors/problem.ts";
import { type PacketTracer, reach, type ReachState } from "./reach.ts";
import type { ReachAnswer, ReachTest, ReachTestResult } from "./schema.ts";

/** Most tests that are kept: each is judged at every write. */
const MAX_TESTS = 500;

function answer(test: ReachTest, state: ReachState, tracer: PacketTracer): ReachAnswer {
  const query = { from: test.From, to: test.To, protocol: test.Protocol, port: test.Port };
  return reach(query, state, tracer);
}

/** A refusal with an answer counts as a drop: nothing comes through. */
function passes(test: ReachTest, { verdict }: ReachAnswer): boolean {
  return (verdict === "accept") === (test.Expect === "accept");
}

/** Every test with whether it holds in this state. */
export function runTests(
  tests: readonly ReachTest[],
  state: ReachState,
  tracer: PacketTracer,
): readonly ReachTestResult[] {
  return tests.map((test) => {
    const found = answer(test, state, tracer);
    const { verdict, reason } = found;
    return { ...test, passes: passes(test, found), verdict, reason };
  });
}

/** What a test demands, and what is so instead. */
function expectation(test: ReachTest, found: ReachAnswer): string {
  const must = test.Expect === "accept" ? "must" : "must not";
  return `${found.from.name} ${must} reach ${found.to.name}; ${withinSentence(found)}`;
}

/** Why it is so as the end of a sentence: names and short words in capitals stay as they are. */
function withinSentence({ reason, from, to }: ReachAnswer): string {
  const named = [from.name, to.name].some((name) => reason.startsWith(name));
  return named || !/^[A-Z]([a-z]| )/.test(reason)
    ? reason
    : reason.charAt(0).toLowerCase() + reason.slice(1);
}

/** The tests that do not hold in this state, each with a sentence for people, by name. */
export function failingTests(
  tests: readonly ReachTest[],
  state: ReachState,
  tracer: PacketTracer,
): ReadonlyMap<string, string> {
  return new Map(
    tests.map((test) => ({ test, found: answer(test, state, tracer) }))
      .filter(({ test, found }) => !passes(test, found))
      .map(({ test, found }) => [
        test.Name,
        `The access test "${test.Name}" fails: ${expectation(test, found)}`,
      ]),
  );
}

/** A state with the tests that are kept for it. */
export interface TestedState extends ReachState {
  readonly config: Pick<Config, "devices" | "mesh" | "reachTests">;
}

/**
 * The refusal of a change that breaks a test which held before, or null. A test that the change
 * itself adds or edits is not broken by it.
 */
export function brokenTest(
  before: TestedState,
  after: TestedState,
  tracer: PacketTracer,
): Problem | null {
  const kept = new Set(after.config.reachTests.map((test) => JSON.stringify(test)));
  const broken = before.config.reachTests
    .filter((test) => kept.has(JSON.stringify(test)))
    .map((test) => ({ test, now: answer(test, after, tracer) }))
    .filter(({ test, now }) => !passes(test, now) && passes(test, answer(test, before, tracer)));
  const [first, ...others] = broken;
  if (first === undefined) return null;
  const more = others.length === 0
    ? ""
    : `, and ${others.length} ${others.length === 1 ? "other test" : "other tests"} as well`;
  return conflict(
    `This would break the access test "${first.test.Name}": ${
      expectation(first.test, first.now)
    }${more}. ` +
      "Confirm it within a window, or force it",
    {
      refusal: "guard",
      test: first.test.Name,
      rule: first.now.rules.find((rule) => rule.decides) ?? null,
      tests: broken.map(({ test, now }) => ({ name: test.Name, text: expectation(test, now) })),
    },
  );
}

/** Adds a test, or replaces the one of its name. Throws Problem 409 when there are too many. */
export function setTest(config: Config, test: ReachTest): [Config, void] {
  const index = config.reachTests.findIndex(({ Name }) => Name === test.Name);
  const old = config.reachTests[index];
  if (old && JSON.stringify(old) === JSON.stringify(test)) return [config, undefined];
  if (!old && config.reachTests.length >= MAX_TESTS) {
    throw conflict(
      sentence("There are {limit} tests already; delete one first", { limit: MAX_TESTS }),
    );
  }
  const reachTests = old ? config.reachTests.with(index, test) : [...config.reachTests, test];
  return [{ ...config, reachTests }, undefined];
}

/** Takes a test away. Throws Problem 404. */
export function deleteTest(config: Config, name: string): [Config, void] {
  const reachTests = config.reachTests.filter(({ Name }) => Name !== name);
  if (reachTests.length === config.reachTests.length) {
    throw notFound(`There is no test ${JSON.stringify(name)}`);
  }
  return [{ ...config, reachTests }, undefined];
}

/** Holds every write to the tests, as a guard of the engine. */
export function reachGuard(
  before: TestedState["config"],
  after: TestedState["config"],
  _caller: Caller,
  states: {
    readonly planner: PacketTracer;
    before(): Desired;
    after(): Desired;
  },
): Problem | null {
  if (before.reachTests.length === 0) return null;
  return brokenTest(
    { config: before, desired: states.before() },
    { config: after, desired: states.after() },
    states.planner,
  );
}
