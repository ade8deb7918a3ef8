import assert from "node:assert/strict";
import { inSlices, SharedWork } from "../../../system/core/time/slices.ts";

function* steps(number: number, done: () => void = () => {}): Generator<void, number> {
  for (let i = 0; i < number; i++) {
    done();
    yield;
  }
  return number;
}

Deno.test("long work gives the others their turn after each slice, and ends when nobody waits", async () => {
  let [time, turns] = [0, 0];
  const options = {
    clock: () => time,
    turn: () => {
      turns++;
      return Promise.resolve();
    },
  };
  assert.equal(await inSlices(steps(10, () => time += 10), options), 10);
  assert.equal(turns, 5, "every 20 ms");
  const signal = AbortSignal.abort(new Error("gone"));
  await assert.rejects(inSlices(steps(10, () => time += 10), { ...options, signal }), /gone/);
});

Deno.test("callers of one moment share the work, and it goes on until the last is gone", async () => {
  const shared = new SharedWork<number>();
  const key = {};
  let begun = 0;
  const ask = (signal?: AbortSignal) =>
    shared.run(key, "all", {
      ...(signal ? { signal } : {}),
      steps: () => {
        begun++;
        // Longer than a slice, so that others come in between.
        return steps(100, () => {
          for (const end = performance.now() + 1; performance.now() < end;);
        });
      },
    });
  const leaving = new AbortController();
  const first = ask(leaving.signal), second = ask();
  leaving.abort(new Error("gone"));
  await assert.rejects(first, /gone/);
  assert.equal(await second, 100);
  assert.equal(begun, 1);
  assert.equal(await ask(), 100);
  assert.equal(begun, 2, "a later question is computed anew");
});

Deno.test("work of any kind is shared, and reported when nobody waits for it any more", async () => {
  const shared = new SharedWork<string>();
  const key = {};
  const { promise: ended, resolve: end } = Promise.withResolvers<string>();
  let begun = 0;
  const ask = (signal: AbortSignal) =>
    shared.run(key, "one", {
      signal,
      work: (ending) => {
        begun++;
        ending.addEventListener("abort", () => end("ended"));
        return new Promise<string>(() => {});
      },
    });
  const [one, two] = [new AbortController(), new AbortController()];
  const answers = [ask(one.signal), ask(two.signal)];
  one.abort(new Error("gone"));
  two.abort(new Error("gone too"));
  await assert.rejects(answers[0]!, /gone/);
  await assert.rejects(answers[1]!, /gone too/);
  assert.equal(await ended, "ended");
  assert.equal(begun, 1);
});
