import assert from "node:assert/strict";
import { fileURLToPath } from "node:url";
import { type Running, untilStopped } from "../../../system/core/process/lifetime.ts";
import { MEMORY_REDUCER } from "../../../system/core/process/start_garbage.ts";
import { openLog } from "../../../system/core/log/log.ts";

const log = openLog({ process: "test", human: false, level: "error", write: () => {} });
const OPTIONS = { log, gone: null, stopTimeoutMs: 60_000 };

/** Something that notes when it is stopped. */
function work(): Running & { stopped: boolean } {
  const running = {
    stopped: false,
    stop: (): Promise<void> => {
      running.stopped = true;
      return Promise.resolve();
    },
  };
  return running;
}

/** Sends SIGTERM to this process and waits until it is here: the first one may take a second. */
async function terminateOurselves(): Promise<void> {
  const received = Promise.withResolvers<void>();
  // A signal that is waited for keeps no event loop running.
  const timer = setTimeout(() => received.reject(new Error("SIGTERM did not arrive")), 30_000);
  const listener = (): void => received.resolve();
  Deno.addSignalListener("SIGTERM", listener);
  Deno.kill(Deno.pid, "SIGTERM");
  try {
    await received.promise;
  } finally {
    clearTimeout(timer);
    Deno.removeSignalListener("SIGTERM", listener);
  }
}

Deno.test("a signal while something starts stops it once it has started", async () => {
  const running = work();
  const starting = Promise.withResolvers<Running>();
  const ending = untilStopped(starting.promise, OPTIONS);
  await terminateOurselves();
  assert.ok(!running.stopped);
  starting.resolve(running);
  assert.equal(await ending, 0);
  assert.ok(running.stopped);
});

Deno.test("what ends by itself is stopped, and its status is answered", async () => {
  const running = work();
  const ended = Promise.resolve(78);
  assert.equal(await untilStopped(Promise.resolve({ ...running, ended }), OPTIONS), 78);
});

Deno.test("what a start throws is thrown, and signals are handled no longer", async () => {
  const failing = Promise.reject(new Error("no room"));
  await assert.rejects(untilStopped(failing, OPTIONS), /no room/);
});

Deno.test("without a signal it is stopped when the starter is gone", async () => {
  const running = work();
  const gone = Promise.resolve();
  assert.equal(await untilStopped(Promise.resolve(running), { ...OPTIONS, gone }), 0);
  assert.ok(running.stopped);
});

Deno.test("a process frees room for young objects that only its start filled", async () => {
  const module = new URL("../../../system/core/process/start_garbage.ts", import.meta.url);
  const script = `
    import { getHeapSpaceStatistics } from "node:v8";
    import { freeStartMemory } from ${JSON.stringify(module.href)};
    const room = () => getHeapSpaceStatistics()
      .find(({ space_name }) => space_name === "new_space").space_size;
    let kept = [];
    for (let i = 0; i < 300_000; i++) kept.push({ i, text: [i] });
    kept = [];
    const before = room();
    freeStartMemory();
    // The process does not wait for it by itself.
    const looking = setInterval(() => {
      if (room() < before / 2) clearInterval(looking);
    }, 100);
  `;
  const { success, stderr } = await new Deno.Command(Deno.execPath(), {
    args: [
      "eval",
      `--v8-flags=${["--expose-gc", ...MEMORY_REDUCER].join(",")}`,
      `--config=${fileURLToPath(new URL("../../../deno.json", import.meta.url))}`,
      script,
    ],
    signal: AbortSignal.timeout(120_000),
  }).output();
  assert.ok(success, new TextDecoder().decode(stderr));
});
