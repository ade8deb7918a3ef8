import assert from "node:assert/strict";
import { closingLine, countJunit, judgeRun } from "../kit/junit.ts";

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
        <testcase name="a &gt; s2" classname="./a_test.ts" time="0.000" line="1" col="69">
            <failure message="Uncaught Error: x">Error: x</failure>
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
