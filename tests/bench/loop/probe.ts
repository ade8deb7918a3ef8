/**
 * Loaded into the api before its main module: notes how long its main thread worked between two turns
 * of the event loop, in processor time (clock_gettime(2), CLOCK_THREAD_CPUTIME_ID), so that a wait for
 * a core does not count. A timer of a millisecond marks the turns. Notes those of `LEAST` and longer,
 * one a line, in the file that `SLUICE_LOOP_PROBE` names. With `SLUICE_LOOP_PROFILE` it also takes a
 * profile, and writes it to that file once the file is there.
 */
import { Session } from "node:inspector/promises";
import process from "node:process";

/** One stretch without another turn of the loop. */
export interface Hold {
  /** When it ended: unix milliseconds. */
  readonly at: number;
  /** The same by the monotonic clock, which profiles count by: milliseconds. */
  readonly ended: number;
  /** Milliseconds that the thread worked, and that passed. */
  readonly worked: number;
  readonly passed: number;
}

const CLOCK_MONOTONIC = 1, CLOCK_THREAD_CPUTIME_ID = 3;
const TURN_MS = 1, LEAST = 5;
/** Microseconds between two samples of a profile, and milliseconds until it is asked whether it is over. */
const SAMPLING_US = 250, LOOK_MS = 500;

const path = process.env["SLUICE_LOOP_PROBE"];
if (path !== undefined) watch(path);
const profile = process.env["SLUICE_LOOP_PROFILE"];
if (profile !== undefined) await takeProfile(profile);

function watch(file: string): void {
  const libc = Deno.dlopen("libc.so.6", {
    clock_gettime: { parameters: ["i32", "buffer"], result: "i32" },
  });
  const time = new BigInt64Array(2);
  const read = (clock: number): number => {
    libc.symbols.clock_gettime(clock, time);
    return Number(time[0]) * 1000 + Number(time[1]) / 1e6;
  };
  const worked = (): number => read(CLOCK_THREAD_CPUTIME_ID);
  const out = Deno.openSync(file, { write: true, create: true, append: true });
  const encoder = new TextEncoder();
  const write = (line: unknown): number =>
    out.writeSync(encoder.encode(`${JSON.stringify(line)}\n`));
  // The first line of --trace-gc after this tells which isolate is ours, and the zero of its clock.
  (globalThis as { gc?: () => void }).gc?.();
  write({ zero: performance.timeOrigin + performance.now() });
  let before = worked(), began = performance.now();
  const timer = setInterval(() => {
    const now = worked(), ended = performance.now();
    const hold: Hold = {
      at: performance.timeOrigin + ended,
      ended: read(CLOCK_MONOTONIC),
      worked: now - before,
      passed: ended - began,
    };
    if (hold.worked >= LEAST) write(hold);
    [before, began] = [worked(), performance.now()];
  }, TURN_MS);
  // The main module begins once nothing of this one is awaited any more.
  Deno.unrefTimer(timer);
}

async function takeProfile(file: string): Promise<void> {
  const session = new Session();
  session.connect();
  await session.post("Profiler.enable");
  await session.post("Profiler.setSamplingInterval", { interval: SAMPLING_US });
  await session.post("Profiler.start");
  const timer = setInterval(async () => {
    if (!await Deno.stat(file).then(() => true, () => false)) return;
    clearInterval(timer);
    const { profile } = await session.post("Profiler.stop");
    await Deno.writeTextFile(`${file}.new`, JSON.stringify(profile));
    await Deno.rename(`${file}.new`, `${file}.cpuprofile`);
  }, LOOK_MS);
  Deno.unrefTimer(timer);
}
