import assert from "node:assert/strict";
import type { ReplyChannel } from "../../../system/dns/resolver/pending_queries.ts";
import { type QueryHandler, StreamServer } from "../../../system/dns/resolver/stream_server.ts";
import type { ByteStream } from "../../../system/core/net/transport.ts";
import { ManualClock, settle } from "../../kit/dns/fake_upstream.ts";
import { faultsOf } from "../../kit/browser/faults_of.ts";

const FROM = { address: "192.168.2.6", port: 4000, local: "192.168.2.1" };

/** A connection whose client is the test. */
function connection() {
  const chunks: Uint8Array[] = [];
  const written: number[] = [];
  let wake = (): void => {};
  let over = false, closed = false, stuck = false;
  const stream: ByteStream = {
    async read(into) {
      while (chunks.length === 0) {
        if (over || closed) return null;
        await new Promise<void>((resolve) => wake = resolve);
      }
      const next = chunks.shift()!;
      const count = Math.min(into.length, next.length);
      into.set(next.subarray(0, count));
      if (count < next.length) chunks.unshift(next.subarray(count));
      return count;
    },
    async write(bytes) {
      if (closed) throw new Error("Broken pipe");
      if (stuck) await new Promise<void>(() => {});
      written.push(...bytes);
    },
    close() {
      closed = true;
      wake();
    },
  };
  const send = async (...bytes: readonly number[]): Promise<void> => {
    chunks.push(Uint8Array.from(bytes));
    wake();
    await settle();
  };
  return {
    stream,
    send,
    /** What came back, each message. */
    got: (): string[] => {
      const messages: string[] = [];
      for (let at = 0; at < written.length; at += 2 + (written[at]! << 8 | written[at + 1]!)) {
        const size = written[at]! << 8 | written[at + 1]!;
        messages.push(String.fromCharCode(...written.slice(at + 2, at + 2 + size)));
      }
      return messages;
    },
    end: async () => {
      over = true;
      wake();
      await settle();
    },
    jam: () => stuck = true,
    get closed() {
      return closed;
    },
  };
}

/** Queries are texts: `now` is answered with itself, `later` when `say` is called, `drop` never. */
function served() {
  const clock = new ManualClock();
  const waiting: { readonly text: string; readonly channel: ReplyChannel }[] = [];
  const take: QueryHandler = (query, out, from, channel) => {
    const text = String.fromCharCode(...query);
    if (text === "drop") channel.send(null, from);
    if (text === "fault") throw new Error("It went wrong");
    if (text.startsWith("later")) waiting.push({ text, channel });
    if (!text.startsWith("now")) return 0;
    out.set(query);
    return query.length;
  };
  const server = new StreamServer(take, clock);
  const say = (at: number): void => {
    const { text, channel } = waiting[at]!;
    channel.send(new TextEncoder().encode(text), FROM);
  };
  return { clock, server, waiting, say };
}

const framed = (text: string): number[] => [0, text.length, ...new TextEncoder().encode(text)];

Deno.test("queries of one connection are answered in any order, however their bytes arrive", async () => {
  const { server, say } = served();
  const one = connection();
  const done = server.serve(one.stream, FROM);
  await one.send(...framed("later1"), ...framed("now2"), 0);
  assert.deepEqual(one.got(), ["now2"]);
  for (const byte of [...framed("now3").slice(1), ...framed("later4")]) await one.send(byte);
  say(1);
  say(0);
  await settle();
  assert.deepEqual(one.got(), ["now2", "now3", "later4", "later1"]);
  await one.end();
  await done;
  assert.ok(one.closed);
  assert.equal(server.connections, 0);
});

Deno.test("a client that closed its side still gets pending responses", async () => {
  const { server, say } = served();
  const one = connection();
  const done = server.serve(one.stream, FROM);
  await one.send(...framed("later1"));
  await one.end();
  assert.ok(!one.closed);
  say(0);
  await done;
  assert.deepEqual(one.got(), ["later1"]);
});

Deno.test("a connection that is idle, has half a query or unread responses is closed in time", async () => {
  for (const kind of ["nothing", "half", "unread"] as const) {
    const { clock, server } = served();
    const one = connection();
    const done = server.serve(one.stream, FROM);
    if (kind === "half") await one.send(0, 9, 1);
    if (kind === "unread") {
      one.jam();
      await one.send(...framed("now1"));
    }
    await clock.advance(9000);
    assert.ok(!one.closed, kind);
    await clock.advance(1100);
    assert.ok(one.closed, kind);
    await done;
    assert.equal(clock.waiting, 0, kind);
  }
});

Deno.test("bytes one at a time do not keep a connection open", async () => {
  const { clock, server } = served();
  const one = connection();
  const done = server.serve(one.stream, FROM);
  await one.send(0, 200);
  for (let i = 0; i < 12; i++) {
    await one.send(1);
    await clock.advance(1000);
  }
  assert.ok(one.closed);
  await done;
});

Deno.test("an invalid or too long query closes its connection", async () => {
  for (const bytes of [framed("drop"), [0xff, 0xff, 1, 2]]) {
    const { server } = served();
    const one = connection();
    const done = server.serve(one.stream, FROM);
    await one.send(...bytes);
    await done;
    assert.ok(one.closed);
  }
});

Deno.test("an error with a query is reported, and closes its own connection only", async () => {
  const { server } = served();
  const [one, other] = [connection(), connection()];
  const done = [one, other].map(({ stream }) => server.serve(stream, FROM));
  const faults = await faultsOf(() => one.send(...framed("fault")));
  await other.send(...framed("now"));
  assert.deepEqual([faults, one.closed, other.got()], [["It went wrong"], true, ["now"]]);
  await other.end();
  await Promise.all(done);
});

Deno.test("connections are limited per client and in all, and so are pending queries", async () => {
  const { server, waiting, say } = served();
  const mine = Array.from({ length: 25 }, connection);
  const jobs = mine.map(({ stream }) => server.serve(stream, FROM));
  await settle();
  assert.equal(mine.filter(({ closed }) => closed).length, 5);
  const others = Array.from({ length: 300 }, connection);
  jobs.push(
    ...others.map(({ stream }, i) =>
      server.serve(stream, { ...FROM, address: `10.0.0.${i % 250}` })
    ),
  );
  await settle();
  assert.equal(server.connections, 200);
  const [first] = mine;
  await first!.send(...Array.from({ length: 80 }, () => framed("later")).flat());
  assert.equal(waiting.length, 50);
  say(0);
  await settle();
  assert.equal(waiting.length, 51);
  server.close();
  await Promise.all(jobs);
  assert.equal(server.connections, 0);
});
