import assert from "node:assert/strict";
import { withManyReaders } from "../../kit/events/many_readers.ts";

Deno.test("two hundred readers over TCP receive every event, streamed or by WebSocket", async () => {
  const crowd = { readers: 200, perSecond: 500, seconds: 3 };
  const kinds = ["sse", "ws", "notices"] as const;
  const received = await withManyReaders(kinds.map((kind) => ({ kind, ...crowd })));
  assert.deepEqual(
    received.map(({ whole, missing }) => ({ whole, missing })),
    kinds.map(() => ({ whole: 200, missing: [] })),
  );
});
