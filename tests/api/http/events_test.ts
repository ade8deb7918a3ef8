import assert from "node:assert/strict";
import { eventsRoutes } from "../../../routes/events.ts";
import { eventStream, type EventStreamOptions } from "../../../routes/events/event_stream.ts";
import { Bus, type BusEvent } from "../../../system/core/events/bus.ts";
import type { Config } from "../../../system/config.ts";
import type { ChangeEngine } from "../../../system/core/engine/change.ts";
import { plainApp } from "../../kit/plain_app.ts";

interface Stage {
  readonly bus: Bus;
  readonly ending: AbortController;
  readonly closed: () => number;
  readonly open: (options?: Partial<EventStreamOptions>) => ReadableStreamDefaultReader<Uint8Array>;
}

function stage(): Stage {
  const bus = new Bus(() => 7, 100);
  const ending = new AbortController();
  let closed = 0;
  return {
    bus,
    ending,
    closed: () => closed,
    open: (options = {}) =>
      eventStream({
        bus,
        ending: ending.signal,
        topics: [],
        after: null,
        mayRead: () => true,
        holds: () => Promise.resolve(true),
        closed: () => closed++,
        ...options,
      }).getReader(),
  };
}

async function next(reader: ReadableStreamDefaultReader<Uint8Array>): Promise<string | undefined> {
  const { value } = await reader.read();
  return value === undefined ? undefined : new TextDecoder().decode(value);
}

Deno.test("frequent events reach readers, and evict no others from the backlog", () => {
  const bus = new Bus(() => 7, 100);
  const received: string[] = [];
  bus.subscribe(({ topic }) => received.push(topic));
  const { id } = bus.publish("devices", 1);
  for (let i = 0; i < 5000; i++) bus.publish("dns:serve:192.168.2.6", i, { kept: false });
  bus.publish("groups", 2);
  assert.equal(received.length, 5002);
  assert.deepEqual(bus.since(id)?.map(({ topic }) => topic), ["groups"]);
  assert.deepEqual(bus.since(100)?.map(({ topic }) => topic), ["devices", "groups"]);
  for (let i = 0; i < 1023; i++) bus.publish("changes", i);
  assert.deepEqual(bus.since(100), null);
  assert.equal(bus.since(id)?.length, 1024);
});

Deno.test("the event with every device is sent only to a reader that names it", async () => {
  const { bus, open } = stage();
  const named = open({ topics: ["devices:save"] }),
    all = open(),
    prefix = open({ topics: ["dev"] });
  for (const reader of [named, all, prefix]) await next(reader);
  bus.publish("devices:save", {});
  bus.publish("devices", {});
  assert.match(await next(named) ?? "", /^id: 101\n/);
  assert.match(await next(all) ?? "", /^id: 102\n/);
  assert.match(await next(prefix) ?? "", /^id: 102\n/);
  for (const reader of [named, all, prefix]) await reader.cancel();
});

Deno.test("an event has id, topic and data", async () => {
  const { bus, open, closed } = stage();
  const reader = open();
  assert.equal(await next(reader), "retry: 2000\n\n");
  bus.publish("devices", { keys: ["a\nb"] });
  assert.equal(
    await next(reader),
    'id: 101\nevent: devices\ndata: {"topic":"devices","at":7,"data":{"keys":["a\\nb"]}}\n\n',
  );
  await reader.cancel();
  assert.equal(closed(), 1);
  bus.publish("devices", {});
});

Deno.test("events of one moment come in one part, later ones in order, and none is lost at the end", async () => {
  const { bus, open, ending } = stage();
  const reader = open();
  await next(reader);
  const parts: string[] = [];
  const read = (async () => {
    for (let part = await next(reader); part !== undefined; part = await next(reader)) {
      parts.push(part);
    }
  })();
  for (let i = 0; i < 100; i++) bus.publish("devices", i);
  await new Promise((resolve) => setTimeout(resolve, 0));
  for (let i = 0; i < 5; i++) {
    bus.publish("devices", i);
    await new Promise((resolve) => setTimeout(resolve, 1));
  }
  bus.publish("groups", 1);
  ending.abort();
  await read;
  const ids = [...parts.join("").matchAll(/^id: (\d+)$/gm)].map(([, id]) => Number(id));
  assert.deepEqual(ids, Array.from({ length: 106 }, (_, i) => 101 + i));
  assert.ok(parts.length <= 4, `${parts.length} parts`);
});

