import assert from "node:assert/strict";
import { PacketCalls } from "../../../system/host/datagrams/packet_calls.ts";
import { OutgoingPackets } from "../../../system/host/datagrams/outgoing_packets.ts";
import { PacketBatch } from "../../../system/host/datagrams/packet_batch.ts";
import { PacketLoop } from "../../../system/host/datagrams/packet_loop.ts";

const LOOPBACK = 0x7f000001;

/** The calls, and what sends a datagram to a port of the loopback. */
function ground() {
  const calls = new PacketCalls();
  const descriptor = calls.bind("127.0.0.1", 0);
  const outgoing = new OutgoingPackets(calls.symbols, (memory) => calls.addressOf(memory));
  const send = (port: number): void => {
    outgoing.add(descriptor, Uint8Array.of(7), { raw: LOOPBACK, port });
    outgoing.flush();
  };
  const end = (): void => {
    calls.close(descriptor);
    calls.end();
  };
  return { calls, descriptor, send, end };
}

/** A pair of TCP connections that are each other's other end, and their listener. */
async function tcpPair() {
  const listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const [client, server] = await Promise.all([
    Deno.connect({ hostname: "127.0.0.1", port: listener.addr.port }),
    listener.accept(),
  ]);
  const close = (): void => {
    for (const one of [client, server, listener]) one.close();
  };
  return { client, server, close };
}

for (const pause of [0, 0.5]) {
  Deno.test(`timers and TCP connections are served in time while packets arrive every ${pause} ms`, async () => {
    const { calls, descriptor, send, end } = ground();
    const loop = new PacketLoop(calls);
    const received = new PacketBatch((memory) => calls.addressOf(memory));
    const port = calls.portOf(descriptor);
    let packets = 0, stops = false;
    // Each packet sends the next.
    loop.serve(descriptor, () => {
      packets += received.receive(calls.symbols, descriptor);
      if (stops) return;
      const due = calls.now() + pause;
      while (calls.now() < due);
      send(port);
    });
    const { promise: released, resolve } = Promise.withResolvers<void>();
    loop.hold();
    send(port);
    const { client, server, close } = await tcpPair();
    const byte = new Uint8Array(1);
    const began = performance.now();
    for (let i = 0; i < 50; i++) {
      await client.write(Uint8Array.of(i));
      await server.read(byte);
      assert.equal(byte[0], i);
    }
    const round = (performance.now() - began) / 50;
    // Where the runtime polls only after so many turns a round takes 60 ms and more.
    assert.ok(round < 30, `a round over TCP took ${round} ms`);
    while (packets < 40) await new Promise((resolve) => setTimeout(resolve, 1));
    stops = true;
    loop.release(resolve);
    await released;
    close();
    end();
  });
}

Deno.test("the runtime polls at once for handed-off work, and more often while a connection is in use", async () => {
  // The clock of these calls goes on by itself with each wait and stands still else.
  let now = 0, packets = 0;
  const waits: number[] = [], polls: number[] = [];
  const { promise: over, resolve } = Promise.withResolvers<void>();
  const calls = {
    now: () => now,
    watch: () => {},
    wake: () => {},
    readyAt: () => 1,
    sleep: () => Promise.resolve(),
    wait(milliseconds: number) {
      waits.push(milliseconds);
      now += 0.5;
      return 1;
    },
    yieldThread() {
      polls.push(now);
      return Promise.resolve();
    },
  } as unknown as PacketCalls;
  const loop = new PacketLoop(calls);
  loop.serve(1, () => {
    packets++;
    if (packets === 200) loop.connectionUsed();
    if (packets === 521) loop.handOn();
    if (packets === 600) loop.release(resolve);
  });
  loop.hold();
  await over;
  const gaps = (from: number, to: number): readonly number[] =>
    polls.filter((at) => at >= from && at <= to).map((at, i, all) => at - (all[i - 1] ?? at)).slice(
      1,
    );
  assert.deepEqual(new Set(gaps(0, 98)), new Set([25]), "idle connections");
  assert.deepEqual(new Set(gaps(104.5, 198)), new Set([1]), "one in use");
  assert.ok(polls.includes(260.5), "handed on at 260.5");
  assert.ok(Math.max(...waits) <= 25, "the thread waits no longer than the runtime may");
});

Deno.test("a batch receives each packet unchanged, whatever came before it", () => {
  const { calls, descriptor, end } = ground();
  const outgoing = new OutgoingPackets(calls.symbols, (memory) => calls.addressOf(memory));
  const received = new PacketBatch((memory) => calls.addressOf(memory));
  const to = { raw: LOOPBACK, port: calls.portOf(descriptor) };
  let seed = 1;
  const next = (below: number): number => (seed = Math.imul(seed, 48271) >>> 1) % below;
  for (let turn = 0; turn < 200; turn++) {
    const sent = Array.from(
      { length: turn % 3 === 0 ? 1 + next(64) : next(3) },
      () => new Uint8Array(1 + next(turn % 7 === 0 ? 4000 : 300)).map(() => next(256)),
    );
    for (const bytes of sent) outgoing.add(descriptor, bytes, to);
    outgoing.flush();
    const count = received.receive(calls.symbols, descriptor);
    assert.equal(count, sent.length);
    sent.forEach((bytes, i) => {
      assert.deepEqual(received.received(i), bytes);
      assert.deepEqual([received.address(i), received.port(i)], [LOOPBACK, to.port]);
    });
  }
  assert.equal(received.receive(calls.symbols, 9999), 0, "nothing comes from where nothing can");
  end();
});
