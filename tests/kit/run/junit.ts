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

/**
 * Counts the tests of a report that `deno test --junit-path` wrote. Steps, which it lists as
 * `<test> > <step>` beside their test, belong to their test and are not counted again.
 */
export function countJunit(report: string): Counts {
  let counts = NOTHING;
  for (const suite of report.split("<testsuite ").slice(1)) {
    const cases = [...suite.matchAll(/<testcase name="([^"]*)"([^>]*)>([\s\S]*?)<\/testcase>/g)];
    const names = new Set(cases.map(([, name]) => name));
    for (const [, name = "", , inside = ""] of cases) {
      if (isStep(name, names)) continue;
      if (inside.includes("<failure")) counts = { ...counts, failed: counts.failed + 1 };
      else if (inside.includes("<skipped")) counts = { ...counts, skipped: counts.skipped + 1 };
      else counts = { ...counts, passed: counts.passed + 1 };
    }
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
  const failures: Failure[] = [];
  for (const suite of report.split("<testsuite ").slice(1)) {
    const file = unescapeXml(/^name="([^"]*)"/.exec(suite)?.[1] ?? "").replace(/^\.\//, "");
    const cases = [...suite.matchAll(/<testcase name="([^"]*)"[^>]*>([\s\S]*?)<\/testcase>/g)];
    const failed = cases.flatMap(([, name = "", inside = ""]) => {
      const text = /<failure[^>]*>([\s\S]*?)<\/failure>/.exec(inside)?.[1];
      return text === undefined ? [] : [{ name, text }];
    });
    const names = new Set(cases.map(([, name]) => name));
    for (const { name, text } of failed) {
      if (isStep(name, names)) continue;
      const steps = failed.filter((other) => other.name.startsWith(`${name} &gt; `));
      // What a reader looks for first, since the words of the test can be long.
      const message = [...steps.map((step) => `${step.name}: ${step.text}`), text].join("\n");
      failures.push({ file, test: unescapeXml(name), text: unescapeXml(message) });
    }
  }
  return failures;
}

/** The tests of a report that were left out, by file and name. */
export function skippedOf(report: string): readonly string[] {
  return report.split("<testsuite ").slice(1).flatMap((suite) => {
    const file = unescapeXml(/^name="([^"]*)"/.exec(suite)?.[1] ?? "").replace(/^\.\//, "");
    const cases = [...suite.matchAll(/<testcase name="([^"]*)"[^>]*>([\s\S]*?)<\/testcase>/g)];
    return cases.filter(([, , inside = ""]) => inside.includes("<skipped"))
      .map(([, name = ""]) => `${file}: ${unescapeXml(name)}`);
  });
}

/** How long a step of a test took. */
export interface StepTime {
  readonly step: string;
  readonly seconds: number;
}

/** The steps of a report in its order, each with the test that it belongs to. */
export function stepTimes(report: string): readonly StepTime[] {
  return report.split("<testsuite ").slice(1).flatMap((suite) => {
    const cases = [...suite.matchAll(/<testcase name="([^"]*)"[^>]* time="([\d.]+)"/g)];
    const names = new Set(cases.map(([, name]) => name));
    return cases.filter(([, name = ""]) => isStep(name, names))
      .map(([, name = "", time]) => ({ step: unescapeXml(name), seconds: Number(time) }));
  });
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
