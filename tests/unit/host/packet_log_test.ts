import assert from "node:assert/strict";
import fc from "fast-check";
import { LoggedPacket, type PacketReport } from "../../../system/core/kernel/logged_packet.ts";
import { eachMessage } from "../../../system/host/netlink/message.ts";
import { bindRequest, readPacket } from "../../../system/host/netlink/nflog/messages.ts";
import { LIMITS, PacketLimiter } from "../../../system/host/netlink/nflog/packet_limiter.ts";
import { readHeaders } from "../../../system/host/netlink/nflog/headers.ts";

/** Builds an attribute as the kernel does, its body in network order. */
function attribute(type: number, body: readonly number[]): readonly number[] {
  const length = 4 + body.length;
  const padding = Array<number>((4 - length % 4) % 4).fill(0);
  return [length & 255, length >> 8, type, 0, ...body, ...padding];
}
const bytes = (text: string): readonly number[] => [...new TextEncoder().encode(`${text}\0`)];

/** A TCP SYN from 192.168.2.6:50000 to 8.8.8.8:443. */
const SYN = [
  ...[0x45, 0, 0, 60, 0x12, 0x34, 0x40, 0, 64, 6, 0xab, 0xcd, 192, 168, 2, 6, 8, 8, 8, 8],
  ...[0xc3, 0x50, 0x01, 0xbb, 0, 0, 0, 1, 0, 0, 0, 0, 0xa0, 2, 0xfa, 0xf0, 1, 2, 0, 0],
];

const ATTRIBUTES = [
  attribute(1, [8, 0, 2, 0]), // IPv4, hook forward
  attribute(3, [0, 0, 0, 0, 0x6a, 0, 0, 0, 0, 0, 0, 0, 0, 3, 0xd0, 0x90]), // 250 ms
  attribute(4, [0, 0, 0, 3]),
  attribute(5, [0, 0, 0, 2]),
  attribute(9, SYN),
  attribute(10, bytes("drop:forward Blocked: no rule allows it")),
  attribute(12, [0, 0, 0, 7]),
  attribute(15, [0, 1]),
  attribute(16, [2, 0, 0, 0, 0, 1, 2, 0, 0, 0, 0, 10, 8, 0]),
  attribute(18, [
    ...attribute(1, [
      ...attribute(1, [...attribute(1, [192, 168, 2, 6]), ...attribute(2, [203, 0, 113, 2])]),
      ...attribute(2, [...attribute(1, [6]), ...attribute(3, [0x1f, 0x90])]),
    ]),
  ]),
];

const GENERIC = [2, 0, 0, 1]; // AF_INET, version, group 1
const PAYLOAD = new Uint8Array([...GENERIC, ...ATTRIBUTES.flat()]);
const message = (payload: Uint8Array) => ({ type: 0x400, flags: 0, sequence: 0, payload });

Deno.test("nflog: a packet is read with its headers and without its content", () => {
  const read = readPacket(message(PAYLOAD));
  assert.deepEqual(read, {
    group: 1,
    prefix: "drop:forward Blocked: no rule allows it",
    at: 0x6a000000 * 1000 + 250,
    inIndex: 3,
    outIndex: 2,
    sequence: 7,
    Ethernet: { SrcMAC: "02:00:00:00:00:0a", DstMAC: "02:00:00:00:00:01", HwType: 1 },
    IP: {
      ...{ Version: 4, IHL: 5, TOS: 0, Length: 60, Id: 0x1234, Flags: 2, FragOffset: 0, TTL: 64 },
      ...{ Protocol: 6, Checksum: 0xabcd, SrcIP: "192.168.2.6", DstIP: "8.8.8.8" },
    },
    TCP: {
      ...{ SrcPort: 50000, DstPort: 443, Seq: 1, Ack: 0, DataOffset: 10 },
      ...{ FIN: false, SYN: true, RST: false, PSH: false, ACK: false, URG: false },
      ...{ ECE: false, CWR: false, NS: false, Window: 64240, Checksum: 258, Urgent: 0 },
    },
    original: { address: "203.0.113.2", port: 8080 },
  });
});

/** What netd sends of it must have the shape that the api takes. */
function assertWellFormed(payload: Uint8Array): void {
  const raw = readPacket(message(payload));
  if (raw === null) return;
  const { inIndex: _, outIndex: __, sequence: ___, at, ...packet } = raw;
  LoggedPacket.parse({ ...packet, at: at ?? 0, inDev: "", outDev: "" });
}

