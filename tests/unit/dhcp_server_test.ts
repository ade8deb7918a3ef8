import assert from "node:assert/strict";
import fc from "fast-check";
import { sentName } from "../../system/dhcp/answer_rules.ts";
import { decodeDhcp, OPTION } from "../../system/dhcp/packet.ts";
import { DhcpServer, type LeaseQuestion } from "../../system/dhcp/server.ts";
import { Problem } from "../../system/core/problem.ts";
import { clientMessage, type ClientSays, MESSAGE, serverAnswer } from "../kit/dhcp_client.ts";

const LEASE = {
  Identifier: "02:00:00:00:0a:01",
  IP: "192.168.2.6",
  RouterIP: "192.168.2.5",
  DNSIP: "192.168.2.1",
  LeaseTime: "24h0m0s",
};

interface Sent {
  readonly said: ReturnType<typeof serverAnswer>;
  readonly address: string;
  readonly port: number;
}

async function exchange(says: ClientSays | Uint8Array, lease = () => Promise.resolve(LEASE)) {
  const asked: LeaseQuestion[] = [], sent: Sent[] = [];
  const server = new DhcpServer("lan0", {
    lease: (question) => {
      asked.push(question);
      return lease();
    },
    log: () => {},
  });
  await server.take(
    says instanceof Uint8Array ? says : clientMessage(says),
    (bytes, address, port) => {
      sent.push({ said: serverAnswer(bytes), address, port });
      return true;
    },
  );
  return { asked, sent, counts: server.counts };
}

const SETTINGS = {
  1: "fffffffc",
  3: "c0a80205",
  6: "c0a80201",
  28: "c0a80207",
  54: "c0a80201",
};
const TIMES = { 51: "00015180", 58: "0000a8c0", 59: "00012750" };

const { discover, offer, request, ack, nak, inform, release, decline } = MESSAGE;
const exchanges: readonly [
  string,
  ClientSays,
  { type: number; yiaddr: string; to: string; options: Record<number, string> } | null,
][] = [
  ["DISCOVER is offered the client's own address", { type: discover }, {
    type: offer,
    yiaddr: "192.168.2.6",
    to: "192.168.2.6",
    options: { 53: "02", ...SETTINGS, ...TIMES },
  }],
  [
    "DISCOVER with the broadcast flag is answered to everyone",
    { type: discover, broadcast: true },
    {
      type: offer,
      yiaddr: "192.168.2.6",
      to: "255.255.255.255",
      options: { 53: "02", ...SETTINGS, ...TIMES },
    },
  ],
  ["DISCOVER that wishes for another address is offered its own", {
    type: discover,
    requested: "10.0.0.9",
  }, {
    type: offer,
    yiaddr: "192.168.2.6",
    to: "192.168.2.6",
    options: { 53: "02", ...SETTINGS, ...TIMES },
  }],
  ["REQUEST of the offer is acknowledged", {
    type: request,
    requested: "192.168.2.6",
    server: "192.168.2.1",
  }, {
    type: ack,
    yiaddr: "192.168.2.6",
    to: "192.168.2.6",
    options: { 53: "05", ...SETTINGS, ...TIMES },
  }],
  ["REQUEST after a reboot for the same address is acknowledged", {
    type: request,
    requested: "192.168.2.6",
  }, {
    type: ack,
    yiaddr: "192.168.2.6",
    to: "192.168.2.6",
    options: { 53: "05", ...SETTINGS, ...TIMES },
  }],
  ["REQUEST that renews is acknowledged to the client's address", {
    type: request,
    ciaddr: "192.168.2.6",
  }, {
    type: ack,
    yiaddr: "192.168.2.6",
    to: "192.168.2.6",
    options: { 53: "05", ...SETTINGS, ...TIMES },
  }],
  ["REQUEST for a foreign address is refused to everyone", {
    type: request,
    requested: "192.168.1.77",
  }, {
    type: nak,
    yiaddr: "0.0.0.0",
    to: "255.255.255.255",
    options: { 53: "06", 54: "c0a80201" },
  }],
  ["REQUEST that chose another server is left alone", {
    type: request,
    requested: "10.0.0.5",
    server: "10.0.0.1",
  }, null],
  ["INFORM gets settings and no address", { type: inform, ciaddr: "192.168.2.6" }, {
    type: ack,
    yiaddr: "0.0.0.0",
    to: "192.168.2.6",
    options: { 53: "05", ...SETTINGS },
  }],
  ["RELEASE has no answer", { type: release, ciaddr: "192.168.2.6" }, null],
  ["DECLINE has no answer", { type: decline, requested: "192.168.2.6" }, null],
];

