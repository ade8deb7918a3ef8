import type { Counts, Failure } from "./junit.ts";

/** More failures than this are no chance, and a second try would only cost time. */
const MAX_FAILURES = 5;

/** Tests to run once more: their files, and the filter that lets only them through. */
export interface SecondTry {
  readonly files: readonly string[];
  /** For `deno test --filter`; null runs all of the files. */
  readonly filter: string | null;
}

/** What a run came to that may have a second try. */
export interface FirstTry {
  readonly counts: Counts;
  readonly failures: readonly Failure[];
  /** Where the tests ran was lost, so that nothing is known of any of them. */
  readonly lost: boolean;
}

/**
 * What to run once more: the tests that failed, or all of `files` where the run was lost; null when
 * there is none, when they are too many, or when something else went wrong.
 */
export function secondTry(
  { counts, failures, lost }: FirstTry,
  files: readonly string[],
): SecondTry | null {
  if (lost) return { files, filter: null };
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
export function afterSecondTry(
  { counts: first, lost }: FirstTry,
  second: { readonly counts: Counts },
): Counts {
  if (lost) return second.counts;
  const passed = Math.max(0, Math.min(second.counts.passed, first.failed - second.counts.failed));
  return { ...first, passed: first.passed + passed, failed: first.failed - passed };
}
