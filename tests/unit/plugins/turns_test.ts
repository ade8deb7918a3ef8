import assert from "node:assert/strict";
import { Turns } from "../../../system/core/time/turns.ts";

Deno.test("work of one name waits for what came before it, however that ended; other names do not", async () => {
  const turns = new Turns(), done: string[] = [];
  const held = Promise.withResolvers<void>();
  const first = turns.take("a", async () => {
    await held.promise;
    done.push("a1");
    throw new Error("It failed");
  });
  const second = turns.take("a", () => Promise.resolve(done.push("a2")));
  await turns.take("b", () => Promise.resolve(done.push("b")));
  assert.deepEqual(done, ["b"]);
  held.resolve();
  await assert.rejects(first, /It failed/);
  assert.equal(await second, 3);
  await turns.take("a", () => Promise.resolve(done.push("a3")));
  assert.deepEqual(done, ["b", "a1", "a2", "a3"]);
});
