import assert from "node:assert/strict";
import { PacketCalls } from "../../../system/host/datagrams/packet_calls.ts";
import { OutgoingPackets } from "../../../system/host/datagrams/outgoing_packets.ts";
import { PacketBatch } from "../../../system/host/datagrams/packet_batch.ts";
import { PacketLoop } from "../../../system/host/datagrams/packet_loop.ts";
import { runtimeBell } from "../../../system/host/datagrams/runtime_bell.ts";

const HERE = 0x7f000001;

/** The calls, and what sends a datagram to a port of the loopback. */
function ground() {
  const calls = new PacketCalls();
  const descriptor = calls.bind("127.0.0.1", 0);
  const out = new OutgoingPackets(calls.symbols, (memory) => calls.addressOf(memory));
  const knock = (port: number): void => {
    out.put(descriptor, Uint8Array.of(7), { raw: HERE, port });
    out.flush();
  };
  const end = (): void => {
    calls.close(descriptor);
    calls.end();
  };
  return { calls, descriptor, knock, end };
}

/** Where the runtime waits; it is busy at times, and then cannot be told from others. */
async function bellOf({ calls, knock }: ReturnType<typeof ground>): Promise<number> {
  for (let i = 0; i < 50; i++) {
    await calls.rest();
    const bell = runtimeBell(calls, knock);
    if (bell >= 0) return bell;
  }
  return -1;
}

Deno.test("where the runtime waits is found, and has something just when one of its connections has", async () => {
  const one = ground();
  const { calls, knock, end } = one;
  const door = Deno.listenDatagram({ transport: "udp", hostname: "127.0.0.1", port: 0 });
  try {
    const bell = await bellOf(one);
    assert.ok(bell >= 0);
    assert.ok(calls.isWaiter(bell));
    assert.ok(!calls.isWaiter(0) && !calls.isWaiter(one.descriptor) && !calls.isWaiter(9999));
    let heard = door.receive();
    for (let i = 0; i < 3; i++) {
      await calls.rest();
      knock((door.addr as Deno.NetAddr).port);
      assert.deepEqual(calls.readable([bell], 1000), [bell]);
      assert.deepEqual([...(await heard)[0]], [7]);
      heard = door.receive();
    }
    knock((door.addr as Deno.NetAddr).port);
    await heard;
  } finally {
    door.close();
    end();
  }
});

for (const hears of [true, false]) {
  const way = hears ? "heard" : "let look now and then";
  Deno.test(`packets, timers and connections all have their turn where the runtime is ${way}`, async () => {
    const one = ground();
    const { calls, descriptor, knock, end } = one;
    if (hears) calls.hearRuntime(await bellOf(one));
    assert.equal(calls.hearsRuntime, hears);
    let tries = 0;
    const loop = new PacketLoop(calls, () => tries++);
    const arrived = new PacketBatch((memory) => calls.addressOf(memory));
    const port = calls.portOf(descriptor);
    let packets = 0, goesOn = true;
    // Each packet sends the next, so that there is no pause.
    loop.serve(descriptor, () => {
      packets += arrived.receive(calls.symbols, descriptor);
      if (goesOn) knock(port);
    });
    const { promise: left, resolve } = Promise.withResolvers<void>();
    loop.hold();
    knock(port);
    const listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
    const [here, there] = await Promise.all([
      Deno.connect({ hostname: "127.0.0.1", port: listener.addr.port }),
      listener.accept(),
    ]);
    const byte = new Uint8Array(1);
    for (let i = 0; i < 20; i++) {
      await here.write(Uint8Array.of(i));
      await there.read(byte);
      assert.equal(byte[0], i);
    }
    await new Promise((resolve) => setTimeout(resolve, 20));
    assert.ok(packets > 20, `${packets} packets meanwhile`);
    assert.equal(tries > 0, !hears);
    goesOn = false;
    loop.release(resolve);
    await left;
    for (const one of [here, there, listener]) one.close();
    end();
  });
}

Deno.test("a batch takes each packet whole and as it is, however many came before it and how long they were", () => {
  const { calls, descriptor, end } = ground();
  const out = new OutgoingPackets(calls.symbols, (memory) => calls.addressOf(memory));
  const arrived = new PacketBatch((memory) => calls.addressOf(memory));
  const to = { raw: HERE, port: calls.portOf(descriptor) };
  let seed = 1;
  const next = (below: number): number => (seed = Math.imul(seed, 48271) >>> 1) % below;
  for (let turn = 0; turn < 200; turn++) {
    const sent = Array.from(
      { length: turn % 3 === 0 ? 1 + next(64) : next(3) },
      () => new Uint8Array(1 + next(turn % 7 === 0 ? 4000 : 300)).map(() => next(256)),
    );
    for (const bytes of sent) out.put(descriptor, bytes, to);
    out.flush();
    const count = arrived.receive(calls.symbols, descriptor);
    assert.equal(count, sent.length);
    sent.forEach((bytes, i) => {
      assert.deepEqual(arrived.received(i), bytes);
      assert.deepEqual([arrived.address(i), arrived.port(i)], [HERE, to.port]);
    });
  }
  assert.equal(arrived.receive(calls.symbols, 9999), 0, "nothing comes from where nothing can");
  end();
});
