import assert from "node:assert/strict";
import { listenForPackets } from "../../../system/host/datagrams/packet_listener.ts";

/** Files of this process that are sockets, by their number. */
function sockets(): ReadonlySet<string> {
  const found = new Set<string>();
  for (const { name } of Deno.readDirSync("/proc/self/fd")) {
    try {
      if (Deno.readLinkSync(`/proc/self/fd/${name}`).startsWith("socket:")) found.add(name);
    } catch {
      // It was the one that lists them.
    }
  }
  return found;
}

/** Below the ports that the kernel chooses itself, and another one in each run. */
const PORT = 10_000 + Deno.pid % 20_000;

// The C library is opened with the first listener and stays open, which is no leak of a test.
listenForPackets("lo", PORT).close();

Deno.test("a packet listener receives only datagrams to its port on its interface", async () => {
  const listener = listenForPackets("lo", PORT);
  const sender = Deno.listenDatagram({ transport: "udp", hostname: "127.0.0.1", port: 0 });
  const received = listener.receive();
  for (const port of [PORT + 1, PORT]) {
    const to = { transport: "udp", hostname: "127.0.0.1", port } as const;
    await sender.send(Uint8Array.of(port & 255, 7), to).catch(() => {});
  }
  assert.deepEqual([...(await received)!], [PORT & 255, 7]);
  assert.equal(await listener.receive(), null, "a moment without one");
  listener.close();
  sender.close();
});

Deno.test("a closed listener's descriptor is not reused while a call reads from it", async () => {
  const before = sockets();
  const listener = listenForPackets("lo", PORT);
  const [its] = sockets().difference(before);
  const received = listener.receive();
  listener.close();
  listener.close();
  assert.ok(sockets().has(its!), "it is closed under the call");
  assert.equal(await received, null);
  assert.ok(!sockets().has(its!), "it stays open");
  assert.equal(await listener.receive(), null);
});
