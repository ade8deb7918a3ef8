import type { UplinkSettings } from "../schema.ts";
import type { UplinkSample } from "../status_schema.ts";

/** Rounds that are kept. */
const WINDOW = 60;
/** Rounds that a status summarises. */
const STATUS_WINDOW = 12;

/** Results of the health checks of one uplink. */
export interface Health {
  /** Milliseconds of the last rounds, newest last; null for no reply. */
  readonly rounds: readonly (number | null)[];
  /** Consecutive rounds that failed, or succeeded. */
  readonly streak: { readonly answered: boolean; readonly length: number };
  /** There was a reply once: only then does silence mean down. */
  readonly hasReplied: boolean;
  readonly isDown: boolean;
}

/** No health check yet. */
export const UNKNOWN: Health = {
  rounds: [],
  streak: { answered: true, length: 0 },
  hasReplied: false,
  isDown: false,
};

/**
 * The health after another round. An uplink that never replied is down only where an admin set probe
 * targets: many gateways never reply.
 */
export function afterRound(
  health: Health,
  latency: number | null,
  config: Pick<UplinkSettings, "FailThreshold" | "RecoverThreshold" | "ProbeTargets">,
): Health {
  const answered = latency !== null;
  const length = health.streak.answered === answered ? health.streak.length + 1 : 1;
  const hasReplied = health.hasReplied || answered;
  const counts = hasReplied || config.ProbeTargets.length > 0;
  const isDown = health.isDown
    ? !(answered && length >= config.RecoverThreshold)
    : counts && !answered && length >= config.FailThreshold;
  return {
    rounds: [...health.rounds, latency].slice(-WINDOW),
    streak: { answered, length },
    hasReplied,
    isDown,
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
  const replies = rounds.filter((one) => one !== null);
  if (rounds.length === 0) return { LatencyMs: 0, JitterMs: 0, LossPct: 0 };
  const steps = replies.slice(1).map((one, at) => Math.abs(one - replies[at]!));
  const mean = (list: readonly number[]): number =>
    list.length === 0 ? 0 : list.reduce((sum, one) => sum + one, 0) / list.length;
  return {
    LatencyMs: round2(mean(replies)),
    JitterMs: round2(mean(steps)),
    LossPct: round2((rounds.length - replies.length) / rounds.length * 100),
  };
}

/** Summary of the latest rounds. */
export function latest({ rounds }: Health): Summary {
  return summary(rounds.slice(-STATUS_WINDOW));
}

/** Samples of equal weight as one. */
export function averaged(samples: readonly UplinkSample[], Time: number): UplinkSample {
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
