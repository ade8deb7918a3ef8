/** How many tests passed, failed and were left out. */
export interface Counts {
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
}

export const NOTHING: Counts = { passed: 0, failed: 0, skipped: 0 };

/** The sum of two counts. */
export function add(a: Counts, b: Counts): Counts {
  return {
    passed: a.passed + b.passed,
    failed: a.failed + b.failed,
    skipped: a.skipped + b.skipped,
  };
}

/** A test or a step of a report, as it is written there. */
interface Case {
  readonly file: string;
  readonly name: string;
  readonly seconds: number;
  readonly inside: string;
  readonly isStep: boolean;
}

/**
 * The tests of a report that `deno test --junit-path` wrote, with their steps, which it lists as
 * `<test> > <step>`, beside their test or with the file that they come from.
 */
function casesOf(report: string): readonly Case[] {
  const cases = report.split("<testsuite ").slice(1).flatMap((suite) => {
    const file = unescapeXml(/^name="([^"]*)"/.exec(suite)?.[1] ?? "").replace(/^\.\//, "");
    return [...suite.matchAll(/<testcase name="([^"]*)"([^>]*)>([\s\S]*?)<\/testcase>/g)]
      .map(([, name = "", rest = "", inside = ""]) => {
        return { file, name, seconds: Number(/ time="([\d.]+)"/.exec(rest)?.[1] ?? 0), inside };
      });
  });
  const names = new Set(cases.map(({ name }) => name));
  return cases.map((one) => ({ ...one, isStep: isStep(one.name, names) }));
}

/** Counts the tests of a report. Steps belong to their test and are not counted again. */
export function countJunit(report: string): Counts {
  let counts = NOTHING;
  for (const { isStep, inside } of casesOf(report)) {
    if (isStep) continue;
    if (inside.includes("<failure")) counts = { ...counts, failed: counts.failed + 1 };
    else if (inside.includes("<skipped")) counts = { ...counts, skipped: counts.skipped + 1 };
    else counts = { ...counts, passed: counts.passed + 1 };
  }
  return counts;
}

/** A test that failed. */
export interface Failure {
  readonly file: string;
  readonly test: string;
  /** What it said, its steps' output included. */
  readonly text: string;
}

/** The tests of a report that failed, each once, in the report's order. */
export function failuresOf(report: string): readonly Failure[] {
  const failed = casesOf(report).flatMap((one) => {
    const text = /<failure[^>]*>([\s\S]*?)<\/failure>/.exec(one.inside)?.[1];
    return text === undefined ? [] : [{ ...one, text }];
  });
  return failed.filter(({ isStep }) => !isStep).map(({ file, name, text }) => {
    const steps = failed.filter((other) => other.name.startsWith(`${name} &gt; `));
    // What a reader looks for first, since the message of the test can be long.
    const message = [...steps.map((step) => `${step.name}: ${step.text}`), text].join("\n");
    return { file, test: unescapeXml(name), text: unescapeXml(message) };
  });
}

/** The tests of a report that were left out, by file and name. */
export function skippedOf(report: string): readonly string[] {
  return casesOf(report).filter(({ inside }) => inside.includes("<skipped"))
    .map(({ file, name }) => `${file}: ${unescapeXml(name)}`);
}

/** How long a step of a test took. */
export interface StepTime {
  readonly step: string;
  readonly seconds: number;
}

/** The steps of a report in its order, each with the test that it belongs to. */
export function stepTimes(report: string): readonly StepTime[] {
  return casesOf(report).filter(({ isStep }) => isStep)
    .map(({ name, seconds }) => ({ step: unescapeXml(name), seconds }));
}

function unescapeXml(text: string): string {
  return text.replaceAll("&lt;", "<").replaceAll("&gt;", ">").replaceAll("&quot;", '"')
    .replaceAll("&apos;", "'").replaceAll("&amp;", "&");
}

function isStep(name: string, names: ReadonlySet<string | undefined>): boolean {
  const parts = name.split(" &gt; ");
  return parts.some((_, at) => at > 0 && names.has(parts.slice(0, at).join(" &gt; ")));
}

/** The closing line of a test run. */
export function closingLine(counts: Counts): string {
  const skipped = counts.skipped > 0 ? `, ${counts.skipped} skipped` : "";
  return `${counts.passed} passed, ${counts.failed} failed${skipped}`;
}

/**
 * What a layer comes to: its report, corrected where the report cannot tell the truth. A run that
 * failed without a failed test (a file that does not compile, a crash) counts as one failure, and so
 * does a run in which nothing was tested.
 */
export function judgeRun(report: string | null, success: boolean): Counts {
  const counts = report === null ? NOTHING : countJunit(report);
  const nothing = counts.passed + counts.failed + counts.skipped === 0;
  if ((!success && counts.failed === 0) || nothing) return { ...counts, failed: counts.failed + 1 };
  return counts;
}