Deno.test("an event stream is filtered by topic prefixes", async () => {
  const { bus, open } = stage();
  const reader = open({ topics: ["alert", "groups"] });
  await next(reader);
  for (const topic of ["devices", "alert:x", "groups"]) bus.publish(topic, 0);
  const text = await next(reader) ?? "";
  assert.deepEqual(text.match(/(?<=event: ).*/g), ["alert:x", "groups"]);
  await reader.cancel();
});

Deno.test("a reader that reconnects gets what it missed, or a reset event", async () => {
  const { bus, open } = stage();
  for (let i = 0; i < 3; i++) bus.publish("devices", i);
  const reader = open({ after: 102 });
  await next(reader);
  assert.match(await next(reader) ?? "", /^id: 103\n/);
  await reader.cancel();
  const late = open({ after: 12 });
  await next(late);
  assert.equal(await next(late), 'event: resync\ndata: {"reason":"gone"}\n\n');
  await late.cancel();
});

Deno.test("what is stored and streamed while a reader catches up comes once, in order", async () => {
  const { bus, open, ending } = stage();
  const events: BusEvent[] = [];
  bus.subscribe((event) => events.push(event));
  const row = ({ data, ...event }: BusEvent) => ({ ...event, data: JSON.stringify(data) });
  // Another reader is served meanwhile, so that what follows is gathered for a moment.
  const other = open();
  bus.publish("devices", 0);
  await new Promise((resolve) => setTimeout(resolve, 0));
  const store = {
    since: async (id: number, most: number) => {
      bus.publish("devices", "while it is read");
      // One that is not stored.
      bus.publish("devices:save", {}, { kept: false });
      await new Promise((resolve) => setTimeout(resolve, 5));
      return events.filter((one) => one.id > id && one.topic === "devices").slice(0, most).map(row);
    },
  };
  const reader = open({ after: 100, store });
  await new Promise((resolve) => setTimeout(resolve, 60));
  bus.publish("groups", 1);
  ending.abort();
  let text = "";
  for (let part = await next(reader); part !== undefined; part = await next(reader)) text += part;
  const ids = [...text.matchAll(/^id: (\d+)$/gm)].map(([, id]) => Number(id));
  assert.deepEqual(ids, [101, 102, 104]);
  await other.cancel();
});

Deno.test("a reader with a mebibyte pending is disconnected", async () => {
  const { bus, open, closed } = stage();
  const reader = open();
  const text = "x".repeat(100_000);
  for (let i = 0; i < 20; i++) bus.publish("devices", text);
  // They go out at the end of this turn.
  await Promise.resolve();
  assert.equal(closed(), 1);
  let bytes = 0;
  for (let part = await reader.read(); !part.done; part = await reader.read()) {
    bytes += part.value.length;
  }
  assert.ok(bytes < 1_300_000);
});

Deno.test("an event stream has heartbeats and ends with the process", async () => {
  const { open, ending, closed } = stage();
  const reader = open({ heartbeat: 1 });
  await next(reader);
  assert.match(await next(reader) ?? "", /^(: still here\n\n)+$/);
  ending.abort();
  assert.equal(closed(), 1);
});

Deno.test("GET /events is an event stream, HEAD /events has no body", async () => {
  const bus = new Bus(() => 7, 100);
  const ending = new AbortController();
  const routes = eventsRoutes({
    bus,
    ending: ending.signal,
    reads: () => Promise.resolve(() => true),
    holds: () => Promise.resolve(true),
  });
  const call = plainApp({} as ChangeEngine<Config>, routes);
  const head = await call("HEAD", "/events");
  assert.equal(head.headers.get("content-type"), "text/event-stream");
  const answer = call("GET", "/events");
  await new Promise((resolve) => setTimeout(resolve, 0));
  bus.publish("devices", {});
  ending.abort();
  assert.match((await answer).text, /event: devices/);
});

Deno.test("an event stream ends at the heartbeat after its permission was revoked", async () => {
  const { open, closed } = stage();
  let allowed = true;
  const reader = open({ heartbeat: 1, holds: () => Promise.resolve(allowed) });
  await next(reader);
  await next(reader);
  allowed = false;
  for (let i = 0; i < 100 && await next(reader) !== undefined; i++);
  assert.equal(closed(), 1);
});

Deno.test("signing out ends the session's event streams and no others", async () => {
  const { open, bus, closed } = stage();
  let allowed = true;
  const reader = open({ holds: () => Promise.resolve(allowed) });
  const other = open({ holds: () => Promise.resolve(true), topics: ["devices"] });
  await next(reader);
  await next(other);
  allowed = false;
  bus.publish("auth:logout", { username: "admin" });
  while (await next(reader) !== undefined);
  assert.equal(closed(), 1);
  bus.publish("devices", {});
  assert.match(await next(other) ?? "", /event: devices/);
  await other.cancel();
});
