import assert from "node:assert/strict";
import { openLog } from "../../../system/core/log/log.ts";
import { REFUSED } from "../../../system/core/errors/refusal.ts";
import { PROCESSES } from "../../../system/processes.ts";
import { HEALTHY_MS, restartDelay, Supervisor } from "../../../system/core/process/supervisor.ts";

const INSTALL = PROCESSES.find(({ name }) => name === "install")!;
const API = PROCESSES.find(({ name }) => name === "api")!;

/** A supervisor whose children and clock are moved by the test. */
class Bench {
  now = 0;
  readonly signals: string[] = [];
  readonly supervisor: Supervisor;
  readonly #timers = new Set<{ readonly at: number; readonly action: () => void }>();
  #end: ((code: number) => void) | null = null;
  spawned = 0;

  constructor(process = API) {
    assert.ok(process);
    this.supervisor = new Supervisor({
      process,
      log: openLog({ process: "launcher", human: false, write: () => {} }),
      now: () => this.now,
      after: (milliseconds, action) => {
        const timer = { at: this.now + milliseconds, action };
        this.#timers.add(timer);
        return () => this.#timers.delete(timer);
      },
      spawn: () => {
        assert.equal(this.#end, null, "a second child beside a living one");
        const { promise, resolve } = Promise.withResolvers<{ code: number; signal: null }>();
        this.#end = (code) => resolve({ code, signal: null });
        return {
          pid: ++this.spawned,
          ended: promise,
          signal: (name) => this.signals.push(name),
        };
      },
    });
  }

  async end(code: number): Promise<void> {
    this.#end?.(code);
    this.#end = null;
    await settled();
  }

  pass(milliseconds: number): void {
    this.now += milliseconds;
    for (const timer of [...this.#timers]) {
      if (timer.at > this.now || !this.#timers.delete(timer)) continue;
      timer.action();
    }
  }
}

/** Lets everything run that waits for no clock. */
async function settled(): Promise<void> {
  for (let turn = 0; turn < 5; turn++) await Promise.resolve();
}

Deno.test("pauses double from 0.2 s and never exceed 30 s", () => {
  assert.deepEqual([0, 1, 2, 7, 8, 1000].map(restartDelay), [
    200,
    400,
    800,
    25_600,
    30_000,
    30_000,
  ]);
});

Deno.test("a crashed process starts again after its pause, and not before", async () => {
  const bench = new Bench();
  bench.supervisor.start();
  await bench.end(1);
  assert.equal(bench.supervisor.status.state, "waiting");
  bench.pass(199);
  assert.equal(bench.spawned, 1);
  bench.pass(1);
  assert.equal(bench.spawned, 2);
  assert.equal(bench.supervisor.status.restarts, 1);
});

Deno.test("pauses grow while it keeps crashing and start anew after a healthy minute", async () => {
  const bench = new Bench();
  bench.supervisor.start();
  await bench.end(1);
  bench.pass(200);
  await bench.end(1);
  bench.pass(200);
  assert.equal(bench.spawned, 2);
  bench.pass(200);
  assert.equal(bench.spawned, 3);
  bench.pass(HEALTHY_MS);
  await bench.end(1);
  bench.pass(200);
  assert.equal(bench.spawned, 4);
});

Deno.test("a process that ends with 0 although it is wanted starts again too", async () => {
  const bench = new Bench();
  bench.supervisor.start();
  await bench.end(0);
  assert.equal(bench.supervisor.status.state, "waiting");
});

Deno.test("a refused start is not tried again until someone asks", async () => {
  const bench = new Bench();
  bench.supervisor.start();
  await bench.end(REFUSED);
  assert.equal(bench.supervisor.status.state, "refused");
  bench.pass(1e9);
  assert.equal(bench.spawned, 1);
  bench.supervisor.start();
  assert.equal(bench.spawned, 2);
});

Deno.test("a process that runs once is done when it has ended with 0", async () => {
  const bench = new Bench(INSTALL);
  bench.supervisor.start();
  await bench.end(0);
  assert.equal(bench.supervisor.status.state, "done");
});

Deno.test("start twice is one process", () => {
  const bench = new Bench();
  bench.supervisor.start();
  bench.supervisor.start();
  assert.equal(bench.spawned, 1);
});

Deno.test("stop asks, and kills after four seconds", async () => {
  const bench = new Bench();
  bench.supervisor.start();
  const stopped = bench.supervisor.stop();
  bench.pass(3999);
  assert.deepEqual(bench.signals, ["SIGTERM"]);
  bench.pass(1);
  assert.deepEqual(bench.signals, ["SIGTERM", "SIGKILL"]);
  await bench.end(137);
  await stopped;
  assert.equal(bench.supervisor.status.state, "stopped");
  bench.pass(1e9);
  assert.equal(bench.spawned, 1);
});

Deno.test("stop during a pause ends the waiting", async () => {
  const bench = new Bench();
  bench.supervisor.start();
  await bench.end(1);
  await bench.supervisor.stop();
  bench.pass(1e9);
  assert.equal(bench.spawned, 1);
  assert.equal(bench.supervisor.status.state, "stopped");
});

Deno.test("restart ends the old process before the new one starts", async () => {
  const bench = new Bench();
  bench.supervisor.start();
  const restarted = bench.supervisor.restart();
  assert.equal(bench.spawned, 1);
  await bench.end(0);
  await restarted;
  assert.equal(bench.spawned, 2);
});
