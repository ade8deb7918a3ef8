import assert from "node:assert/strict";
import { Places } from "../../system/dns/places.ts";
import { StreamServer } from "../../system/dns/stream_server.ts";
import { plainDatagrams, streamListener } from "../../system/host/dns_listener.ts";
import { dnsOutside, machineClock } from "../../system/host/dns_outside.ts";

/** A UDP socket of the test on the loopback. */
function loopback(hostname: string) {
  const socket = Deno.listenDatagram({ transport: "udp", hostname, port: 0 });
  return { socket, port: (socket.addr as Deno.NetAddr).port };
}

const bytes = (...list: number[]): Uint8Array<ArrayBuffer> => Uint8Array.from(list);

for (const hostname of ["127.0.0.1", "::1"]) {
  Deno.test(`a datagram from another address or port is not heard, on ${hostname}`, async () => {
    const server = loopback(hostname), other = loopback(hostname);
    const port = dnsOutside.datagrams(hostname, server.port);
    try {
      port.send(bytes(1));
      const [question, from] = await server.socket.receive();
      assert.deepEqual([...question], [1]);
      await other.socket.send(bytes(66), from);
      await server.socket.send(bytes(2), from);
      assert.deepEqual([...(await port.receive())!], [2]);
    } finally {
      port.close();
      server.socket.close();
      other.socket.close();
    }
    assert.equal(await port.receive(), null);
  });
}

Deno.test("questions outside leave from ports that do not follow each other", async () => {
  const server = loopback("127.0.0.1");
  const ports: number[] = [];
  for (let i = 0; i < 12; i++) {
    const one = dnsOutside.datagrams("127.0.0.1", server.port);
    one.send(bytes(1));
    ports.push(((await server.socket.receive())[1] as Deno.NetAddr).port);
    one.close();
  }
  server.socket.close();
  const steps = ports.slice(1).map((port, i) => Math.abs(port - ports[i]!));
  assert.ok(new Set(ports).size > 8 && steps.filter((step) => step > 2).length > 6, ports.join());
});

Deno.test("datagrams are answered at once or later, until the port is closed", async () => {
  // Port 53 is not ours to take in a test.
  const place = loopback("127.0.0.1");
  place.socket.close();
  const datagrams = plainDatagrams("127.0.0.1", place.port);
  const heard = datagrams.receive((query, answer, from) => {
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
  const target = { transport: "udp", hostname: "127.0.0.1", port: place.port } as const;
  for (const [sent, got] of [[1, 11], [2, 22]] as const) {
    await client.socket.send(bytes(sent), target);
    assert.deepEqual([...(await client.socket.receive())[0]], [got]);
  }
  await client.socket.send(new Uint8Array(9000), target);
  await client.socket.send(bytes(1), target);
  await client.socket.receive();
  client.socket.close();
  datagrams.close();
  await heard;
});

Deno.test("an address that cannot be had is named with its reason, and the others are served", async () => {
  const said: string[] = [];
  const taken = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const busy = taken.addr.port;
  const free = loopback("127.0.0.2");
  free.socket.close();
  const server = new StreamServer(() => 0, machineClock);
  const places = new Places({
    open: (address) => {
      const port = address === "127.0.0.1" ? busy : free.port;
      const datagrams = plainDatagrams(address, port);
      try {
        return { datagrams, streams: streamListener(address, port) };
      } catch (error) {
        datagrams.close();
        throw error;
      }
    },
    hear: (datagrams) => datagrams.receive(() => 0),
    server,
    log: { info: (event) => said.push(event), warn: (event) => said.push(event) },
  });
  assert.equal(places.listen(["127.0.0.1", "127.0.0.2", "192.0.2.1"]), false);
  assert.deepEqual(places.addresses, ["127.0.0.2"]);
  assert.match(places.faults["127.0.0.1"]!, /Another program/);
  assert.match(places.faults["192.0.2.1"]!, /no address of this router yet/);
  assert.ok(!said.some((line) => line.includes("192.0.2.1")), "nothing to complain about");
  const before = said.length;
  assert.equal(places.listen(["127.0.0.1", "127.0.0.2"]), false);
  assert.equal(said.length, before, "said once");
  assert.deepEqual(Object.keys(places.faults), ["127.0.0.1"]);
  taken.close();
  assert.equal(places.listen(["127.0.0.1"]), true);
  assert.deepEqual(places.addresses, ["127.0.0.1"]);
  await places.close();
});
