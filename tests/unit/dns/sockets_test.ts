import assert from "node:assert/strict";
import { Listeners } from "../../../system/dns/resolver/listeners.ts";
import { StreamServer } from "../../../system/dns/resolver/stream_server.ts";
import { BatchedDatagrams } from "../../../system/host/datagrams/batched_datagrams.ts";
import {
  dnsSockets,
  plainDatagramSocket,
  streamListener,
} from "../../../system/host/datagrams/dns_sockets.ts";
import { plainQuerySender } from "../../../system/host/datagrams/upstream_sockets.ts";
import { machineClock } from "../../../system/host/kernel/machine_clock.ts";

/** A UDP socket of the test on the loopback. */
function loopback(hostname: string) {
  const socket = Deno.listenDatagram({ transport: "udp", hostname, port: 0 });
  return { socket, port: (socket.addr as Deno.NetAddr).port };
}

const bytes = (...list: number[]): Uint8Array<ArrayBuffer> => Uint8Array.from(list);

/** Both ways to take datagrams; what holds of one must hold of the other. */
const batched = new BatchedDatagrams();
const SERVERS = [
  ["plain", plainDatagramSocket],
  ["batched", (address: string, port: number) => batched.open(address, port)],
] as const;

/** Resolves once no socket of the batched ones is waited for, as when a test began. */
async function quiet(): Promise<void> {
  const one = batched.open("127.0.0.1", 0);
  const received = one.receive(() => 0);
  one.close();
  await received;
}

/** Both kinds of query senders, by the host of the resolver. */
const SENDERS = [
  ["plain", plainQuerySender, "127.0.0.1"],
  ["plain", plainQuerySender, "::1"],
  [
    "batched",
    (address: string, port: number) => batched.sourcePorts.senderTo(address, port)!,
    "127.0.0.1",
  ],
] as const;

for (const [kind, senderTo, hostname] of SENDERS) {
  Deno.test(`responses from another address or port, or with another id, are ignored: ${kind}, ${hostname}`, async () => {
    const server = loopback(hostname), other = loopback(hostname);
    const responses: number[][] = [];
    const { promise, resolve } = Promise.withResolvers<void>();
    const pending = senderTo(hostname, server.port).send(bytes(7, 8, 1), (answer) => {
      responses.push([...answer]);
      if (answer[2] === 3) resolve();
    });
    try {
      const [question, from] = await server.socket.receive();
      assert.deepEqual([...question], [7, 8, 1]);
      await other.socket.send(bytes(7, 8, 66), from);
      await server.socket.send(bytes(7, 8, 2), from);
      await server.socket.send(bytes(7, 8, 3), from);
      await promise;
      assert.deepEqual(responses, [[7, 8, 2], [7, 8, 3]]);
      pending.cancel();
      pending.cancel();
      await server.socket.send(bytes(7, 8, 4), from);
    } finally {
      pending.cancel();
      server.socket.close();
      other.socket.close();
      await quiet();
    }
    assert.equal(responses.length, 2);
  });

  Deno.test(`upstream queries use unpredictable source ports: ${kind}, ${hostname}`, async () => {
    const server = loopback(hostname);
    const sender = senderTo(hostname, server.port);
    const ports: number[] = [];
    for (let i = 0; i < 12; i++) {
      const pending = sender.send(bytes(1, i), () => {});
      ports.push(((await server.socket.receive())[1] as Deno.NetAddr).port);
      pending.cancel();
    }
    server.socket.close();
    await quiet();
    const steps = ports.slice(1).map((port, i) => Math.abs(port - ports[i]!));
    const distinct = new Set(ports).size;
    assert.ok(distinct > 8 && steps.filter((step) => step > 2).length > 6, ports.join());
  });
}

for (const [kind, open] of SERVERS) {
  Deno.test(`datagrams are answered at once or later, until the socket is closed: ${kind}`, async () => {
    // Port 53 is not ours to take in a test.
    const free = loopback("127.0.0.1");
    free.socket.close();
    const datagrams = open("127.0.0.1", free.port);
    const received = datagrams.receive((query, answer, from) => {
      assert.equal(from.local, "127.0.0.1");
      if (query[0] === 1) {
        answer.set([11]);
        return 1;
      }
      const lent = bytes(22);
      datagrams.send(lent, from);
      lent[0] = 0;
      return 0;
    });
    const client = loopback("127.0.0.1");
    const target = { transport: "udp", hostname: "127.0.0.1", port: free.port } as const;
    for (const [sent, got] of [[1, 11], [2, 22]] as const) {
      await client.socket.send(bytes(sent), target);
      assert.deepEqual([...(await client.socket.receive())[0]], [got]);
    }
    await client.socket.send(new Uint8Array(9000), target);
    await client.socket.send(bytes(1), target);
    await client.socket.receive();
    client.socket.close();
    datagrams.close();
    await received;
  });

  Deno.test(`an address that cannot be bound is reported with its error, and the others are served: ${kind}`, async () => {
    const logged: string[] = [];
    const taken = Deno.listen({ hostname: "127.0.0.1", port: 0 });
    const busy = taken.addr.port;
    const free = loopback("127.0.0.2");
    free.socket.close();
    const server = new StreamServer(() => 0, machineClock);
    const listeners = new Listeners({
      open: (address) => {
        const port = address === "127.0.0.1" ? busy : free.port;
        const datagrams = open(address, port);
        try {
          return { datagrams, streams: streamListener(address, port) };
        } catch (error) {
          datagrams.close();
          throw error;
        }
      },
      receive: (datagrams) => datagrams.receive(() => 0),
      server,
      log: {
        info: (_, message) => logged.push(message),
        warn: (_, message) => logged.push(message),
      },
    });
    assert.equal(listeners.listen(["127.0.0.1", "127.0.0.2", "192.0.2.1"]), false);
    assert.deepEqual(listeners.addresses, ["127.0.0.2"]);
    assert.match(listeners.errors["127.0.0.1"]!.message, /in use by another program/);
    assert.match(listeners.errors["192.0.2.1"]!.message, /not an address of this router yet/);
    assert.ok(!logged.some((line) => line.includes("192.0.2.1")), "nothing to complain about");
    const before = logged.length;
    assert.equal(listeners.listen(["127.0.0.1", "127.0.0.2"]), false);
    assert.equal(logged.length, before, "said once");
    assert.deepEqual(Object.keys(listeners.errors), ["127.0.0.1"]);
    taken.close();
    assert.equal(listeners.listen(["127.0.0.1"]), true);
    assert.deepEqual(listeners.addresses, ["127.0.0.1"]);
    await listeners.close();
  });
}

