import type { Counts, Failure } from "./junit.ts";

/** More failures than this are no chance, and a second try would only cost time. */
const MAX_FAILURES = 5;

/** Tests to run once more: their files, and the filter that lets only them through. */
export interface SecondTry {
  readonly files: readonly string[];
  /** For `deno test --filter`. */
  readonly filter: string;
}

/**
 * What to run once more after a run that came to `counts` and these failures: the tests that failed,
 * or null when there is none, when they are too many, or when something besides tests went wrong.
 */
export function secondTry(counts: Counts, failures: readonly Failure[]): SecondTry | null {
  if (
    failures.length === 0 || failures.length > MAX_FAILURES || failures.length !== counts.failed
  ) {
    return null;
  }
  const names = failures.map(({ test }) => test.replaceAll(/[.*+?^${}()|[\]\\#&~-]/g, "\\$&"));
  return {
    files: [...new Set(failures.map(({ file }) => file))],
    filter: `/^(${names.join("|")})$/`,
  };
}

/**
 * The counts of a run after its second try: what did not pass then has failed. What the filter left
 * out, which the report of the second try calls skipped, is in the first counts already.
 */
export function afterSecondTry(first: Counts, second: { readonly counts: Counts }): Counts {
  const passed = Math.max(0, Math.min(second.counts.passed, first.failed - second.counts.failed));
  return { ...first, passed: first.passed + passed, failed: first.failed - passed };
}
