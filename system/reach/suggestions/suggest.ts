import type { Config } from "../../config.ts";
import type { Command, Planner } from "../../core/engine/change.ts";
import type { Desired } from "../../core/kernel/desired.ts";
import { Problem } from "../../core/errors/problem.ts";
import type { ChangeCandidate } from "./candidate.ts";
import { changeCandidates } from "./device_candidates.ts";
import type { ReachSuggestion } from "./suggestion_schema.ts";
import { reach } from "../reach.ts";
import type { ReachAnswer, ReachQuery } from "../schema.ts";

/** Suggestions listed for one answer. */
const MAX_SUGGESTIONS = 5;
/** Ways that are tried, at most. */
const MAX_CANDIDATES = 40;

/** What ways are tried on. */
export interface SuggestionState {
  readonly config: Config;
  readonly desired: Desired;
  readonly planner: Pick<Planner<Config>, "trace" | "firstPacket" | "accessChangeSteps">;
  /** What a command would lead to; throws Problem where it would be refused. */
  foresee(
    command: Command<Config, unknown>,
  ): { readonly config: Config; readonly desired: Desired };
}

/**
 * Changes that reverse the answer, least access first. Each was planned whole and tested again: what
 * is suggested holds for the configuration of the state. Yields after each that was tried.
 */
export function* suggestionSteps(
  query: ReachQuery,
  answer: ReachAnswer,
  state: SuggestionState,
): Generator<void, ReachSuggestion[]> {
  const found: ReachSuggestion[] = [];
  const candidates = changeCandidates({ query, answer, config: state.config });
  for (const candidate of candidates.slice(0, MAX_CANDIDATES)) {
    yield;
    found.push(...yield* evaluate(candidate, { query, answer, state }));
  }
  return found.sort((a, b) => a.allows + a.denies - b.allows - b.denies)
    .slice(0, MAX_SUGGESTIONS);
}

function* evaluate(
  candidate: ChangeCandidate,
  context: {
    readonly query: ReachQuery;
    readonly answer: ReachAnswer;
    readonly state: SuggestionState;
  },
): Generator<void, readonly ReachSuggestion[]> {
  const { query, answer, state } = context;
  const { reduce, ...write } = candidate;
  let next: ReturnType<SuggestionState["foresee"]>;
  try {
    next = state.foresee({ kind: "reach.flip", summary: write.summary, reduce });
  } catch (error) {
    if (error instanceof Problem) return [];
    throw error;
  }
  const question = { ...query, to: write.to ?? query.to };
  const { verdict, rules } = reach(question, next, state.planner);
  const leads = write.to === undefined || rules.some(({ outcome }) => outcome === "translate");
  if ((verdict === "accept") === (answer.verdict === "accept") || !leads) return [];
  const { allowed, denied, more } = yield* state.planner.accessChangeSteps({
    before: state.desired,
    after: next.desired,
    config: state.config,
    next: next.config,
  });
  const [allows, denies] = answer.verdict === "accept"
    ? [allowed.length, Math.max(1, denied.length + more)]
    : [Math.max(1, allowed.length + more), denied.length];
  return [{
    ...write,
    allows,
    denies,
    sideEffects: sideEffectsOf(allows, denies, answer.verdict === "accept"),
  }];
}

/** What changes besides the tested connection. */
function sideEffectsOf(allows: number, denies: number, isDenying: boolean): string {
  const [further, reverse] = isDenying ? [denies - 1, allows] : [allows - 1, denies];
  const [verb, other] = isDenying ? ["blocks", "allows"] : ["allows", "blocks"];
  const parts = [
    ...(further > 0
      ? [`${verb} ${further} other ${further === 1 ? "connection" : "connections"}`]
      : []),
    ...(reverse > 0 ? [`${other} ${reverse}`] : []),
  ];
  return parts.join(", ") || "nothing else";
}
