import assert from "node:assert/strict";
import fc from "fast-check";
import type { Answers } from "../../../system/events/store/messages.ts";
import { packed, unpackSteps } from "../../../system/events/store/packed_items.ts";

/** What comes of an answer on its way from the thread, and in how many steps. */
function sent(type: "entries" | "items" | "latest", value: Answers[typeof type]) {
  const steps = unpackSteps(structuredClone(packed(type, value)));
  for (let count = 0;; count++) {
    const step = steps.next();
    if (step.done) return { value: step.value, count };
  }
}

Deno.test("long answers of the event store are read item by item, and are what was sent", () => {
  const item = fc.jsonValue({ maxDepth: 3 }).map((value) => JSON.parse(JSON.stringify(value)));
  const stopped = fc.option(
    fc.record({ at: fc.nat(), nanos: fc.nat() }, { noNullPrototype: true }),
  );
  fc.assert(fc.property(fc.array(item), stopped, (values, stoppedAt) => {
    const entries = values.map((Value, n) => ({ Key: `key ${n}`, Value }));
    assert.deepEqual(sent("entries", entries), { value: entries, count: values.length });
    const found = { items: values, stoppedAt };
    assert.deepEqual(sent("items", found), { value: found, count: values.length });
  }));
  assert.deepEqual(sent("entries", null), { value: null, count: 0 });
  const latest = { events: [{ id: 1, topic: "of:tests", at: 1, data: "{}" }], isCut: true };
  assert.deepEqual(sent("latest", latest), { value: latest, count: 0 });
});
