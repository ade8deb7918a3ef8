import assert from "node:assert/strict";
import { run, runOrFail } from "../../../system/host/tools/run.ts";
import { eventually } from "../../kit/eventually.ts";

Deno.test("a tool that times out is killed and named", async () => {
  // Without a listener `ip monitor` never ends.
  await assert.rejects(run("ip", { args: ["monitor", "link"], seconds: 0.1 }), {
    name: "Problem",
    status: 502,
    message: /ip did not end within 0.1 seconds/,
  });
});

/** How many files of this process are pipes. */
function pipes(): number {
  return [...Deno.readDirSync("/proc/self/fd")].filter(({ name }) => {
    try {
      return /^(pipe|socket):/.test(Deno.readLinkSync(`/proc/self/fd/${name}`));
    } catch {
      // It was the one that lists them.
      return false;
    }
  }).length;
}

Deno.test("a child that a tool leaves running does not block the result", async () => {
  const before = pipes();
  const pids = await Deno.makeTempFile();
  const one = (seconds: number): Promise<unknown> =>
    run("ip", {
      args: [],
      stdin: "x".repeat(1024 * 1024),
      seconds,
      spawn: (_, options) =>
        new Deno.Command("/bin/sh", {
          ...options,
          args: ["-c", "exec 3<&0; sleep 600 <&3 & echo $! >&2; echo $! >$0", pids],
        }).spawn(),
    });
  let left = 0;
  // On a busy machine it may be ended before it came to leave anything running.
  for (let seconds = 0.2; left === 0; seconds *= 2) {
    const problem = { name: "Problem", status: 502, message: /did not end within/ };
    await assert.rejects(one(seconds), problem);
    left = Number(await Deno.readTextFile(pids));
  }
  await Deno.remove(pids);
  // It runs still, so that nobody has waited for it.
  Deno.kill(left, "SIGKILL");
  await eventually("its pipes are closed", () => assert.equal(pipes(), before));
});

Deno.test("a tool with too much output is killed", async () => {
  await assert.rejects(run("ip", { args: ["-j", "-d", "link"], maxOutput: 10 }), {
    name: "Problem",
    status: 502,
    message: /more than 10 bytes/,
  });
});

Deno.test("a failing tool is a 502 with its error output", async () => {
  await assert.rejects(runOrFail("ip", { args: ["link", "show", "dev", "nowhere0"] }), {
    name: "Problem",
    status: 502,
    message: 'ip: Device "nowhere0" does not exist.',
  });
});

Deno.test({
  name: "a missing tool is a 503 that names its package",
  permissions: { run: false },
  fn: async () => {
    await assert.rejects(run("conntrack", { args: ["-L"] }), {
      name: "Problem",
      status: 503,
      message: "The tool conntrack is missing. The Debian package conntrack brings it.",
    });
  },
});
