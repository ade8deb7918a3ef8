import assert from "node:assert/strict";
import { type Profiler, Session } from "node:inspector/promises";
import { testRouter } from "../../kit/router.ts";

const ROOT = new URL("../../../", import.meta.url).href;

/** Modules of a write at most, which docs/architecture.md lists: who follows one reads these. */
const MAX_MODULES = 96;

/** What is stored later, outside of tests in a thread of its own; and what the tests themselves call. */
const OTHERS = /^system\/events\/(store\/(?!event_store\.ts)|topics\/)/;

/** Modules of `routes/` and `system/` of which functions run during the work, by their paths. */
async function modulesOf(work: () => Promise<void>): Promise<readonly string[]> {
  const session = new Session();
  session.connect();
  try {
    await session.post("Profiler.enable");
    await session.post("Profiler.startPreciseCoverage", { callCount: true, detailed: false });
    await session.post("Profiler.takePreciseCoverage");
    await work();
    const taken = await session.post("Profiler.takePreciseCoverage");
    const { result } = taken as Profiler.TakePreciseCoverageReturnType;
    return result.filter(({ functions }) => functions.some(hasRun))
      .map(({ url }) => url.replace(ROOT, ""))
      .filter((path) => /^(routes|system)\//.test(path) && !OTHERS.test(path)).toSorted();
  } finally {
    session.disconnect();
  }
}

/** The first function without a name is the module itself. */
function hasRun({ functionName, ranges }: Profiler.FunctionCoverage): boolean {
  return ranges[0]!.count > 0 && (functionName !== "" || ranges[0]!.startOffset > 0);
}

Deno.test("a write passes fewer than 97 modules", async () => {
  await using router = await testRouter();
  const put = async (port: string): Promise<void> => {
    const body = {
      RuleName: "web",
      Protocol: "tcp",
      SrcIP: "0.0.0.0/0",
      SrcPort: port,
      DstIP: "192.168.2.6",
      DstPort: port,
    };
    assert.equal((await router.ask("PUT", "/firewall/forward", { body })).status, 200);
  };
  await put("80");
  // Its first look at access tests comes a moment after the start.
  await router.runDueTasks();
  const modules = await modulesOf(() => put("81"));
  const list = `${modules.length} modules:\n${modules.join("\n")}`;
  assert.ok(modules.length > 50, `Not all were counted: ${list}`);
  assert.ok(modules.length <= MAX_MODULES, `A write passes ${list}`);
});
