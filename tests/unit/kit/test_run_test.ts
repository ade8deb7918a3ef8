import assert from "node:assert/strict";
import {
  closingLine,
  countJunit,
  type Failure,
  failuresOf,
  judgeRun,
  skippedOf,
  stepTimes,
} from "../../kit/run/junit.ts";
import { runPool } from "../../kit/run/pool.ts";
import { busySeconds, endedChildrenSeconds } from "../../kit/run/processor_time.ts";
import { divide, shardModule } from "../../kit/run/shards.ts";
import { afterSecondTry, secondTry } from "../../kit/run/second_try.ts";

const REPORT = `<?xml version="1.0" encoding="UTF-8"?>
<testsuites name="deno test" tests="5" failures="2" errors="0" time="0.006">
    <testsuite name="./a_test.ts" tests="5" disabled="1" errors="0" failures="2">
        <testcase name="a" classname="./a_test.ts" time="0.002" line="1" col="6">
            <failure message="1 test step failed">1 test step failed.</failure>
        </testcase>
        <testcase name="b &gt; &lt;&amp;&gt;" classname="./a_test.ts" time="0.000" line="2" col="6">
        </testcase>
        <testcase name="c" classname="./a_test.ts" time="0.000" line="3" col="6">
            <skipped/>
        </testcase>
        <testcase name="a &gt; s1" classname="./a_test.ts" time="0.000" line="1" col="39">
        </testcase>
        <testcase name="a &gt; s1x" classname="./a_test.ts" time="0.000" line="1" col="69">
            <failure message="Uncaught Error: &lt;x&gt;">Error: &lt;x&gt;</failure>
        </testcase>
    </testsuite>
</testsuites>`;

Deno.test("a JUnit report is counted by tests, without steps", () => {
  assert.deepEqual(countJunit(REPORT), { passed: 1, failed: 1, skipped: 1 });
});

Deno.test("a step that comes from another file than its test is no test", () => {
  const split = REPORT.replace(
    '        <testcase name="a &gt; s1"',
    '    </testsuite>\n    <testsuite name="./b.ts">\n        <testcase name="a &gt; s1"',
  );
  assert.deepEqual(countJunit(split), countJunit(REPORT));
  assert.deepEqual(failuresOf(split), failuresOf(REPORT));
  assert.deepEqual(stepTimes(split), stepTimes(REPORT));
});

Deno.test("a run that failed without a failed test is one failure", () => {
  const report = REPORT.replaceAll(/<failure[\s\S]*?<\/failure>/g, "");
  assert.deepEqual(judgeRun(report, false), { passed: 2, failed: 1, skipped: 1 });
  assert.deepEqual(judgeRun(report, true), { passed: 2, failed: 0, skipped: 1 });
});

Deno.test("a run without a report or tests is one failure", () => {
  assert.deepEqual(judgeRun(null, false), { passed: 0, failed: 1, skipped: 0 });
  assert.deepEqual(judgeRun(null, true), { passed: 0, failed: 1, skipped: 0 });
  assert.deepEqual(judgeRun("<testsuites></testsuites>", true), {
    passed: 0,
    failed: 1,
    skipped: 0,
  });
});

Deno.test("the closing line names skipped tests only when there are some", () => {
  assert.equal(closingLine({ passed: 2, failed: 0, skipped: 0 }), "2 passed, 0 failed");
  assert.equal(closingLine({ passed: 2, failed: 1, skipped: 3 }), "2 passed, 1 failed, 3 skipped");
});

Deno.test("a failed test is listed with its file and the messages of its steps", () => {
  assert.deepEqual(failuresOf(REPORT), [
    { file: "a_test.ts", test: "a", text: "a > s1x: Error: <x>\n1 test step failed." },
  ]);
});

Deno.test("a second try runs only the failed tests, whatever characters their names have", () => {
  const failures = [
    { file: "tests/lab/a_test.ts", test: "a.b (c) is [d]?", text: "" },
    { file: "tests/lab/a_test.ts", test: "e", text: "" },
  ];
  const counts = { passed: 9, failed: 2, skipped: 0 };
  assert.deepEqual(secondTry({ counts, failures, lost: false }, []), {
    files: ["tests/lab/a_test.ts"],
    filter: "/^(a\\.b \\(c\\) is \\[d\\]\\?|e)$/",
  });
});

Deno.test("there is no second try for many failures, or failures outside tests", () => {
  const failure = { file: "a_test.ts", test: "a", text: "" };
  const again = (failed: number, failures: readonly Failure[]) =>
    secondTry({ counts: { passed: 1, failed, skipped: 0 }, failures, lost: false }, ["all"]);
  assert.equal(again(0, []), null);
  assert.equal(again(1, []), null);
  assert.equal(again(2, [failure]), null);
  assert.equal(again(6, Array(6).fill(failure)), null);
});

