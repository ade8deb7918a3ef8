import assert from "node:assert/strict";
import fc from "fast-check";
import { parseIpv4 } from "../../../system/core/net/net.ts";
import {
  eachFlow,
  flowOf,
  flowsRequest,
  readFlows,
} from "../../../system/host/netlink/conntrack/dump.ts";

/** A TCP connection of 192.168.2.6, masqueraded, as kernel 6.18 lists it, shortened. */
function message(sequence: number, protocol = 6): Uint8Array {
  const attribute = (type: number, body: readonly number[]): number[] => {
    const length = 4 + body.length;
    const padding = Array<number>((4 - length % 4) % 4).fill(0);
    return [length & 255, length >> 8, type & 255, type >> 8, ...body, ...padding];
  };
  const nested = 0x8000;
  const tuple = (type: number, ips: readonly number[], ports: readonly number[]): number[] =>
    attribute(nested | type, [
      ...attribute(nested | 1, [
        ...attribute(1, ips.slice(0, 4)),
        ...attribute(2, ips.slice(4)),
      ]),
      ...attribute(nested | 2, [
        ...attribute(1, [protocol]),
        ...attribute(2, ports.slice(0, 2)),
        ...attribute(3, ports.slice(2)),
      ]),
    ]);
  const body = [
    ...[2, 0, 0, 0],
    ...tuple(1, [192, 168, 2, 6, 198, 51, 100, 7], [0x9c, 0x40, 0x01, 0xbb]),
    ...tuple(2, [198, 51, 100, 7, 203, 0, 113, 2], [0x01, 0xbb, 0x9c, 0x41]),
    ...attribute(3, [0, 0, 1, 0x8e]),
  ];
  return framed(0x100, sequence, body);
}

function framed(type: number, sequence: number, body: readonly number[]): Uint8Array {
  const bytes = new Uint8Array(16 + body.length);
  const view = new DataView(bytes.buffer);
  view.setUint32(0, bytes.length, true);
  view.setUint16(4, type, true);
  view.setUint32(8, sequence, true);
  bytes.set(body, 16);
  return bytes;
}

const wanted = (text: string): ReadonlySet<number> => new Set([parseIpv4(text)!]);
const FLOW = {
  protocol: "tcp",
  source: "192.168.2.6",
  destination: "198.51.100.7",
  replySource: "198.51.100.7",
  replyDestination: "203.0.113.2",
  sport: 40000,
  dport: 443,
  replySport: 443,
  replyDport: 40001,
};

Deno.test("conntrack entries are found by each of their four addresses", () => {
  const read = (bytes: Uint8Array, sequence: number, address: string): readonly unknown[] =>
    readFlows(bytes, sequence).flows.map((flow) => flowOf(flow, wanted(address)));
  for (const address of ["192.168.2.6", "198.51.100.7", "203.0.113.2"]) {
    assert.deepEqual(read(message(7), 7, address), [FLOW]);
  }
  assert.deepEqual(read(message(7), 7, "192.168.2.10"), [null]);
  assert.deepEqual(read(message(7), 8, "192.168.2.6"), [], "another's answer");
  assert.deepEqual(read(message(7, 132), 7, "192.168.2.6"), [null], "no SCTP");
});

Deno.test("a netlink part may contain several entries, the end, and an error", () => {
  const end = framed(3, 7, [0, 0, 0, 0]);
  const whole = new Uint8Array([...message(7), ...message(7), ...end]);
  const part = readFlows(whole, 7);
  assert.deepEqual([part.flows.length, part.done], [2, true]);
  const refused = readFlows(framed(2, 7, [0xff, 0xff, 0xff, 0xff]), 7);
  assert.deepEqual(refused, { flows: [], done: true, error: 1 });
});

Deno.test("a corrupted conntrack dump is read within its bounds", () => {
  const whole = new Uint8Array([...message(7), ...framed(2, 7, [0xff, 0xff, 0xff, 0xff])]);
  const bend = fc.record({ at: fc.nat(whole.length - 1), to: fc.nat(40) });
  fc.assert(
    fc.property(fc.array(bend, { maxLength: 4 }), fc.nat(whole.length), (bends, length) => {
      const bytes = whole.slice();
      for (const { at, to } of bends) bytes[at] = to;
      const part = bytes.slice(0, length);
      readFlows(part, 7);
      eachFlow(part, () => {});
    }),
    { numRuns: 5000 },
  );
  // Attributes without what they should hold, at the very end of a part.
  for (const length of [16, 20]) {
    for (const type of [2, 0x100, 0x102]) {
      const short = framed(type, 7, new Array(length - 16).fill(2));
      readFlows(short, 7);
      eachFlow(short, () => {});
    }
  }
});

Deno.test("a truncated conntrack dump is read as far as it goes", () => {
  const whole = message(7);
  for (let length = 0; length < whole.length; length++) {
    assert.deepEqual(readFlows(whole.subarray(0, length), 7).flows, []);
  }
});

Deno.test("the conntrack request is a dump of IPv4", () => {
  assert.deepEqual([...flowsRequest(5)], [
    20,
    0,
    0,
    0,
    1,
    1,
    1,
    3,
    5,
    0,
    0,
    0,
    0,
    0,
    0,
    0,
    2,
    0,
    0,
    0,
  ]);
});

Deno.test("a conntrack event says whether the connection is new or destroyed", () => {
  const results: boolean[] = [];
  const gone = message(0);
  new DataView(gone.buffer).setUint16(4, 0x102, true);
  eachFlow(
    new Uint8Array([...message(0), ...gone, ...framed(3, 0, [0, 0, 0, 0])]),
    (flow, ended) => {
      assert.deepEqual(flowOf(flow, wanted("192.168.2.6")), FLOW);
      results.push(ended);
    },
  );
  assert.deepEqual(results, [false, true]);
});