for (const [name, says, wanted] of exchanges) {
  Deno.test(`DHCP: ${name}`, async () => {
    const { sent } = await exchange(says);
    if (wanted === null) return assert.deepEqual(sent, []);
    assert.equal(sent.length, 1);
    const { said, address, port } = sent[0]!;
    assert.deepEqual(
      { type: said.type, yiaddr: said.yiaddr, to: address, options: said.options },
      wanted,
    );
    assert.deepEqual({ port, xid: said.xid, mac: said.mac }, {
      port: 68,
      xid: 0x12345678,
      mac: "02:00:00:00:0a:01",
    });
  });
}

Deno.test("DHCP: the router is asked with the link, the name and what the client wants", async () => {
  const text = (value: string) => new TextEncoder().encode(value);
  const { asked } = await exchange({
    type: discover,
    options: [[12, text("Küche\u0000")], [55, Uint8Array.of(1, 3, 6)], [60, text("udhcp 1.35")]],
  });
  assert.equal(asked[0]?.Iface, "lan0");
  assert.equal(asked[0]?.MAC, "02:00:00:00:0a:01");
  assert.equal(asked[0]?.ParamReqList, "1,3,6");
  assert.equal(asked[0]?.VendorClass, "udhcp 1.35");
  assert.ok(asked[0]?.Name.endsWith("che"));
});

Deno.test("DHCP: the name of option 81 counts where option 12 is missing", () => {
  const message = decodeDhcp(clientMessage({
    type: discover,
    options: [[OPTION.clientName, Uint8Array.of(0, 0, 0, ...new TextEncoder().encode("laptop"))]],
  }));
  assert.equal(sentName(message!), "laptop");
});

Deno.test("DHCP: malformed messages are dropped and counted, whatever is wrong with them", async () => {
  const good = clientMessage({ type: discover });
  const change = (at: number, ...values: number[]) => {
    const copy = good.slice();
    copy.set(values, at);
    return copy;
  };
  const bad = {
    short: good.subarray(0, 200),
    empty: new Uint8Array(),
    reply: change(0, 2),
    "another hardware": change(1, 6),
    "hlen 255": change(2, 255),
    "wrong cookie": change(236, 1),
    "options past the end": change(241, 250),
    "no message type": change(240, 0, 0, 0),
    "message type 99": change(242, 99),
    "a multicast card": clientMessage({ type: discover, mac: "ff:ff:ff:ff:ff:ff" }),
    "through a relay": change(24, 10, 0, 0, 1),
  };
  for (const [what, bytes] of Object.entries(bad)) {
    const { sent, asked, counts } = await exchange(bytes);
    assert.deepEqual([sent, asked, counts.dropped], [[], [], 1], what);
  }
});

Deno.test("DHCP: no datagram makes the server throw, and an answer goes to the asking card", async () => {
  await fc.assert(
    fc.asyncProperty(fc.uint8Array({ maxLength: 700 }), fc.nat(400), async (noise, at) => {
      const bytes = clientMessage({ type: discover, options: [[12, new Uint8Array(200)]] });
      bytes.set(noise.subarray(0, Math.max(0, bytes.length - at)), Math.min(at, bytes.length));
      for (const { said } of (await exchange(bytes)).sent) {
        assert.equal(
          said.mac,
          [...bytes.subarray(28, 34)].map((b) => b.toString(16).padStart(2, "0")).join(":"),
        );
      }
    }),
    { numRuns: 300 },
  );
});

Deno.test("DHCP: a router that refuses leaves the client without an answer and the server alive", async () => {
  const { sent, counts } = await exchange(
    { type: discover },
    () => Promise.reject(new Problem(409, "The pool is exhausted")),
  );
  assert.deepEqual([sent, counts.failed], [[], 1]);
});

Deno.test("DHCP: a flood of clients without an address is a line of the log each ten seconds", async () => {
  const lines: Readonly<Record<string, unknown>>[] = [];
  let now = 0;
  const server = new DhcpServer("lan0", {
    lease: () => Promise.reject(new Problem(409, "The pool is exhausted")),
    log: (_, fields) => lines.push(fields),
    clock: () => now,
  });
  for (let i = 0; i < 500; i++) await server.take(clientMessage({ type: discover }), () => true);
  assert.equal(lines.length, 1);
  now = 10_000;
  await server.take(clientMessage({ type: discover }), () => true);
  assert.deepEqual([lines.length, lines[1]?.untold], [2, 499]);
});
