import type { WanConfig } from "../schema.ts";
import type { WanSample } from "../status_schema.ts";

/** Rounds that are remembered. */
export const WINDOW = 60;
/** Rounds that an answer tells of. */
const SHOWN = 12;

/** What the probes of one uplink came to so far. */
export interface Health {
  /** Milliseconds of the last rounds, the latest last; null where nothing came back. */
  readonly rounds: readonly (number | null)[];
  /** Rounds in a row that failed, or that were answered. */
  readonly row: { readonly answered: boolean; readonly length: number };
  /** Something came back at some time: silence then means something. */
  readonly spoke: boolean;
  readonly dead: boolean;
}

/** Nothing asked yet. */
export const UNKNOWN: Health = {
  rounds: [],
  row: { answered: true, length: 0 },
  spoke: false,
  dead: false,
};

/**
 * The health after a further round. One that never answered is dead only where an admin named
 * machines to ask: many gateways never answer.
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

/** What rounds came to together. */
export interface Summary {
  readonly LatencyMs: number;
  readonly JitterMs: number;
  readonly LossPct: number;
}

const round2 = (value: number): number => Math.round(value * 100) / 100;

/** Mean latency, mean difference of neighbours (RFC 3393 in the plain form), and share of silence. */
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

/** What the latest rounds came to. */
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
