import assert from "node:assert/strict";
import { Bus } from "../../../system/core/events/bus.ts";
import { type TestRouter, testRouter } from "../../kit/router.ts";

/** Parts of a stream after an id, until one has this text. */
async function streamed(
  router: TestRouter,
  after: number | string,
  last: string,
): Promise<string[]> {
  const response = await router.ask("GET", "/events?topics=wan:,of:", {
    headers: { "last-event-id": String(after) },
  });
  let text = "";
  const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader();
  while (!text.includes(last)) text += (await reader.read()).value;
  await reader.cancel();
  return text.split("\n\n").filter((part) => /^(id|event):/.test(part));
}

Deno.test("a stream goes on after the last event across a restart, without gap or double", async () => {
  const router = await testRouter();
  const publish = ({ bus }: TestRouter, Iface: string) =>
    bus.publish("wan:uplink:up", { Iface }).id;
  const first = publish(router, "wan0");
  const ids = [publish(router, "wan1"), publish(router, "wan2")];
  await using again = await router.reopen({ bus: new Bus() });
  ids.push(publish(again, "wan3"));
  assert.deepEqual(ids, ids.toSorted((a, b) => a - b));
  assert.equal(new Set(ids).size, 3);
  const parts = await streamed(again, first, "wan3");
  assert.deepEqual(parts.map((part) => Number(/^id: (\d+)/.exec(part)![1])), ids);
});

Deno.test("ids go on above those of the last run, also where the clock went back", async () => {
  const start = Date.UTC(2026, 5, 1);
  const router = await testRouter({ bus: new Bus(() => start), now: () => start });
  const { id } = router.bus.publish("wan:uplink:up", { Iface: "wan0" });
  const earlier = start - 30 * 86_400_000;
  await using again = await router.reopen({ bus: new Bus(() => earlier), now: () => earlier });
  assert.ok(again.bus.publish("wan:uplink:up", { Iface: "wan0" }).id > id);
});

Deno.test("an id that no event had is reported, as is one of deleted events", async () => {
  await using router = await testRouter();
  const { id } = router.bus.publish("wan:uplink:up", { Iface: "wan0" });
  for (const future of [id + 1_000_000, Number.MAX_SAFE_INTEGER, "9".repeat(40)]) {
    const [unknown] = await streamed(router, future, "resync");
    assert.equal(unknown, 'event: resync\ndata: {"reason":"unknown"}', String(future));
  }
});

Deno.test("more events than a reader takes at once are resumed at its pace", async () => {
  await using router = await testRouter();
  const settings = await router.json<Record<string, unknown>>("GET", "/plugins/db/config");
  await router.json("PUT", "/plugins/db/config", { body: { ...settings, SaveEvents: ["of:"] } });
  const text = "x".repeat(20_000);
  const { id } = router.bus.publish("of:tests", "first");
  for (let n = 0; n < 300; n++) router.bus.publish("of:tests", { n, text });
  router.bus.publish("of:tests", "the last");
  const parts = await streamed(router, id, "the last");
  assert.equal(parts.length, 301);
});
