import assert from "node:assert/strict";
import fc from "fast-check";
import type { Netlink } from "../../../system/host/netlink/netlink.ts";
import {
  addressEntries,
  linkCard,
  readAddress,
  readLink,
} from "../../../system/host/netlink/route/links.ts";
import { RtLister } from "../../../system/host/netlink/route/lister.ts";
import {
  attribute,
  attributesOf,
  eachMessage,
  type Message,
  numberAttribute,
  type Request,
  textAttribute,
  verdictOf,
  written,
} from "../../../system/host/netlink/message.ts";
import { ALL_NEIGHBOURS, ALL_THE_LINKS } from "../../../system/host/netlink/route/requests.ts";
import {
  readNeighbour,
  readRoute,
  readRule,
  routeLink,
} from "../../../system/host/netlink/route/routes.ts";
import { addressBytes, addressText } from "../../../system/host/netlink/route/values.ts";

const name = (index: number): string => `if${index}`;

/** A message of the kernel: flags are its own, without those of a request. */
function told(type: number, payload: readonly number[], sequence = 7, flags = 0): Uint8Array {
  const bytes = written({ type, flags: 0, body: Uint8Array.from(payload) }, sequence);
  new DataView(bytes.buffer).setUint16(6, flags, true);
  return bytes;
}

function joined(...parts: readonly Uint8Array[]): Uint8Array {
  return Uint8Array.from(parts.flatMap((part) => [...part]));
}

const LINK = [
  ...[0, 0, 1, 0, 4, 0, 0, 0, 0x43, 0x10, 1, 0, 0, 0, 0, 0],
  ...textAttribute(3, "lan0"),
  ...numberAttribute(4, 1500),
  ...attribute(1, [2, 0, 0, 0, 0, 9]),
  // Of a kernel to come.
  ...attribute(300, [1, 2, 3]),
];
const NEIGHBOUR = [
  ...[2, 0, 0, 0, 4, 0, 0, 0, 0x80, 0, 0, 1],
  ...attribute(1, [192, 168, 2, 6]),
  ...attribute(2, [2, 0, 0, 0, 0, 10]),
];
const ROUTE = [
  ...[2, 24, 0, 0, 254, 4, 0, 1, 0, 0, 0, 0],
  ...attribute(1, [10, 20, 0, 0]),
  ...attribute(9, [
    ...[16, 0, 0, 0, 3, 0, 0, 0],
    ...attribute(5, [10, 0, 0, 9]),
    ...[16, 0, 0, 0, 4, 0, 0, 0],
    ...attribute(5, [10, 7, 0, 9]),
  ]),
];
const DONE = told(3, [0, 0, 0, 0]);

/** Everything that reads what the kernel says, over one part. */
function readAll(part: Uint8Array): void {
  eachMessage(part, (message) => {
    verdictOf(message);
    const link = readLink(message.payload);
    const address = readAddress(message.payload);
    if (link !== null) {
      linkCard(link);
      addressEntries([link], address === null ? [] : [{ ...address, index: link.index }]);
    }
    for (const family of [2, 10]) readRoute(message.payload, { family, name });
    readRule(message.payload);
    readNeighbour(message.payload, name);
    routeLink(message.payload);
  });
}

Deno.test("whatever bytes come, they are read within their bounds and to an end", () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 400 }), fc.nat(20), (bytes, from) => {
      readAll(bytes.subarray(from));
    }),
    { numRuns: 2000 },
  );
});

Deno.test("what the kernel says may be cut short, or bent, anywhere", () => {
  const whole = joined(told(16, LINK), told(28, NEIGHBOUR), told(24, ROUTE), DONE);
  for (let length = 0; length <= whole.length; length++) readAll(whole.subarray(0, length));
  fc.assert(
    fc.property(
      fc.nat(whole.length - 1),
      fc.nat(255),
      fc.nat(whole.length),
      (at, value, length) => {
        const bent = whole.slice(0, length);
        if (at < bent.length) bent[at] = value;
        readAll(bent);
      },
    ),
    { numRuns: 3000 },
  );
});

Deno.test("attributes that are not known are passed over", () => {
  const link = readLink(Uint8Array.from(LINK))!;
  assert.deepEqual([link.name, link.index, linkCard(link)], ["lan0", 4, "02:00:00:00:00:09"]);
  assert.deepEqual(addressEntries([link], [])[0]?.flags, [
    ...["BROADCAST", "MULTICAST", "UP", "LOWER_UP"],
  ]);
});

Deno.test("a link is read whole, although the next part comes into the same bytes", () => {
  const bytes = Uint8Array.from(LINK);
  const link = readLink(bytes)!;
  bytes.fill(0xee);
  assert.equal(linkCard(link), "02:00:00:00:00:09");
});

Deno.test("each next hop of a route is read with its gateway and link", () => {
  assert.deepEqual(readRoute(Uint8Array.from(ROUTE), { family: 2, name }), {
    dst: "10.20.0.0/24",
    table: "main",
    protocol: "static",
    nexthops: [{ gateway: "10.0.0.9", dev: "if3" }, { gateway: "10.7.0.9", dev: "if4" }],
  });
  assert.equal(readRoute(Uint8Array.from(ROUTE), { family: 10, name }), null);
});

