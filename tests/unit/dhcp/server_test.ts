import assert from "node:assert/strict";
import fc from "fast-check";
import type { LeaseDecision } from "../../../system/dhcp/api_schema.ts";
import { sentName } from "../../../system/dhcp/server/client_names.ts";
import {
  decodeDhcp,
  discoverMessage,
  encodeDhcp,
  offeringServer,
  OPTION,
} from "../../../system/dhcp/server/packet.ts";
import { DhcpServer } from "../../../system/dhcp/server/server.ts";
import { Problem } from "../../../system/core/errors/problem.ts";
import { type ClientFields, clientMessage, MESSAGE } from "../../kit/dhcp/dhcp_client.ts";
import { exchange, LEASE } from "../../kit/dhcp/dhcp_exchange.ts";

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
  ClientFields,
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
    const { message, source, address, mac } = sent[0]!;
    assert.deepEqual(
      { type: message.type, yiaddr: message.yiaddr, to: address, options: message.options },
      wanted,
    );
    assert.deepEqual({ source, mac, xid: message.xid, client: message.mac }, {
      source: "192.168.2.1",
      mac: address === "255.255.255.255" ? "ff:ff:ff:ff:ff:ff" : "02:00:00:00:0a:01",
      xid: 0x12345678,
      client: "02:00:00:00:0a:01",
    });
  });
}

Deno.test("DHCP: the api decides by interface, host name and requested address", async () => {
  const text = (value: string) => new TextEncoder().encode(value);
  const { requests } = await exchange({
    type: discover,
    options: [[12, text("Küche\u0000")], [55, Uint8Array.of(1, 3, 6)], [60, text("udhcp 1.35")]],
  });
  assert.equal(requests[0]?.kind, "discover");
  assert.equal(requests[0]?.link, "lan0");
  assert.equal(requests[0]?.mac, "02:00:00:00:0a:01");
  assert.equal(requests[0]?.parameters, "1,3,6");
  assert.equal(requests[0]?.vendorClass, "udhcp 1.35");
  assert.ok(requests[0]?.name.endsWith("che"));
});

Deno.test("DHCP: the name of option 81 is used where option 12 is missing", () => {
  const message = decodeDhcp(clientMessage({
    type: discover,
    options: [[OPTION.clientName, Uint8Array.of(0, 0, 0, ...new TextEncoder().encode("laptop"))]],
  }));
  assert.equal(sentName(message!), "laptop");
});

Deno.test("DHCP: after a renumbering the offer of the new network is acknowledged at once", async () => {
  const moved: LeaseDecision = {
    ...LEASE,
    IP: "10.20.0.2",
    RouterIP: "10.20.0.1",
    DNSIP: "10.20.0.1",
  };
  const fields: ClientFields = { type: request, requested: moved.IP, server: moved.DNSIP };
  // The cached lease is replaced a moment later only.
  const { sent } = await exchange(fields, {
    decide: () => Promise.resolve(moved),
    cachedLease: LEASE,
  });
  assert.deepEqual(sent.map(({ message }) => [message.type, message.yiaddr]), [[ack, "10.20.0.2"]]);
});

Deno.test("DHCP: malformed messages are dropped and counted", async () => {
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
    "hlen 0": change(2, 0),
    "hlen 255": change(2, 255),
    "wrong cookie": change(236, 1),
    "options past the end": change(241, 250),
    "no message type": change(240, 0, 0, 0),
    "message type 99": change(242, 99),
    "a multicast MAC address": clientMessage({ type: discover, mac: "ff:ff:ff:ff:ff:ff" }),
    "through a relay": change(24, 10, 0, 0, 1),
  };
  for (const [what, bytes] of Object.entries(bad)) {
    const { sent, requests, counts } = await exchange(bytes);
    assert.deepEqual([sent, requests, counts.dropped], [[], [], 1], what);
  }
});

