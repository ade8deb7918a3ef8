import { inFolder, ROOT, runs, until } from "../../kit/process.ts";
import assert from "node:assert/strict";

Deno.test("what a test run starts for its machines ends with it, even when it is killed", async () => {
  await inFolder(async (folder) => {
    const program = `
      import { childOfRunner } from ${JSON.stringify(`${ROOT}/tests/kit/child_of_runner.ts`)};
      const child = childOfRunner(["sh", "-c", "trap '' TERM HUP; exec sleep 1000"]);
      console.log(child.pid);
      await child.status;
    `;
    await Deno.writeTextFile(`${folder}/runner.ts`, program);
    const runner = new Deno.Command(Deno.execPath(), {
      args: ["run", "-q", "-A", "--no-config", `${folder}/runner.ts`],
      stdout: "piped",
    }).spawn();
    const reader = runner.stdout.pipeThrough(new TextDecoderStream()).getReader();
    const pid = Number((await reader.read()).value);
    assert.ok(await runs(pid));
    runner.kill("SIGKILL");
    await runner.status;
    await until("the child has ended", async () => !await runs(pid));
    await reader.cancel();
  });
});
