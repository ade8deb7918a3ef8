// Runs the layers of tests that are named, or all of them after `deno task check`, side by side as far
// as the machine has cores, and closes with the totals on a line of their own.
import { join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { add, closingLine, type Counts, type Failure, NOTHING } from "./kit/run/junit.ts";
import { BUNDLED_VARIABLE } from "./kit/run/bundle.ts";
import { type Layer, LAYERS } from "./kit/run/layers.ts";
import { memoryFolder } from "./kit/run/memory_folder.ts";
import { type Job, runPool } from "./kit/run/pool.ts";
import { type Lack, prepare } from "./kit/run/prepare.ts";
import { busySeconds, endedChildrenSeconds } from "./kit/run/processor_time.ts";
import { judged, runDeno, runTests, type TestRun } from "./kit/run/run_tests.ts";
import { afterSecondTry, type SecondTry, secondTry } from "./kit/run/second_try.ts";
import { divide, shardModule, type SizedFile } from "./kit/run/shards.ts";
import { testInVm } from "./kit/vm/tests.ts";
import { NoVm, VmLost } from "./kit/vm/vm.ts";

const ROOT = fileURLToPath(new URL("..", import.meta.url));
const CORES = navigator.hardwareConcurrency;
/** Jobs take half as much again as the machine has, since each waits now and then. */
const SHARES = CORES * 1.5;
/** About how many seconds a slow file takes in a process of its own. */
const SLOW_FILE = 60;
/** Goes before everything, however long it takes. */
const FIRST = 1000;
/** Seconds from which a step of a virtual machine is listed. */
const LONG_STEP = 5;
/** Lines of what a machine printed that show where it was lost. */
const LAST_LINES = 15;
const PASSED: Counts = { ...NOTHING, passed: 1 };
const FAILED: Counts = { ...NOTHING, failed: 1 };
const SKIPPED: Counts = { ...NOTHING, skipped: 1 };

/** What the processes of a part came to. */
interface Total {
  readonly counts: Counts;
  readonly failures: readonly Failure[];
  readonly seconds: number;
  /** Of processors, for processes that have ended. */
  readonly worked: number;
  readonly lost: boolean;
}

/** What went wrong or was left out, repeated where a long run is read first: at its end. */
const notes: string[] = [];
const totals = new Map<string, Total>();
const begin = performance.now();
const busyBefore = await busyNow();
/** What {@link endedChildrenSeconds} says of what is recorded. */
let workedBefore = 0;

function say(text: string): void {
  Deno.stdout.writeSync(new TextEncoder().encode(`${text}\n`));
}

/** Seconds of {@link busySeconds}; null where the machine does not tell. */
async function busyNow(): Promise<number | null> {
  return busySeconds(await Deno.readTextFile("/proc/stat").catch(() => ""));
}

function note(text: string): void {
  say(text);
  notes.push(text);
}

function record(part: string, run: Partial<Total>): void {
  const before = totals.get(part);
  const worked = endedChildrenSeconds(Deno.readTextFileSync("/proc/self/stat")) ?? 0;
  totals.set(part, {
    counts: add(before?.counts ?? NOTHING, run.counts ?? NOTHING),
    failures: [...before?.failures ?? [], ...run.failures ?? []],
    seconds: (before?.seconds ?? 0) + (run.seconds ?? 0),
    worked: (before?.worked ?? 0) + worked - workedBefore,
    lost: (before?.lost ?? false) || (run.lost ?? false),
  });
  workedBefore = worked;
}

/** Takes a finished process of a layer: what failed is shown whole, what passed in a line. */
function take(layer: string, name: string, run: TestRun): void {
  record(layer, run);
  if (run.counts.failed > 0) say(`\n${run.output}`);
  const at = Math.round((performance.now() - begin) / 1000);
  say(`[${at} s] ${name}: ${closingLine(run.counts)} (${run.seconds.toFixed(0)} s)`);
  for (const test of run.skipped) notes.push(`SKIPPED: ${test}`);
  if (run.counts.failed > run.failures.length) {
    notes.push(`FAILED: ${name}: see what it printed above`);
  }
}

function leaveOut(layer: string, what: string, lack: Lack): void {
  note(`${lack.failed ? "FAILED" : "SKIPPED"}: ${what}: ${lack.why}`);
  record(layer, { counts: lack.failed ? FAILED : SKIPPED });
}

/** Runs these commands of Deno one after the other, whether or not the one before succeeds. */
async function check(...steps: readonly (readonly string[])[]): Promise<void> {
  for (const step of steps) {
    const name = `deno ${step.join(" ")}`;
    const started = performance.now();
    const { success, output } = await runDeno(step);
    const seconds = (performance.now() - started) / 1000;
    record("check", { counts: success ? PASSED : FAILED, seconds });
    if (success) say(`${name}: ok`);
    else {
      say(`\n${output}`);
      note(`FAILED: ${name}`);
    }
  }
}

async function testFiles(folder: string): Promise<SizedFile[]> {
  const found: SizedFile[] = [];
  for await (const entry of Deno.readDir(folder)) {
    const path = join(folder, entry.name);
    if (entry.isDirectory) found.push(...await testFiles(path));
    else if (entry.name.endsWith("_test.ts")) {
      found.push({ path, size: (await Deno.stat(path)).size });
    }
  }
  return found;
}

/** The jobs of a layer, after what they need was brought; what cannot run here is left out. */
async function layerJobs(layer: Layer, scratch: string): Promise<readonly Job[]> {
  const lack = await prepare(layer, say);
  if (lack !== null) {
    leaveOut(
      layer.name,
      layer.name,
      layer.machine === undefined ? lack : { ...lack, failed: false },
    );
    return [];
  }
  if (layer.machine !== undefined) return [machineJob(layer, layer.machine, scratch)];
  const onKernel = new Set(
    layer.onKernel?.files.map((file) => join(ROOT, "tests", layer.name, file)),
  );
  const without = onKernel.size === 0
    ? null
    : await prepare({ name: layer.name, needsRoot: true, packages: layer.onKernel!.packages }, say);
  const files = await testFiles(join(ROOT, "tests", layer.name));
  const fileJob = (path: string, cores: number): Job => {
    const name = path.slice(ROOT.length);
    return {
      cores,
      seconds:
        onKernel.has(path) || layer.slow?.includes(relative(join(ROOT, "tests", layer.name), path))
          ? SLOW_FILE
          : layer.seconds / files.length,
      run: async () => take(layer.name, name, await runTests({ name, files: [path] })),
    };
  };
  const apart = files.filter(({ path }) => onKernel.has(path));
  if (without !== null) {
    apart.forEach(({ path }) => leaveOut(layer.name, path.slice(ROOT.length), without));
  }
  const apartJobs = without === null ? apart.map(({ path }) => fileJob(path, 0.5)) : [];
  const rest = files.filter(({ path }) => !onKernel.has(path));
  if (layer.shards === null) {
    const largestFirst = rest.toSorted((a, b) => b.size - a.size);
    return [...largestFirst.map(({ path }) => fileJob(path, layer.cores)), ...apartJobs];
  }
  const shards = divide(rest, Math.max(layer.shards, CORES));
  const shardJobs = await Promise.all(shards.map(async (shard, at): Promise<Job> => {
    const name = `${layer.name} ${at + 1}/${shards.length}`;
    const file = join(scratch, `${layer.name}_${at + 1}_test.ts`);
    await Deno.writeTextFile(file, shardModule(shard));
    return {
      cores: layer.cores,
      seconds: layer.seconds / shards.length,
      run: async () => take(layer.name, name, await runTests({ name, files: [file] })),
    };
  }));
  return [...shardJobs, ...apartJobs];
}

/** The file of {@link machineEntry}. */
const entryOf = ({ name }: Layer, scratch: string): string => join(scratch, `${name}_all_test.ts`);

function machineJob(
  layer: Layer,
  machine: NonNullable<Layer["machine"]>,
  scratch: string,
): Job {
  return {
    cores: layer.cores,
    seconds: layer.seconds,
    run: async () => {
      try {
        const entry = entryOf(layer, scratch);
        await machineEntry(layer, entry);
        const run = await inMachine(layer.name, machine, { files: [entry], filter: null });
        take(layer.name, layer.name, run);
        sayLongSteps(run);
      } catch (error) {
        if (!(error instanceof NoVm)) throw error;
        const why = `there can be no virtual machine here: ${error.message}`;
        leaveOut(layer.name, layer.name, { why, failed: false });
      }
    },
  };
}

/** Writes a module of all tests of a machine, where each file by itself would compile what it imports. */
async function machineEntry(layer: Layer, file: string): Promise<void> {
  const own = await testFiles(join(ROOT, "tests", layer.name));
  const also = (layer.machine?.also ?? []).map((path) => ({ path: join(ROOT, path), size: 0 }));
  await Deno.writeTextFile(file, shardModule([...also, ...own]));
}

/** Where the time of a machine goes, and what its tests measured. */
function sayLongSteps({ steps, output }: TestRun): void {
  for (const [, text] of output.matchAll(/MEASURED: (.*)/g)) say(`    ${text}`);
  for (const { step, seconds } of steps) {
    if (seconds >= LONG_STEP) say(`    ${seconds.toFixed(0).padStart(3)} s  ${step}`);
  }
}

function inMachine(
  name: string,
  machine: NonNullable<Layer["machine"]>,
  { files, filter }: SecondTry,
): Promise<TestRun> {
  return judged(name, async (report) => {
    let output = "";
    const decoder = new TextDecoder();
    const logFile = report.replace(/xml$/, "log");
    using log = await Deno.open(logFile, { write: true, create: true, truncate: true });
    const print = (bytes: Uint8Array): void => {
      output += decoder.decode(bytes, { stream: true });
      log.writeSync(bytes);
    };
    try {
      const tests = { paths: files, filter, root: ROOT, report, print };
      return { success: await testInVm({ ...machine, ...tests }), output };
    } catch (error) {
      if (error instanceof NoVm || !(error instanceof Error)) throw error;
      const ended = { success: false, output: `${output}\n${error.message}` };
      if (!(error instanceof VmLost)) return ended;
      const last = output.trimEnd().split("\n").slice(-LAST_LINES).join("\n");
      const text = `${error.message.split("\n")[0]}\nThey printed last:\n${last}`;
      return { ...ended, lost: { file: files.join(", "), test: "all tests", text } };
    }
  });
}

/**
 * Runs the tests of a layer that failed once more by themselves when they are few: a machine that is
 * busy with others must not cost a whole run. What passes only then is a bug to be mended all the same.
 */
async function tryAgain(layer: Layer): Promise<void> {
  const before = totals.get(layer.name);
  if (before === undefined) return;
  const again = secondTry(before, [entryOf(layer, scratch)]);
  if (again === null) return list("FAILED", before.failures);
  say(`\n== ${layer.name}: once more, what failed`);
  const name = `${layer.name}-again`;
  const run = layer.machine === undefined
    ? await runTests({ name, ...again })
    : await inMachine(name, layer.machine, again);
  say(run.output);
  const counts = afterSecondTry(before, run);
  const isOf = (failure: Failure) => (one: Failure) =>
    one.file === failure.file && one.test === failure.test;
  const unknown = run.lost || run.failures.length === 0;
  const failed = counts.failed > 0 && unknown ? before.failures : run.failures;
  list("FAILED twice", failed);
  list("FLAKY, passed at the second try", before.failures.filter((one) => !failed.some(isOf(one))));
  totals.set(layer.name, { ...before, counts });
}

function list(what: string, failures: readonly Failure[]): void {
  for (const { file, test, text } of failures) {
    const lines = text.trim().split("\n").slice(0, 25).map((line) => `    ${line}`);
    notes.push([`${what}: ${file}: ${test}`, ...lines].join("\n"));
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
const chosen = LAYERS.filter(({ name }) => names.length === 0 || names.includes(name));
const memory = await memoryFolder();
const scratch = memory.path;
// Of everything that is started below.
Deno.env.set("TMPDIR", scratch);
const isWhole = names.length === 0;
// Begins before what the layers need is brought, which waits for the network most of the time.
const checked = isWhole
  ? check(["check"], ["lint"], ["fmt", "--check"])
  : check(["check", ...chosen.map(({ name }) => `tests/${name}/`)]);
const jobs: Job[] = [{ cores: 1, seconds: FIRST, run: () => checked }];
try {
  if (chosen.some(({ needsUi }) => needsUi)) {
    const built = await runDeno(["run", "-q", "-A", "ui/build.ts", "--if-changed"]);
    if (!built.success) {
      note(`FAILED: the UI cannot be built\n${built.output}`);
      record("check", { counts: FAILED });
    }
  }
  const bundled = await runDeno(["run", "-q", "-A", "build.ts"]);
  if (bundled.success) Deno.env.set(BUNDLED_VARIABLE, "yes");
  else {
    note(`FAILED: the program cannot be bundled\n${bundled.output}`);
    record("check", { counts: FAILED });
  }
  for (const layer of chosen) {
    say(`== ${layer.name}: ${layer.about}`);
    jobs.push(...await layerJobs(layer, scratch));
  }
  say("");
  await runPool(jobs, SHARES);
  for (const layer of chosen) await tryAgain(layer);
} finally {
  await memory.close();
}
if (notes.length > 0) say(`\n${notes.join("\n\n")}`);
say("");
let sum = NOTHING;
for (const [part, { counts, seconds, worked }] of totals) {
  sum = add(sum, counts);
  const [work, processors] = [seconds, worked].map((one) => (one / 60).toFixed(1));
  say(`${part}: ${closingLine(counts)}; ${work} minutes of work, ${processors} of processors`);
}
const minutes = (performance.now() - begin) / 60_000;
const busyAfter = await busyNow();
// Of other programs, too: renderers of a browser are no children that a process could add up.
const busy = busyBefore === null || busyAfter === null
  ? ""
  : `, and the machine's processors worked ${((busyAfter - busyBefore) / 60).toFixed(1)}`;
say(`all of it took ${minutes.toFixed(1)} minutes${busy}\n`);
say(closingLine(sum));
Deno.exit(sum.failed === 0 ? 0 : 1);
