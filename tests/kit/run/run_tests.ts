import { fileURLToPath } from "node:url";
import {
  type Counts,
  type Failure,
  failuresOf,
  judgeRun,
  skippedOf,
  type StepTime,
  stepTimes,
} from "./junit.ts";

const ROOT = new URL("../../../", import.meta.url);
const ARTIFACTS = new URL("tests/artifacts/", ROOT);

/** What came of a run of tests. */
export interface TestRun {
  readonly counts: Counts;
  readonly failures: readonly Failure[];
  /** Names of tests that were left out. */
  readonly skipped: readonly string[];
  /** Everything that it printed. */
  readonly output: string;
  readonly seconds: number;
  readonly steps: readonly StepTime[];
  /** Where the tests ran was lost, so that nothing is known of any of them. */
  readonly lost: boolean;
}

/** How the process of a run ended. */
export interface Ended {
  readonly success: boolean;
  readonly output: string;
  /** Where what the tests ran in was lost: all of them, and why. */
  readonly lost?: Failure;
}

/** Tests to run in one process. */
export interface TestProcess {
  /** Of the report and of what is printed about it. */
  readonly name: string;
  readonly files: readonly string[];
  /** For `deno test --filter`. */
  readonly filter?: string | null;
}

/** Runs `deno test`, the types unchecked: `deno check` does that once for all. */
export function runTests({ name, files, filter = null }: TestProcess): Promise<TestRun> {
  return judged(name, (report) => {
    const flags = ["-A", "--no-check", `--config=${fileURLToPath(new URL("deno.json", ROOT))}`];
    const chosen = filter === null ? [] : [`--filter=${filter}`];
    const args = ["test", ...flags, `--junit-path=${report}`, ...chosen, ...files];
    return runDeno(args, report.replace(/xml$/, "log"));
  });
}

/** Judges tests by the report that they leave at the given path. */
export async function judged(
  name: string,
  run: (report: string) => Promise<Ended>,
): Promise<TestRun> {
  await Deno.mkdir(ARTIFACTS, { recursive: true });
  const path = fileURLToPath(new URL(`${name.replaceAll(/[^\w.-]/g, "_")}.xml`, ARTIFACTS));
  await Deno.remove(path).catch(ignoreAbsent);
  const begin = performance.now();
  const { success, output, lost } = await run(path);
  const report = await Deno.readTextFile(path).catch(ignoreAbsent) ?? null;
  return {
    counts: judgeRun(report, success),
    failures: lost === undefined ? failuresOf(report ?? "") : [lost],
    skipped: skippedOf(report ?? ""),
    steps: stepTimes(report ?? ""),
    lost: lost !== undefined,
    output,
    seconds: (performance.now() - begin) / 1000,
  };
}

/**
 * Runs Deno in the project's folder to its end. What it prints is also written to `logFile` as it
 * comes, to look into a long run.
 */
export async function runDeno(
  args: readonly string[],
  logFile = "/dev/null",
): Promise<Ended> {
  const child = new Deno.Command(Deno.execPath(), {
    args: [...args],
    cwd: ROOT,
    env: { NO_COLOR: "1" },
    stdin: "null",
    stdout: "piped",
    stderr: "piped",
  }).spawn();
  let output = "";
  using log = await Deno.open(logFile, { write: true, create: true, truncate: true });
  const encoder = new TextEncoder();
  const collect = async (stream: ReadableStream<Uint8Array<ArrayBuffer>>): Promise<void> => {
    for await (const text of stream.pipeThrough(new TextDecoderStream())) {
      output += text;
      log.writeSync(encoder.encode(text));
    }
  };
  const [{ success }] = await Promise.all([
    child.status,
    collect(child.stdout),
    collect(child.stderr),
  ]);
  return { success, output };
}

function ignoreAbsent(error: unknown): undefined {
  if (!(error instanceof Deno.errors.NotFound)) throw error;
}
