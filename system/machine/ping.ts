import type { PingResult } from "../core/machine/schema.ts";

/** A length of time as Go writes it: `1.234567ms`, `512.3µs`. */
export function goDuration(nanoseconds: number): string {
  if (nanoseconds < 1000) return `${nanoseconds}ns`;
  const [unit, size] = nanoseconds < 1e6
    ? ["µs", 1e3] as const
    : nanoseconds < 1e9
    ? ["ms", 1e6] as const
    : ["s", 1e9] as const;
  return `${nanoseconds / size}${unit}`;
}

/** The answers of a ping as people read them. */
export function formatPing(answer: PingResult): readonly string[] {
  return answer.map((nanoseconds) => nanoseconds === null ? "timeout" : goDuration(nanoseconds));
}