Deno.test("DHCP: no datagram makes the server throw, and a reply goes to the requesting MAC address", async () => {
  await fc.assert(
    fc.asyncProperty(fc.uint8Array({ maxLength: 700 }), fc.nat(400), async (noise, at) => {
      const bytes = clientMessage({ type: discover, options: [[12, new Uint8Array(200)]] });
      bytes.set(noise.subarray(0, Math.max(0, bytes.length - at)), Math.min(at, bytes.length));
      for (const { message } of (await exchange(bytes)).sent) {
        assert.equal(
          message.mac,
          [...bytes.subarray(28, 34)].map((b) => b.toString(16).padStart(2, "0")).join(":"),
        );
      }
    }),
    { numRuns: 300 },
  );
});

Deno.test("DHCP: a refused request gets no reply", async () => {
  const { sent, counts } = await exchange(
    { type: discover },
    { decide: () => Promise.reject(new Problem(409, "The pool is exhausted")), cachedLease: LEASE },
  );
  assert.deepEqual([sent, counts.failed], [[], 1]);
});

Deno.test("DHCP: clients without an address are logged once in ten seconds", async () => {
  const lines: Readonly<Record<string, unknown>>[] = [];
  let now = 0;
  const server = new DhcpServer("lan0", {
    decide: () => Promise.reject(new Problem(409, "The pool is exhausted")),
    cachedLease: () => null,
    mtu: () => null,
    log: (_, __, fields) => lines.push(fields!),
    clock: () => now,
  });
  for (let i = 0; i < 500; i++) await server.take(clientMessage({ type: discover }), () => true);
  assert.equal(lines.length, 1);
  now = 10_000;
  await server.take(clientMessage({ type: discover }), () => true);
  assert.deepEqual([lines.length, lines[1]?.suppressed], [2, 499]);
});

Deno.test("DHCP: while the api is away known devices renew, other addresses get a NAK, unknown clients no reply", async () => {
  const decide = () => Promise.reject(new TypeError("connection refused"));
  const away = (fields: ClientFields, cachedLease: LeaseDecision | null) =>
    exchange(fields, { decide, cachedLease });
  const renewed = await away({ type: request, ciaddr: LEASE.IP }, LEASE);
  assert.equal(renewed.sent[0]?.message.type, ack);
  assert.equal(renewed.sent[0]?.message.yiaddr, LEASE.IP);
  const other = await away({ type: request, requested: "10.0.0.9" }, LEASE);
  assert.equal(other.sent[0]?.message.type, nak);
  const refused = await away({ type: discover }, null);
  assert.deepEqual([refused.sent, refused.counts.failed], [[], 1]);
});

Deno.test("DHCP: a flood of unknown clients is bounded and does not block known devices", async () => {
  let now = 0;
  const decided: string[] = [];
  const server = new DhcpServer("lan0", {
    decide: ({ mac }) => {
      decided.push(mac);
      return Promise.resolve(LEASE);
    },
    cachedLease: (mac) => mac === "02:00:00:00:0a:01" ? LEASE : null,
    mtu: () => null,
    log: () => {},
    clock: () => now,
  });
  const flood = async (count: number) => {
    for (let n = 0; n < count; n++) {
      const mac = `06:00:00:00:${(n >> 8).toString(16).padStart(2, "0")}:${
        (n & 255).toString(16).padStart(2, "0")
      }`;
      await server.take(clientMessage({ type: discover, mac }), () => true);
    }
  };
  await flood(5000);
  assert.equal(decided.length, 2048);
  await server.take(clientMessage({ type: request, ciaddr: LEASE.IP }), () => true);
  assert.equal(decided.at(-1), "02:00:00:00:0a:01");
  now = 1000;
  await flood(5000);
  assert.equal(decided.length, 2049 + 200);
});

