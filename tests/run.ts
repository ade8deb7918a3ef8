// Runs the layers of tests that are named, or all of them after `deno task check`, and closes with
// the totals on a line of their own.
import { fileURLToPath } from "node:url";
import { aptGet, dpkgQuery } from "../system/host/tools/apt.ts";
import { aptArguments, installedPackages } from "../system/install/packages.ts";
import { shareBrowser } from "./kit/browser/browser_launch.ts";
import {
  add,
  closingLine,
  type Counts,
  type Failure,
  failuresOf,
  judgeRun,
  NOTHING,
} from "./kit/run/junit.ts";
import { type Layer, LAYERS } from "./kit/run/layers.ts";
import { afterSecondTry, type SecondTry, secondTry } from "./kit/run/second_try.ts";
import { NoVm } from "./kit/vm/vm.ts";
import { testInVm } from "./kit/vm/tests.ts";

const ROOT = new URL("..", import.meta.url);
const ARTIFACTS = new URL("tests/artifacts/", ROOT);
const SKIPPED: Counts = { ...NOTHING, skipped: 1 };
const FAILED: Counts = { ...NOTHING, failed: 1 };
/** What went wrong, repeated where a long run is read first: at its end. */
const told: string[] = [];

function say(text: string): void {
  Deno.stdout.writeSync(new TextEncoder().encode(`${text}\n`));
}

function fails(why: string): Counts {
  say(`FAILED: ${why}`);
  told.push(`FAILED: ${why}`);
  return FAILED;
}

function leftOut(counts: Counts, why: string): Counts {
  if (counts.failed > 0) return fails(why);
  say(`SKIPPED: ${why}`);
  told.push(`SKIPPED: ${why}`);
  return counts;
}

