import type { WanConfig } from "../schema.ts";
import type { WanSample } from "../status_schema.ts";

/** Rounds that are kept. */
export const WINDOW = 60;
/** Rounds that a status summarises. */
const SHOWN = 12;

/** Results of the health checks of one uplink. */
export interface Health {
  /** Milliseconds of the last rounds, newest last; null for no reply. */
  readonly rounds: readonly (number | null)[];
  /** Consecutive rounds that failed, or succeeded. */
  readonly row: { readonly answered: boolean; readonly length: number };
  /** There was a reply once: only then does silence mean down. */
  readonly spoke: boolean;
  readonly dead: boolean;
}

/** No health check yet. */
export const UNKNOWN: Health = {
  rounds: [],
  row: { answered: true, length: 0 },
  spoke: false,
  dead: false,
};

/**
 * The health after another round. An uplink that never replied is down only where an admin set probe
 * targets: many gateways never reply.
 */
export function afterRound(
  health: Health,
  latency: number | null,
  config: Pick<WanConfig, "FailThreshold" | "RecoverThreshold" | "ProbeTargets">,
): Health {
  const answered = latency !== null;
  const length = health.row.answered === answered ? health.row.length + 1 : 1;
  const spoke = health.spoke || answered;
  const tells = spoke || config.ProbeTargets.length > 0;
  const dead = health.dead
    ? !(answered && length >= config.RecoverThreshold)
    : tells && !answered && length >= config.FailThreshold;
  return {
    rounds: [...health.rounds, latency].slice(-WINDOW),
    row: { answered, length },
    spoke,
    dead,
  };
}

/** Summary of several rounds. */
export interface Summary {
  readonly LatencyMs: number;
  readonly JitterMs: number;
  readonly LossPct: number;
}

const round2 = (value: number): number => Math.round(value * 100) / 100;

/** Mean latency, jitter (mean difference of consecutive rounds, RFC 3393), and loss. */
export function summary(rounds: readonly (number | null)[]): Summary {
  const came = rounds.filter((one) => one !== null);
  if (rounds.length === 0) return { LatencyMs: 0, JitterMs: 0, LossPct: 0 };
  const steps = came.slice(1).map((one, at) => Math.abs(one - came[at]!));
  const mean = (list: readonly number[]): number =>
    list.length === 0 ? 0 : list.reduce((sum, one) => sum + one, 0) / list.length;
  return {
    LatencyMs: round2(mean(came)),
    JitterMs: round2(mean(steps)),
    LossPct: round2((rounds.length - came.length) / rounds.length * 100),
  };
}

/** Summary of the latest rounds. */
export function latest({ rounds }: Health): Summary {
  return summary(rounds.slice(-SHOWN));
}

/** Samples of equal weight as one. */
export function joined(samples: readonly WanSample[], Time: number): WanSample {
  const of = (field: keyof Summary): number =>
    round2(samples.reduce((sum, one) => sum + one[field], 0) / Math.max(samples.length, 1));
  return {
    Time,
    LatencyMs: of("LatencyMs"),
    JitterMs: of("JitterMs"),
    LossPct: of("LossPct"),
    Up: samples.every(({ Up }) => Up),
  };
}

/** Seconds of outages since a time, by unix seconds; `End` 0 lasts until now. */
export function downtime(
  outages: readonly { readonly Start: number; readonly End: number }[],
  { since, now }: { readonly since: number; readonly now: number },
): number {
  return outages.reduce((sum, { Start, End }) => {
    const end = End === 0 ? now : End;
    return sum + Math.max(0, Math.min(end, now) - Math.max(Start, since));
  }, 0);
}
