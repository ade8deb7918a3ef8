import assert from "node:assert/strict";
import { Follower } from "../../../system/host/kernel/follower.ts";

/** A program in the place of the tool: says its number, then stays. */
const staying = (_: string, options: Deno.CommandOptions): Deno.ChildProcess =>
  new Deno.Command("/bin/sh", { ...options, args: ["-c", "echo $$; exec sleep 60"] }).spawn();

async function runs(pid: number): Promise<boolean> {
  return await Deno.stat(`/proc/${pid}`).then(() => true, () => false);
}

Deno.test("a follower's tool is ended before it is restarted after a failing line", async () => {
  const pids: number[] = [];
  const complaints: string[] = [];
  const { promise: second, resolve } = Promise.withResolvers<boolean>();
  const follower = new Follower({
    tool: "ip",
    args: [],
    spawn: staying,
    onRestart: () => {},
    onError: (message) => complaints.push(message),
    onLine: (line) => {
      pids.push(Number(line));
      if (pids.length === 1) throw new Error("The reader is gone");
      resolve(runs(pids[0]!));
    },
  });
  assert.equal(await second, false);
  assert.deepEqual(complaints, ["The reader is gone"]);
  await follower.stop();
  assert.equal(await runs(pids[1]!), false);
});
