import type { Config } from "../config.ts";
import type { Command, Planner } from "../core/engine/change.ts";
import type { Desired } from "../core/kernel/host.ts";
import { Problem } from "../core/errors/problem.ts";
import type { FlipCandidate } from "./flip_candidate.ts";
import { flipCandidates } from "./flip_candidates.ts";
import type { ReachFlipWrite } from "./flip_schema.ts";
import { reach } from "./reach.ts";
import type { ReachAnswer, ReachQuery } from "./schema.ts";

/** Ways to turn an answer round that are told, at most. */
const TOLD = 5;
/** Ways that are tried, at most. */
const TRIED = 40;

/** What ways are tried on. */
export interface FlipState {
  readonly config: Config;
  readonly desired: Desired;
  readonly planner: Pick<Planner<Config>, "judge" | "packet" | "flips">;
  /** What a command would lead to; throws Problem where it would be refused. */
  foresee(
    command: Command<Config, unknown>,
  ): { readonly config: Config; readonly desired: Desired };
}

/**
 * Writes that turn the answer round, the narrowest first. Each was planned whole and asked again: what
 * is told is true of the configuration as it stands.
 */
export function flipWrites(
  query: ReachQuery,
  answer: ReachAnswer,
  state: FlipState,
): ReachFlipWrite[] {
  return flipCandidates({ query, answer, config: state.config }).slice(0, TRIED)
    .flatMap((candidate) => tried(candidate, { query, answer, state }))
    .sort((a, b) => a.opens + a.closes - b.opens - b.closes)
    .slice(0, TOLD);
}

function tried(
  candidate: FlipCandidate,
  context: {
    readonly query: ReachQuery;
    readonly answer: ReachAnswer;
    readonly state: FlipState;
  },
): readonly ReachFlipWrite[] {
  const { query, answer, state } = context;
  const { reduce, ...write } = candidate;
  let next: ReturnType<FlipState["foresee"]>;
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
  const { gains, losses, more } = state.planner.flips(
    state.desired,
    next.desired,
    state.config,
    next.config,
  );
  const [opens, closes] = answer.verdict === "accept"
    ? [gains.length, Math.max(1, losses.length + more)]
    : [Math.max(1, gains.length + more), losses.length];
  return [{ ...write, opens, closes, cost: costOf(opens, closes, answer.verdict === "accept") }];
}

/** What is changed beside the one answer that was asked for. */
function costOf(opens: number, closes: number, isClosing: boolean): string {
  const [further, reverse] = isClosing ? [closes - 1, opens] : [opens - 1, closes];
  const [verb, other] = isClosing ? ["closes", "opens"] : ["opens", "closes"];
  const parts = [
    ...(further > 0 ? [`${verb} ${further} more ${further === 1 ? "way" : "ways"}`] : []),
    ...(reverse > 0 ? [`${other} ${reverse}`] : []),
  ];
  return parts.join(", ") || "nothing else";
}