Deno.test("a neighbour is told with its state; those that ip does not list are left out", () => {
  const entry = { dst: "192.168.2.6", dev: "if4", lladdr: "02:00:00:00:00:0a" };
  assert.deepEqual(readNeighbour(Uint8Array.from(NEIGHBOUR), name), {
    ...entry,
    state: ["PERMANENT"],
  });
  const fixed = NEIGHBOUR.with(8, 0x40);
  assert.equal(readNeighbour(Uint8Array.from(fixed), name), null);
});

Deno.test("addresses are written as the C library writes them, and read back", () => {
  for (
    const text of [
      ...["10.0.0.1", "fe80::1", "::", "::1", "fd00::1:0:0:1", "::ffff:1.2.3.4", "::1.2.3.4"],
      ...["1:2:3:4:5:6:7:8", "1:0:3:4:5:6:7:8", "::ffff:0.0.0.0", "64:ff9b::c000:201"],
    ]
  ) {
    assert.equal(addressText(addressBytes(text)!), text);
  }
  fc.assert(fc.property(fc.uint8Array({ minLength: 16, maxLength: 16 }), (bytes) => {
    assert.deepEqual(addressBytes(addressText(bytes)!), bytes);
  }));
});

Deno.test("an acknowledgement is read with the kernel's own words", () => {
  const request = [...written(ALL_NEIGHBOURS, 7)].slice(0, 16);
  const refused = [0xef, 0xff, 0xff, 0xff, ...request];
  const words = textAttribute(1, "ipv4: Address already assigned");
  const verdict = (bytes: Uint8Array): unknown => {
    const found: unknown[] = [];
    eachMessage(bytes, (message) => void found.push(verdictOf(message)));
    return found[0];
  };
  assert.deepEqual(verdict(told(2, [...refused, ...words], 7, 0x300)), {
    error: 17,
    words: "ipv4: Address already assigned",
  });
  assert.deepEqual(verdict(told(2, refused, 7, 0x100)), { error: 17, words: "" });
  assert.deepEqual(verdict(told(2, [0, 0, 0, 0, ...request], 7, 0x100)), { error: 0, words: "" });
  assert.equal(verdict(told(16, LINK)), null);
});

/** A kernel that answers each question with the next of some lists of parts. */
function kernel(...answers: readonly (readonly Uint8Array[])[]): Netlink & { asked: number } {
  const never = (): never => {
    throw new Error("Nobody asks this");
  };
  let parts: Uint8Array[] = [];
  const socket = {
    asked: 0,
    send: (message: (sequence: number) => Uint8Array<ArrayBuffer>): Promise<number> => {
      message(7);
      parts = [...answers[Math.min(socket.asked, answers.length - 1)]!];
      socket.asked++;
      return Promise.resolve(7);
    },
    next: (): Uint8Array => parts.shift() ?? never(),
    receive: never,
    ask: never,
    askLater: never,
    drain: never,
    follow: never,
    option: never,
    close: (): void => {},
  };
  return socket;
}

const read = ({ payload }: Message): string | null => readLink(payload)?.name ?? null;
const list = (socket: Netlink, request: Request = ALL_THE_LINKS): Promise<readonly string[]> =>
  new RtLister(socket).list(request, read);

Deno.test("a list comes in parts, and what answers another question is none of it", async () => {
  const socket = kernel([
    joined(told(16, LINK, 6), told(16, LINK)),
    told(16, LINK),
    DONE,
  ]);
  assert.deepEqual(await list(socket), ["lan0", "lan0"]);
});

Deno.test("a list that changed while it was read is read anew, and not for ever", async () => {
  const bent = [told(16, LINK, 7, 0x12), DONE];
  const socket = kernel(bent, bent, [told(16, LINK), DONE]);
  assert.deepEqual(await list(socket), ["lan0"]);
  assert.equal(socket.asked, 3);
  const restless = kernel(bent);
  await assert.rejects(list(restless), { status: 502, message: /changes faster/ });
  assert.equal(restless.asked, 8);
});

Deno.test("a list that the kernel refuses, or that is cut short, is a 502", async () => {
  const refused = told(2, [0xff, 0xff, 0xff, 0xff, ...Array<number>(16).fill(0)], 7, 0x100);
  await assert.rejects(list(kernel([refused])), {
    status: 502,
    message: "The kernel lists nothing: Operation not permitted",
  });
  await assert.rejects(list(kernel([told(16, LINK).subarray(0, 40), DONE])), {
    status: 502,
    message: "The kernel's list is cut short",
  });
});

Deno.test("of a family that the kernel does not have there is nothing", async () => {
  const absent = told(2, [0xa1, 0xff, 0xff, 0xff, ...Array<number>(16).fill(0)], 7, 0x100);
  assert.deepEqual(await list(kernel([absent])), []);
});

Deno.test("a list without an end is given up", async () => {
  const socket = kernel([]);
  const endless = { ...socket, next: () => told(16, [1]) };
  await assert.rejects(list(endless), { status: 502, message: "The kernel's list does not end" });
});

Deno.test("attributes are read by their type, whatever flags it carries", () => {
  const bytes = Uint8Array.from([...attribute(0x8000 | 18, [1]), ...attribute(4, [2, 3])]);
  const found = attributesOf(bytes);
  assert.deepEqual([found[18], found[4]], [Uint8Array.of(1), Uint8Array.of(2, 3)]);
});
