import assert from "node:assert/strict";
import { dnsSockets, plainDatagramSocket } from "../../../system/host/datagrams/dns_sockets.ts";
import { plainUpstreamNetwork } from "../../../system/host/datagrams/upstream_sockets.ts";
import { fuzz } from "../../kit/dns/fuzzer.ts";
import { socketBed } from "../../kit/dns/socket_bed.ts";
import { readMessage, wireA, wireMessage } from "../../kit/dns/wire.ts";

/** Both ways to take and to ask; the first must be to be had where tests run. */
const SOCKETS = [
  ["batched", dnsSockets({ info: (event) => assert.fail(event) })],
  ["plain", { datagrams: plainDatagramSocket, upstream: plainUpstreamNetwork() }],
] as const;

/** A resolver outside that knows one address. */
function upstreamServer() {
  const socket = Deno.listenDatagram({ transport: "udp", hostname: "127.0.0.1", port: 0 });
  const serve = async (): Promise<void> => {
    for await (const [bytes, from] of socket) {
      const { id, questions } = readMessage(bytes);
      const answers = questions.map(({ name }) => wireA(name, "198.51.100.80", 300));
      await socket.send(wireMessage({ id, flags: 0x8180, questions, answers }), from);
    }
  };
  return { socket, port: (socket.addr as Deno.NetAddr).port, ended: serve() };
}

for (const [kind, sockets] of SOCKETS) {
  Deno.test(`whatever arrives on the sockets, valid queries get correct responses: ${kind}`, async () => {
    const seed = crypto.getRandomValues(new Uint32Array(1))[0]!;
    const server = upstreamServer();
    const bed = socketBed({
      ...{ sockets, listen: ["127.0.0.1"], upstreamPort: server.port, blocked: ["blocked.test"] },
      names: [{ name: "printer.lan", address: "192.168.2.10" }],
    });
    try {
      const to = { transport: "udp", hostname: "127.0.0.1", port: bed.port } as const;
      const report = await fuzz(to, { count: 2000, seed });
      assert.deepEqual(report.faults, [], `seed ${seed}`);
      assert.ok(report.sent >= 1950 && report.answered > 1000, JSON.stringify(report));
      const { malformed, upstreamQueries } = bed.resolver.counters;
      assert.ok(
        malformed > 100 && upstreamQueries > 0,
        `${malformed} malformed, ${upstreamQueries} upstream queries`,
      );
      // Neither empty datagrams nor the longest end it.
      const stray = Deno.listenDatagram({ transport: "udp", hostname: "127.0.0.1", port: 0 });
      for (const length of [0, 1, 11, 9000]) await stray.send(new Uint8Array(length), to);
      stray.close();
      const after = await fuzz(to, { count: 50, seed: seed + 1 });
      assert.deepEqual(after.faults, [], `seed ${seed + 1}`);
    } finally {
      await bed.close();
      server.socket.close();
      await server.ended;
    }
  });
}