Deno.test("DHCP: clients that come at once do not keep each other from taking their offers", async () => {
  const answers = new Map<string, PromiseWithResolvers<LeaseDecision>>();
  const server = new DhcpServer("lan0", {
    decide: ({ kind, mac }) => {
      const answer = Promise.withResolvers<LeaseDecision>();
      answers.set(`${kind} ${mac}`, answer);
      return answer.promise;
    },
    cachedLease: () => null,
    mtu: () => null,
    log: () => {},
    clock: () => 0,
  });
  let sent = 0;
  const jobs: Promise<void>[] = [];
  const take = (type: typeof discover | typeof request, n: number, xid = 1): void => {
    const mac = `06:00:00:00:${n >> 8}:${(n & 255).toString(16)}`.replace(/:(.)(?=:|$)/g, ":0$1");
    const message = clientMessage({ type, mac, xid, requested: LEASE.IP });
    jobs.push(server.take(message, () => ++sent > 0));
  };
  for (let n = 0; n < 1500; n++) take(discover, n);
  assert.equal(answers.size, 1024);
  for (let n = 0; n < 500; n++) take(discover, n);
  assert.equal(server.counts.dropped, 476 + 500, "each is decided once until it is answered");
  for (let n = 0; n < 1000; n++) take(request, n);
  assert.equal(answers.size, 2024, "and takes what it was offered");
  for (const answer of answers.values()) answer.resolve(LEASE);
  await Promise.all(jobs);
  assert.equal(sent, 2024);
  take(discover, 0, 2);
  assert.equal(server.counts.dropped, 976, "the next exchange of a client");
});

Deno.test("DHCP: an offer is matched by its xid", () => {
  const bytes = discoverMessage(7, Uint8Array.of(2, 1, 1, 1, 1, 1));
  const decoded = decodeDhcp(bytes)!;
  assert.deepEqual([decoded.type, decoded.xid, decoded.mac], [discover, 7, "02:01:01:01:01:01"]);
  const reply = (type: typeof offer | typeof ack, id = true) =>
    encodeDhcp({
      type,
      request: decoded,
      yiaddr: "10.0.0.5",
      options: id ? [[OPTION.serverId, Uint8Array.of(10, 0, 0, 1)]] : [],
    });
  assert.equal(offeringServer(reply(offer), 7), "10.0.0.1");
  assert.equal(offeringServer(reply(offer, false), 7), "0.0.0.0");
  for (const other of [bytes, reply(ack), new Uint8Array(), reply(offer).subarray(0, 230)]) {
    assert.equal(offeringServer(other, 7), null);
  }
  assert.equal(offeringServer(reply(offer), 8), null);
  fc.assert(fc.property(fc.uint8Array({ maxLength: 400 }), (noise) => {
    offeringServer(noise, 7);
  }));
});

Deno.test("DHCP: encoded messages are decoded again, whatever the options", () => {
  const option = fc.tuple(
    fc.integer({ min: 1, max: 254 }).filter((code) =>
      code !== OPTION.messageType && code !== OPTION.overload
    ),
    fc.uint8Array({ maxLength: 255 }),
  );
  fc.assert(
    fc.property(fc.uniqueArray(option, { maxLength: 8, selector: ([c]) => c }), (options) => {
      const decoded = decodeDhcp(clientMessage({ type: discover }))!;
      const written = encodeDhcp({ type: ack, request: decoded, yiaddr: "10.0.0.5", options });
      written[0] = 1;
      const again = decodeDhcp(written);
      assert.equal(again?.type, ack);
      for (const [code, value] of options) assert.deepEqual(again?.options.get(code), value);
    }),
  );
});

Deno.test("DHCP: a message in another's name is counted and reported, and decides nothing", () => {
  const foreign: string[] = [];
  const server = new DhcpServer("lan0", {
    decide: () => assert.fail("nothing is decided"),
    cachedLease: () => LEASE,
    mtu: () => null,
    foreignSender: (mac) => foreign.push(mac),
    log: () => {},
  });
  const whole = clientMessage({ type: request, requested: LEASE.IP });
  server.takeForeign(whole.subarray(0, 34));
  server.takeForeign(clientMessage({ type: discover, mac: "ff:ff:ff:ff:ff:ff" }).subarray(0, 34));
  server.takeForeign(whole.subarray(0, 33));
  assert.deepEqual([foreign, server.counts.dropped], [["02:00:00:00:0a:01"], 3]);
});
