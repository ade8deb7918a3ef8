import assert from "node:assert/strict";
import { Hono } from "hono";
import { errorAnswer } from "../../../routes/http/answer.ts";
import { withJson } from "../../../routes/http/body.ts";

/** Keeps the deadlines that are set meanwhile, so that a test may let them pass. */
function heldDeadlines(): { pass(): void; [Symbol.dispose](): void } {
  const original = globalThis.setTimeout;
  const held: (() => void)[] = [];
  globalThis.setTimeout = ((work: () => void, milliseconds?: number) => {
    if (milliseconds !== 15_000) return original(work, milliseconds);
    held.push(work);
    return 0;
  }) as typeof setTimeout;
  return {
    pass: () => held.forEach((work) => work()),
    [Symbol.dispose]: () => void (globalThis.setTimeout = original),
  };
}

for (const [where, begin] of [["between characters", [0x22]], ["in one", [0x22, 0xc3]]] as const) {
  Deno.test(`a body that stops ${where} is too slow`, async () => {
    using deadlines = heldDeadlines();
    const app = new Hono();
    app.onError((error) =>
      errorAnswer(error, () => {
        throw error;
      })
    );
    app.put("/", withJson({ use: (_, __, next) => next() }), (c) => c.text("taken"));
    const waits = Promise.withResolvers<void>();
    const chunks = [new Uint8Array(begin)];
    const body = new ReadableStream<Uint8Array>({
      pull: (controller) => {
        const chunk = chunks.shift();
        if (chunk !== undefined) return controller.enqueue(chunk);
        waits.resolve();
        return new Promise(() => {});
      },
    }, { highWaterMark: 0 });
    const answer = app.request("/", { method: "PUT", body });
    await waits.promise;
    deadlines.pass();
    const { status, detail } = await (await answer).json();
    assert.deepEqual([status, detail], [408, "The body did not arrive in time"]);
  });
}