Deno.test("each datagram of a batch gets its own response, from the address it was sent to", async () => {
  const COUNT = 3000, CLIENTS = 3, AT_ONCE = 100;
  const free = loopback("127.0.0.1");
  free.socket.close();
  const sockets = ["127.0.0.1", "127.0.0.2"].map((local) => batched.open(local, free.port));
  let largest = 0;
  const received = sockets.map((socket) =>
    socket.receive((query, answer, from) => {
      largest = Math.max(largest, query.length);
      // Every seventh is not answered, every fifth later and the others at once.
      const number = query[0]! << 8 | query[1]!;
      if (number % 7 === 0) return 0;
      const response = Uint8Array.from([...query, Number(from.local.slice(-1))]);
      if (number % 5 === 0) {
        queueMicrotask(() => socket.send(response, from));
        return 0;
      }
      answer.set(response);
      return response.length;
    })
  );
  const ask = async (client: number): Promise<number> => {
    const { socket } = loopback("127.0.0.1");
    let good = 0;
    for (let first = 0; first < COUNT; first += AT_ONCE) {
      const waited = new Map<number, string>();
      for (let number = first; number < first + AT_ONCE; number++) {
        const last = 1 + number % 2;
        const query = Uint8Array.from([number >> 8, number & 255, client, ...Array(number % 40)]);
        if (number % 7 !== 0) waited.set(number, `127.0.0.${last} ${query},${last}`);
        const to = { transport: "udp", hostname: `127.0.0.${last}`, port: free.port } as const;
        await socket.send(query, to);
      }
      while (waited.size > 0) {
        const [got, from] = await socket.receive();
        const number = got[0]! << 8 | got[1]!;
        assert.equal(`${(from as Deno.NetAddr).hostname} ${got}`, waited.get(number));
        waited.delete(number);
        good++;
      }
    }
    socket.close();
    return good;
  };
  const good = await Promise.all(Array.from({ length: CLIENTS }, (_, i) => ask(i)));
  const wanted = Array.from({ length: COUNT }, (_, i) => i).filter((i) => i % 7 !== 0).length;
  assert.deepEqual(good, Array(CLIENTS).fill(wanted));
  assert.equal(largest, 42);
  for (const socket of sockets) socket.close();
  await Promise.all(received);
});

Deno.test("batched sockets can be reopened as soon as they are closed, also while others are open", async () => {
  const free = loopback("127.0.0.3");
  free.socket.close();
  const other = batched.open("127.0.0.4", free.port);
  const received = [other.receive(() => 0)];
  for (let i = 0; i < 20; i++) {
    const one = batched.open("127.0.0.3", free.port);
    const reopened = one.receive((query, answer) => {
      answer.set(query);
      return query.length;
    });
    assert.throws(() => batched.open("127.0.0.3", free.port), Deno.errors.AddrInUse);
    const client = loopback("127.0.0.1");
    const to = { transport: "udp", hostname: "127.0.0.3", port: free.port } as const;
    await client.socket.send(bytes(i), to);
    assert.deepEqual([...(await client.socket.receive())[0]], [i]);
    client.socket.close();
    one.close();
    await reopened;
  }
  other.close();
  await Promise.all(received);
});

Deno.test("nothing is sent to invalid addresses, or longer than a datagram may be", () => {
  const one = batched.open("127.0.0.1", 0);
  one.send(bytes(1), { address: "255.255.255.255", port: 9, local: "127.0.0.1" });
  one.send(bytes(1), { address: "not an address", port: 9, local: "127.0.0.1" });
  one.send(new Uint8Array(70_000), { address: "127.0.0.1", port: 9, local: "127.0.0.1" });
  one.close();
  one.send(bytes(1), { address: "127.0.0.1", port: 9, local: "127.0.0.1" });
  one.close();
});

Deno.test({
  name: "without access to the C library datagrams are received one by one, and the log says so",
  permissions: { ffi: false, net: true, read: true },
  async fn() {
    const events: string[] = [];
    const one = dnsSockets({ info: (event) => events.push(event) }).datagrams("127.0.0.1", 0);
    const received = one.receive(() => 0);
    one.close();
    await received;
    assert.deepEqual(events, ["dns.batching_unavailable"]);
  },
});
