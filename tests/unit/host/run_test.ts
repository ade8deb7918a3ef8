import assert from "node:assert/strict";
import { closingLine, countJunit, failuresOf, judgeRun } from "../../kit/run/junit.ts";
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

Deno.test("a report is counted by tests; steps belong to their test", () => {
  assert.deepEqual(countJunit(REPORT), { passed: 1, failed: 1, skipped: 1 });
});

Deno.test("a run that failed without a failed test is one failure", () => {
  const report = REPORT.replaceAll(/<failure[\s\S]*?<\/failure>/g, "");
  assert.deepEqual(judgeRun(report, false), { passed: 2, failed: 1, skipped: 1 });
  assert.deepEqual(judgeRun(report, true), { passed: 2, failed: 0, skipped: 1 });
});

Deno.test("a run without a report, or that tested nothing, is one failure", () => {
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

Deno.test("a failed test is told with its file, and with the words of its steps", () => {
  assert.deepEqual(failuresOf(REPORT), [
    { file: "a_test.ts", test: "a", words: "1 test step failed.\na > s1x: Error: <x>" },
  ]);
});

Deno.test("a second try runs the failed tests alone, whatever their names are made of", () => {
  const failures = [
    { file: "tests/lab/a_test.ts", test: "a.b (c) is [d]?", words: "" },
    { file: "tests/lab/a_test.ts", test: "e", words: "" },
  ];
  assert.deepEqual(secondTry({ passed: 9, failed: 2, skipped: 0 }, failures), {
    files: ["tests/lab/a_test.ts"],
    filter: "/^(a\\.b \\(c\\) is \\[d\\]\\?|e)$/",
  });
});

Deno.test("there is no second try for many failures, nor for what is no test", () => {
  const failure = { file: "a_test.ts", test: "a", words: "" };
  assert.equal(secondTry({ passed: 1, failed: 0, skipped: 0 }, []), null);
  assert.equal(secondTry({ passed: 1, failed: 1, skipped: 0 }, []), null);
  assert.equal(secondTry({ passed: 1, failed: 2, skipped: 0 }, [failure]), null);
  assert.equal(secondTry({ passed: 1, failed: 6, skipped: 0 }, Array(6).fill(failure)), null);
});

Deno.test("what did not pass at the second try has failed, also when it did not run", () => {
  const first = { passed: 9, failed: 2, skipped: 1 };
  const one = { passed: 10, failed: 1, skipped: 1 };
  const passed = REPORT.replaceAll(/<failure[\s\S]*?<\/failure>/g, "");
  assert.deepEqual(afterSecondTry(first, passed, true), { passed: 11, failed: 0, skipped: 1 });
  assert.deepEqual(afterSecondTry(first, passed, false), one);
  assert.deepEqual(afterSecondTry(first, REPORT, false), one);
  assert.deepEqual(afterSecondTry(first, null, true), first);
});