Deno.test("a test that does not pass the second try has failed, also when it did not run", () => {
  const first = { counts: { passed: 9, failed: 2, skipped: 1 }, failures: [], lost: false };
  const one = { passed: 10, failed: 1, skipped: 1 };
  const passed = REPORT.replaceAll(/<failure[\s\S]*?<\/failure>/g, "");
  const second = (report: string | null, success: boolean) => ({
    counts: judgeRun(report, success),
  });
  const all = { passed: 11, failed: 0, skipped: 1 };
  assert.deepEqual(afterSecondTry(first, second(passed, true)), all);
  assert.deepEqual(afterSecondTry(first, second(passed, false)), one);
  assert.deepEqual(afterSecondTry(first, second(REPORT, false)), one);
  assert.deepEqual(afterSecondTry(first, second(null, true)), first.counts);
});

Deno.test("a machine that was lost is tried once more with all tests, whose result counts", () => {
  const nothing = { passed: 0, failed: 1, skipped: 0 };
  const failure = { file: "tests/wifi/", test: "all tests", text: "Not done within 2 seconds" };
  const first = { counts: nothing, failures: [failure], lost: true };
  const files = ["tests/wifi/", "tests/lab/x_test.ts"];
  assert.deepEqual(secondTry(first, files), { files, filter: null });
  for (const counts of [{ passed: 8, failed: 0, skipped: 1 }, nothing]) {
    assert.deepEqual(afterSecondTry(first, { counts }), counts);
  }
});

Deno.test("the steps of a report are listed with their seconds", () => {
  const report = REPORT.replace(/(name="a &gt; s1" .*?time=")0.000/, "$112.345");
  assert.deepEqual(stepTimes(report), [
    { step: "a > s1", seconds: 12.345 },
    { step: "a > s1x", seconds: 0 },
  ]);
});

Deno.test("skipped tests are listed with their file", () => {
  assert.deepEqual(skippedOf(REPORT), ["a_test.ts: c"]);
});

Deno.test("shards contain every file once, and have about equal size", () => {
  const files = [9, 1, 5, 4, 4].map((size, at) => ({ path: `/t/${at}_test.ts`, size }));
  const shards = divide(files, 2);
  assert.deepEqual(
    shards.map((shard) => shard.map(({ size }) => size)),
    [[9, 4], [5, 4, 1]],
  );
  assert.equal(divide(files, 9).length, 5);
  assert.equal(shardModule(files.slice(0, 1)), 'import "file:///t/0_test.ts";\n');
});

Deno.test("a pool runs every job within its number of cores", async () => {
  let busy = 0;
  let most = 0;
  let done = 0;
  const job = (cores: number) => ({
    cores,
    seconds: 1,
    run: async () => {
      busy += Math.min(cores, 2);
      most = Math.max(most, busy);
      await Promise.resolve();
      busy -= Math.min(cores, 2);
      done++;
    },
  });
  await runPool([0.5, 0.5, 1, 8, 0.5, 1, 0.5].map(job), 2);
  assert.deepEqual({ busy, most, done }, { busy: 0, most: 2, done: 7 });
});

Deno.test("a pool starts the longest job first, and equal ones in their order", async () => {
  const started: string[] = [];
  const job = (name: string, seconds: number) => ({
    cores: 1,
    seconds,
    run: () => Promise.resolve(void started.push(name)),
  });
  await runPool([job("a", 20), job("b", 20), job("c", 250), job("d", 60)], 1);
  assert.deepEqual(started, ["c", "d", "a", "b"]);
});

Deno.test("a failing job fails the pool after all others are done", async () => {
  let done = 0;
  const failing = { cores: 1, seconds: 1, run: () => Promise.reject(new Error("no")) };
  const working = { cores: 1, seconds: 1, run: () => Promise.resolve(void done++) };
  await assert.rejects(runPool([failing, working, working], 1), /no/);
  assert.equal(done, 2);
});

Deno.test("the time that processors worked is all but idling and waiting, over all of them", () => {
  const stat =
    "cpu  1000 20 300 5000 700 4 6 0 50 0\ncpu0 500 10 150 2500 350 2 3 0 25 0\nbtime 1\n";
  assert.equal(busySeconds(stat), 13.3);
  assert.equal(busySeconds("cpu0 500 10 150 2500 350 2 3 0 25 0\n"), null);
  assert.equal(busySeconds(""), null);
});

Deno.test("the processor time of ended children is read behind any program name", () => {
  const stat = "12 (a ) b) S 1 12 12 0 -1 4194560 9 8 0 0 100 200 350 50 20 0 1 0 99 1 2\n";
  assert.equal(endedChildrenSeconds(stat), 4);
  assert.equal(endedChildrenSeconds(""), null);
});
