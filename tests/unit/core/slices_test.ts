import assert from "node:assert/strict";
import { Pace, SharedWork, TURN_MS, Turns } from "../../../system/core/time/slices.ts";

function* steps(number: number, done: () => void = () => {}): Generator<void, number> {
  for (let i = 0; i < number; i++) {
    done();
    yield;
  }
  return number;
}

Deno.test("long work gives the others their turn after each slice, and ends when nobody waits", async () => {
  let [time, turns] = [0, 0];
  const pace = new Pace({
    clock: () => time,
    turn: () => {
      turns++;
      return Promise.resolve();
    },
  });
  assert.equal(await pace.run(steps(10, () => time += 4)), 10);
  assert.equal(turns, 5, "every 8 ms");
  const signal = AbortSignal.abort(new Error("gone"));
  await assert.rejects(pace.run(steps(10, () => time += 4), signal), /gone/);
  const broken = steps(10, () => {
    if ((time += 4) % 40 === 0) throw new Error("broken");
  });
  await assert.rejects(pace.run(broken), /broken/);
  assert.equal(await pace.run(steps(3, () => time += 4)), 3, "the next work goes on");
});

Deno.test("long works take turns, and let others go first for a while", async () => {
  let time = 0;
  const order: string[] = [];
  let busy = 0;
  const pace = new Pace({
    clock: () => time,
    turn: () => {
      order.push("others");
      time += busy;
      return Promise.resolve();
    },
  });
  const work = (name: string) =>
    pace.run(steps(2, () => {
      order.push(name);
      time += 8;
    }));
  await Promise.all([work("a"), work("b")]);
  const expected = "a, others, b, a, others, b, others, others";
  assert.equal(order.join(", "), expected, "one slice at a time, but the first of b");
  order.length = 0;
  busy = 5;
  await work("a");
  assert.equal(order.join(", "), "a, others, others, a, others, others", "until they had 8 ms");
});

Deno.test("however long others take, long work gets on at half of their time, and 40 ms at most", async () => {
  for (const [busy, length] of [[5, 8], [30, 15], [60, 30], [500, 40]] as const) {
    let [time, turnEnd] = [0, 0];
    const slices: number[] = [];
    const pace = new Pace({
      clock: () => time,
      turn: () => {
        slices.push(time - turnEnd);
        turnEnd = time += busy;
        return Promise.resolve();
      },
    });
    await pace.run(steps(100, () => time += 1));
    const held = slices.filter((one) => one > 0);
    assert.deepEqual(held.slice(0, 2), [8, length], `${busy} ms`);
  }
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

Deno.test("work that everyone left takes nothing from what was begun in its place", async () => {
  const shared = new SharedWork<number>();
  const key = {};
  const works: PromiseWithResolvers<number>[] = [];
  const ask = (signal?: AbortSignal) =>
    shared.run(key, "all", {
      ...(signal ? { signal } : {}),
      work: () => {
        const begun = Promise.withResolvers<number>();
        works.push(begun);
        return begun.promise;
      },
    });
  const leaving = new AbortController();
  const first = ask(leaving.signal);
  leaving.abort(new Error("gone"));
  await assert.rejects(first, /gone/);
  const second = ask();
  works[0]!.resolve(1);
  await new Promise((resolve) => setTimeout(resolve, 0));
  const third = ask();
  assert.equal(works.length, 2, "they share the second one");
  works[1]!.resolve(2);
  assert.deepEqual(await Promise.all([second, third]), [2, 2]);
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

Deno.test("work that others wait for lets the rest have one turn each time it took long enough", async () => {
  let time = 0;
  const order: string[] = [];
  const turns = new Turns({
    clock: () => time,
    turn: () => {
      order.push("others");
      time += 500;
      return Promise.resolve();
    },
  });
  const part = (name: string, took: number) => {
    order.push(name);
    time += took;
  };
  const half = Math.ceil(TURN_MS / 2);
  const result = await turns.run((function* () {
    for (const name of ["a", "b", "c", "d", "e"]) {
      part(name, half);
      yield;
    }
    return "done";
  })());
  assert.equal(result, "done");
  assert.equal(order.join(" "), "a b others c d others e");
  order.length = 0;
  await turns.pause();
  part("f", half);
  await turns.pause();
  part("g", half);
  turns.begin();
  await turns.pause();
  part("h", 2 * half);
  await turns.pause();
  assert.equal(order.join(" "), "f others g h others", "e and f together, and not after a wait");
  await assert.rejects(
    turns.run((function* () {
      yield;
      throw new Error("broken");
    })()),
    /broken/,
  );
});