Deno.test("nflog: no bytes of the kernel make the parser throw or return another shape", () => {
  fc.assert(fc.property(fc.uint8Array({ maxLength: 300 }), assertWellFormed));
  // A good message with some bytes changed, and cut off anywhere.
  fc.assert(fc.property(
    fc.array(fc.tuple(fc.nat(PAYLOAD.length - 1), fc.nat(255)), { maxLength: 12 }),
    fc.nat(PAYLOAD.length),
    (changes, length) => {
      const payload = PAYLOAD.slice();
      for (const [at, value] of changes) payload[at] = value;
      assertWellFormed(payload.subarray(0, length));
    },
  ));
  // Attributes in any order, some of them missing or twice, with any body.
  fc.assert(fc.property(
    fc.array(
      fc.oneof(
        fc.constantFrom(...ATTRIBUTES),
        fc.tuple(fc.nat(20), fc.array(fc.nat(255), { maxLength: 90 }))
          .map(([type, body]) => attribute(type, body)),
      ),
      { maxLength: 14 },
    ),
    (list) => assertWellFormed(new Uint8Array([...GENERIC, ...list.flat()])),
  ));
});

Deno.test("nflog: headers are read from any start of a packet", () => {
  fc.assert(fc.property(fc.uint8Array({ maxLength: 80 }), (packet) => void readHeaders(packet)));
  for (let length = 0; length <= SYN.length; length++) {
    const { IP, TCP } = readHeaders(new Uint8Array(SYN.slice(0, length)));
    assert.equal(IP !== undefined, length >= 20);
    assert.equal(TCP !== undefined, length >= 40);
  }
  const later = SYN.slice();
  later[7] = 5; // a later fragment
  assert.equal(readHeaders(new Uint8Array(later)).TCP, undefined);
});

Deno.test("nflog: other messages are no packets", () => {
  assert.equal(readPacket({ ...message(PAYLOAD), type: 0x401 }), null);
  assert.equal(readPacket(message(new Uint8Array(GENERIC))), null);
  assert.equal(eachMessage(PAYLOAD, () => {}), false);
});

Deno.test("nflog: the request for a group asks for headers alone", () => {
  const { body, attributes } = bindRequest(1, true);
  assert.deepEqual([...body], [0, 0, 0, 1]);
  assert.deepEqual(attributes?.[1], attribute(2, [0, 0, 0, 80, 2, 0]));
});

function packetOf(source: number, rule: number): LoggedPacket {
  return {
    ...{ group: 1, prefix: `drop:${rule}`, at: 0, inDev: "", outDev: "" },
    IP: {
      ...{ Version: 4, TOS: 0, Length: 40, TTL: 64, Protocol: 6 },
      ...{ SrcIP: `10.0.${source >> 8}.${source & 255}`, DstIP: "8.8.8.8" },
    },
  };
}

function countOf(reports: readonly PacketReport[]): number {
  return reports.reduce((sum, one) => sum + ("lost" in one ? one.lost : one.more + 1), 0);
}

Deno.test("nflog: every packet is reported or counted, and few are reported", () => {
  fc.assert(fc.property(
    fc.array(
      fc.record({ source: fc.nat(700), rule: fc.nat(3), after: fc.nat(400), times: fc.nat(30) }),
      { maxLength: 60 },
    ),
    (bursts) => {
      const limiter = new PacketLimiter();
      const reports: PacketReport[] = [];
      let now = 0, sent = 0;
      for (const { source, rule, after, times } of bursts) {
        now += after;
        reports.push(...limiter.due(now));
        for (let n = 0; n < times; n++) {
          const report = limiter.take(packetOf(source, rule), now);
          if (report !== null) reports.push(report);
          sent++;
        }
      }
      const whole = now + LIMITS.windowMs;
      reports.push(...limiter.due(whole));
      assert.equal(countOf(reports), sent);
      assert.deepEqual(limiter.due(whole), [], "each is counted once");
    },
  ));
});

Deno.test("nflog: a flood of one source is a few reports, and holds up no other", () => {
  const limiter = new PacketLimiter();
  const reports = Array.from({ length: 100_000 }, () => limiter.take(packetOf(1, 1), 5))
    .filter((report) => report !== null);
  assert.equal(reports.length, LIMITS.perSource);
  assert.ok(limiter.take(packetOf(2, 1), 6) !== null, "another source");
  assert.ok(limiter.take(packetOf(1, 2), 6) !== null, "another rule");
  const due = limiter.due(LIMITS.windowMs + 5);
  assert.deepEqual(due, [{ packet: packetOf(1, 1), more: 100_000 - LIMITS.perSource - 1 }]);
});

Deno.test("nflog: sources that nobody can count share their rule's window", () => {
  const limiter = new PacketLimiter();
  let reported = 0;
  for (let source = 0; source < 60_000; source++) {
    if (limiter.take(packetOf(source, 1), 5) !== null) reported++;
  }
  assert.equal(reported, LIMITS.perSecond);
});