async function deno(
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<boolean> {
  const child = new Deno.Command(Deno.execPath(), {
    args: [...args],
    cwd: ROOT,
    env,
    stdin: "null",
    stdout: "inherit",
    stderr: "inherit",
  }).spawn();
  return (await child.status).success;
}

/** Formatting, lint and types: each counts as one test. */
async function check(): Promise<Counts> {
  say("\n== check: formatting, lint and types");
  let counts = NOTHING;
  for (const step of [["fmt", "--check"], ["lint"], ["check"]]) {
    const success = await deno(step);
    say(`deno ${step.join(" ")} ... ${success ? "ok" : "FAILED"}`);
    if (!success) told.push(`FAILED: deno ${step.join(" ")}`);
    counts = add(counts, success ? { ...NOTHING, passed: 1 } : FAILED);
  }
  return counts;
}

async function hasTests(layer: Layer, folder = `tests/${layer.name}/`): Promise<boolean> {
  try {
    for await (const entry of Deno.readDir(new URL(folder, ROOT))) {
      if (entry.isFile && entry.name.endsWith("_test.ts")) return true;
      if (entry.isDirectory && await hasTests(layer, `${folder}${entry.name}/`)) return true;
    }
  } catch (error) {
    // Git keeps no empty folder.
    if (!(error instanceof Deno.errors.NotFound)) throw error;
  }
  return false;
}

/** Runs a layer; whatever goes wrong with the running itself is a failure of that layer. */
async function attempt(layer: Layer): Promise<Counts> {
  try {
    return await run(layer);
  } catch (error) {
    return fails(`${layer.name}: ${error instanceof Error ? error.message : error}`);
  }
}

/** Brings the Debian packages of a layer. Answers why it cannot run, or null when it can. */
async function lacking(
  layer: Pick<Layer, "name" | "needsRoot" | "packages">,
): Promise<{ why: string; counts: Counts } | null> {
  const root = Deno.uid() === 0;
  if (layer.needsRoot && !root) return { why: "it needs root", counts: SKIPPED };
  if (layer.packages.length === 0) return null;
  const { signal } = new AbortController();
  const known = await dpkgQuery(layer.packages, signal);
  if (known === null) return { why: "it needs a Debian system", counts: SKIPPED };
  const present = installedPackages(known);
  const missing = layer.packages.filter((name) => !present.has(name));
  if (missing.length === 0) return null;
  const list = missing.join(" ");
  if (!root) return { why: `it needs: apt-get install ${list}`, counts: SKIPPED };
  say(`Installing what the ${layer.name} tests need: ${list}`);
  const apt = aptGet(signal);
  if ((await apt(aptArguments(missing))).ok) return null;
  await apt(["update"]);
  const { ok, words } = await apt(aptArguments(missing));
  return ok ? null : { why: `apt-get install ${list} failed: ${words}`, counts: FAILED };
}

/** Says which files of a layer cannot run here, and counts each as one test. */
async function leaveOut(layer: Layer): Promise<{ files: readonly string[]; counts: Counts }> {
  const { onKernel, name } = layer;
  if (onKernel === undefined) return { files: [], counts: NOTHING };
  const lack = await lacking({ name, needsRoot: true, packages: onKernel.packages });
  if (lack === null) return { files: [], counts: NOTHING };
  let counts = NOTHING;
  for (const file of onKernel.files) {
    leftOut(lack.counts, `${name}: ${file}: ${lack.why}`);
    counts = add(counts, lack.counts);
  }
  return { files: onKernel.files, counts };
}

async function run(layer: Layer): Promise<Counts> {
  say(`\n== ${layer.name}: ${layer.about}`);
  if (!await hasTests(layer)) {
    if (!layer.empty) return fails(`${layer.name}: has no tests`);
    say("has no tests yet; not counted");
    return NOTHING;
  }
  const lack = await lacking(layer);
  if (lack !== null) {
    const counts = layer.machine === undefined ? lack.counts : SKIPPED;
    return leftOut(counts, `${layer.name}: ${lack.why}`);
  }
  if (layer.machine !== undefined) return await runInMachine(layer, layer.machine);
  if (layer.needsUi && !await deno(["run", "-q", "-A", "ui/build.ts", "--if-changed"])) {
    return fails(`${layer.name}: the UI cannot be built`);
  }
  const without = await leaveOut(layer);
  const browser = layer.browser ? await shareBrowser() : null;
  const env = browser?.env ?? {};
  let counts = without.counts;
  try {
    const apart = layer.browser ? layer.onKernel?.files ?? [] : [];
    counts = add(counts, await runFiles(layer, { env, leave: [...without.files, ...apart] }));
    const left = apart.filter((file) => !without.files.includes(file));
    if (left.length > 0) counts = add(counts, await runFiles(layer, { env, only: left }));
  } finally {
    await browser?.close();
  }
  say(`${layer.name}: ${closingLine(counts)}`);
  return counts;
}

/** Runs a layer in a virtual machine; without one it is left out, which is told. */
async function runInMachine(
  layer: Layer,
  machine: NonNullable<Layer["machine"]>,
): Promise<Counts> {
  const paths = [`tests/${layer.name}/`, ...machine.also];
  // An emulated machine would take minutes for the types.
  if (!await deno(["check", ...paths])) {
    return fails(`${layer.name}: the types do not fit`);
  }
  try {
    const counts = await tryTwice(layer.name, (again, report) =>
      testInVm({
        ...machine,
        paths: again?.files ?? paths,
        filter: again?.filter ?? null,
        root: fileURLToPath(ROOT),
        report,
      }));
    say(`${layer.name}: ${closingLine(counts)}`);
    return counts;
  } catch (error) {
    if (!(error instanceof NoVm)) throw error;
    return leftOut(
      SKIPPED,
      `${layer.name}: there can be no virtual machine here: ${error.message}`,
    );
  }
}

/** Runs the files of a layer, or only some of them, or all but some. */
async function runFiles(
  layer: Layer,
  { env, only, leave = [] }: {
    readonly env: Readonly<Record<string, string>>;
    readonly only?: readonly string[];
    readonly leave?: readonly string[];
  },
): Promise<Counts> {
  const folder = `tests/${layer.name}/`;
  const name = `${layer.name}${only === undefined ? "" : "-kernel"}`;
  return await tryTwice(name, (again, report) => {
    const files = leave.map((file) => folder + file).join(",");
    const first = [
      ...(layer.browser && only === undefined ? ["--parallel"] : []),
      ...(files === "" ? [] : [`--ignore=${files}`]),
      ...(only?.map((file) => folder + file) ?? [folder]),
    ];
    const chosen = again === null ? first : [`--filter=${again.filter}`, ...again.files];
    return deno(["test", "-A", `--junit-path=${fileURLToPath(report)}`, ...chosen], env);
  });
}

/**
 * Runs tests, and those that failed once more by themselves when they are few: a machine that is busy
 * with others must not cost a whole run. What passes only then is told at the end, with what it had
 * said, and is a bug to be mended.
 */
async function tryTwice(
  name: string,
  tests: (again: SecondTry | null, report: URL) => Promise<boolean>,
): Promise<Counts> {
  const first = await runOnce(name, (report) => tests(null, report));
  const counts = judgeRun(first.report, first.success);
  const failures = failuresOf(first.report ?? "");
  const again = secondTry(counts, failures);
  if (again === null) {
    tell("FAILED", failures);
    if (failures.length < counts.failed) told.push(`FAILED: ${name}: see what it said above`);
    return counts;
  }
  say(`\n== ${name}: once more, what failed`);
  const second = await runOnce(`${name}-again`, (report) => tests(again, report));
  const still = failuresOf(second.report ?? "");
  const after = afterSecondTry(counts, second.report, second.success);
  const failed = after.failed > 0 && still.length === 0 ? failures : still;
  tell("FAILED twice", failed);
  tell(
    "UNSTEADY, passed at the second try",
    failures.filter((one) =>
      !failed.some(({ file, test }) => file === one.file && test === one.test)
    ),
  );
  return after;
}

async function runOnce(
  name: string,
  tests: (report: URL) => Promise<boolean>,
): Promise<{ report: string | null; success: boolean }> {
  const report = new URL(`${name}.xml`, ARTIFACTS);
  await removeReport(report);
  const success = await tests(report);
  return { report: await readReport(report), success };
}

function tell(what: string, failures: readonly Failure[]): void {
  for (const { file, test, words } of failures) {
    const lines = words.trim().split("\n").slice(0, 25).map((line) => `    ${line}`);
    told.push([`${what}: ${file}: ${test}`, ...lines].join("\n"));
  }
}

async function removeReport(report: URL): Promise<void> {
  await Deno.remove(report).catch((error) => {
    if (!(error instanceof Deno.errors.NotFound)) throw error;
  });
}

async function readReport(report: URL): Promise<string | null> {
  try {
    return await Deno.readTextFile(report);
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return null;
    throw error;
  }
}

const names = Deno.args;
const unknown = names.filter((name) => !LAYERS.some((layer) => layer.name === name));
if (unknown.length > 0) {
  say(
    `There is no layer ${unknown.join(", ")}; write ${LAYERS.map(({ name }) => name).join(", ")}`,
  );
  Deno.exit(1);
}
await Deno.mkdir(ARTIFACTS, { recursive: true });
let totals = names.length === 0 ? await check() : NOTHING;
for (const layer of LAYERS) {
  if (names.length === 0 || names.includes(layer.name)) totals = add(totals, await attempt(layer));
}
if (told.length > 0) say(`\n${told.join("\n\n")}`);
say(`\n${closingLine(totals)}`);
Deno.exit(totals.failed === 0 ? 0 : 1);
