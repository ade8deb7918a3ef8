import assert from "node:assert/strict";
import fc from "fast-check";
import type { Netlink } from "../../../system/host/netlink/netlink.ts";
import {
  addressEntries,
  linkMac,
  readAddress,
  readLink,
} from "../../../system/host/netlink/route/links.ts";
import { RtLister } from "../../../system/host/netlink/route/lister.ts";
import {
  acknowledgementOf,
  attribute,
  attributesOf,
  eachMessage,
  encodeMessage,
  type Message,
  numberAttribute,
  type Request,
  textAttribute,
} from "../../../system/host/netlink/message.ts";
import { DUMP_LINKS, DUMP_NEIGHBOURS } from "../../../system/host/netlink/route/requests.ts";
import {
  readNeighbour,
  readRoute,
  readRule,
  routeLink,
} from "../../../system/host/netlink/route/routes.ts";
import { addressBytes, addressText } from "../../../system/host/netlink/route/values.ts";

const name = (index: number): string => `if${index}`;

/** A message of the kernel: flags are its own, without those of a request. */
function messageBytes(
  type: number,
  payload: readonly number[],
  sequence = 7,
  flags = 0,
): Uint8Array {
  const bytes = encodeMessage({ type, flags: 0, body: Uint8Array.from(payload) }, sequence);
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
const DONE = messageBytes(3, [0, 0, 0, 0]);

/** Everything that reads what the kernel says, over one part. */
function readAll(part: Uint8Array): void {
  eachMessage(part, (message) => {
    acknowledgementOf(message);
    const link = readLink(message.payload);
    const address = readAddress(message.payload);
    if (link !== null) {
      linkMac(link);
      addressEntries([link], address === null ? [] : [{ ...address, index: link.index }]);
    }
    for (const family of [2, 10]) readRoute(message.payload, { family, name });
    readRule(message.payload);
    readNeighbour(message.payload, name);
    routeLink(message.payload);
  });
}

Deno.test("any bytes are parsed within their bounds, and parsing ends", () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 400 }), fc.nat(20), (bytes, from) => {
      readAll(bytes.subarray(from));
    }),
    { numRuns: 2000 },
  );
});

Deno.test("netlink messages may be truncated anywhere", () => {
  const whole = joined(
    messageBytes(16, LINK),
    messageBytes(28, NEIGHBOUR),
    messageBytes(24, ROUTE),
    DONE,
  );
  for (let length = 0; length <= whole.length; length++) readAll(whole.subarray(0, length));
  fc.assert(
    fc.property(
      fc.nat(whole.length - 1),
      fc.nat(255),
      fc.nat(whole.length),
      (at, value, length) => {
        const interrupted = whole.slice(0, length);
        if (at < interrupted.length) interrupted[at] = value;
        readAll(interrupted);
      },
    ),
    { numRuns: 3000 },
  );
});

Deno.test("unknown attributes are skipped", () => {
  const link = readLink(Uint8Array.from(LINK))!;
  assert.deepEqual([link.name, link.index, linkMac(link)], ["lan0", 4, "02:00:00:00:00:09"]);
  assert.deepEqual(addressEntries([link], [])[0]?.flags, [
    ...["BROADCAST", "MULTICAST", "UP", "LOWER_UP"],
  ]);
});

Deno.test("a parsed link does not depend on the reused receive buffer", () => {
  const bytes = Uint8Array.from(LINK);
  const link = readLink(bytes)!;
  bytes.fill(0xee);
  assert.equal(linkMac(link), "02:00:00:00:00:09");
});

Deno.test("each next hop of a route is read with gateway and link", () => {
  assert.deepEqual(readRoute(Uint8Array.from(ROUTE), { family: 2, name }), {
    dst: "10.20.0.0/24",
    table: "main",
    protocol: "static",
    nexthops: [{ gateway: "10.0.0.9", dev: "if3" }, { gateway: "10.7.0.9", dev: "if4" }],
  });
  assert.equal(readRoute(Uint8Array.from(ROUTE), { family: 10, name }), null);
});

Deno.test("neighbours are read with their state, without those that ip hides", () => {
  const entry = { dst: "192.168.2.6", dev: "if4", lladdr: "02:00:00:00:00:0a" };
  assert.deepEqual(readNeighbour(Uint8Array.from(NEIGHBOUR), name), {
    ...entry,
    state: ["PERMANENT"],
  });
  const fixed = NEIGHBOUR.with(8, 0x40);
  assert.equal(readNeighbour(Uint8Array.from(fixed), name), null);
});

Deno.test("addresses are formatted as inet_ntop() does, and parsed back", () => {
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

Deno.test("an acknowledgement carries the kernel's error message", () => {
  const request = [...encodeMessage(DUMP_NEIGHBOURS, 7)].slice(0, 16);
  const refused = [0xef, 0xff, 0xff, 0xff, ...request];
  const text = textAttribute(1, "ipv4: Address already assigned");
  const ack = (bytes: Uint8Array): unknown => {
    const found: unknown[] = [];
    eachMessage(bytes, (message) => void found.push(acknowledgementOf(message)));
    return found[0];
  };
  assert.deepEqual(ack(messageBytes(2, [...refused, ...text], 7, 0x300)), {
    error: 17,
    message: "ipv4: Address already assigned",
  });
  assert.deepEqual(ack(messageBytes(2, refused, 7, 0x100)), { error: 17, message: "" });
  assert.deepEqual(ack(messageBytes(2, [0, 0, 0, 0, ...request], 7, 0x100)), {
    error: 0,
    message: "",
  });
  assert.equal(ack(messageBytes(16, LINK)), null);
});

/** A kernel that answers each request with the next list of parts. */
function kernel(...answers: readonly (readonly Uint8Array[])[]): Netlink & { requests: number } {
  const never = (): never => {
    throw new Error("Unexpected call");
  };
  let parts: Uint8Array[] = [];
  const socket = {
    requests: 0,
    send: (message: (sequence: number) => Uint8Array<ArrayBuffer>): Promise<number> => {
      message(7);
      parts = [...answers[Math.min(socket.requests, answers.length - 1)]!];
      socket.requests++;
      return Promise.resolve(7);
    },
    sendNow: never,
    next: (): Uint8Array => parts.shift() ?? never(),
    receive: never,
    request: never,
    requestAsync: never,
    drain: never,
    setMembership: never,
    option: never,
    close: (): void => {},
  };
  return socket;
}

const read = ({ payload }: Message): string | null => readLink(payload)?.name ?? null;
const list = (socket: Netlink, request: Request = DUMP_LINKS): Promise<readonly string[]> =>
  new RtLister(socket).list(request, read);

Deno.test("a dump is read in parts, without responses to other requests", async () => {
  const socket = kernel([
    joined(messageBytes(16, LINK, 6), messageBytes(16, LINK)),
    messageBytes(16, LINK),
    DONE,
  ]);
  assert.deepEqual(await list(socket), ["lan0", "lan0"]);
});

Deno.test("an interrupted dump is repeated, a limited number of times", async () => {
  const interrupted = [messageBytes(16, LINK, 7, 0x12), DONE];
  const socket = kernel(interrupted, interrupted, [messageBytes(16, LINK), DONE]);
  assert.deepEqual(await list(socket), ["lan0"]);
  assert.equal(socket.requests, 3);
  const unstable = kernel(interrupted);
  await assert.rejects(list(unstable), { status: 502, message: /changes faster/ });
  assert.equal(unstable.requests, 8);
});

Deno.test("a list behind another is requested at once, and off the event loop where it is repeated", async () => {
  const interrupted = [messageBytes(16, LINK, 7, 0x12), DONE];
  const socket = kernel(interrupted, interrupted, [messageBytes(16, LINK), DONE]);
  const sent: string[] = [];
  const { send } = socket;
  socket.send = (message) => {
    sent.push("later");
    return send(message);
  };
  socket.sendNow = (message) => {
    sent.push("now");
    void send(message);
    return 7;
  };
  const lister = new RtLister(socket);
  assert.deepEqual(await lister.list(DUMP_LINKS, read, { follows: true }), ["lan0"]);
  assert.deepEqual(sent, ["now", "later", "later"]);
});

Deno.test("a refused or truncated dump is a 502", async () => {
  const refused = messageBytes(2, [0xff, 0xff, 0xff, 0xff, ...Array<number>(16).fill(0)], 7, 0x100);
  await assert.rejects(list(kernel([refused])), {
    status: 502,
    message: "The kernel lists nothing: Operation not permitted",
  });
  await assert.rejects(list(kernel([messageBytes(16, LINK).subarray(0, 40), DONE])), {
    status: 502,
    message: "The kernel's list is cut short",
  });
});

Deno.test("a family that the kernel lacks has an empty dump", async () => {
  const absent = messageBytes(2, [0xa1, 0xff, 0xff, 0xff, ...Array<number>(16).fill(0)], 7, 0x100);
  assert.deepEqual(await list(kernel([absent])), []);
});

Deno.test("an endless dump is an error", async () => {
  const socket = kernel([]);
  const endless = { ...socket, next: () => messageBytes(16, [1]) };
  await assert.rejects(list(endless), { status: 502, message: "The kernel's list does not end" });
});

Deno.test("attributes are read by their type, whatever flags it carries", () => {
  const bytes = Uint8Array.from([...attribute(0x8000 | 18, [1]), ...attribute(4, [2, 3])]);
  const found = attributesOf(bytes);
  assert.deepEqual([found[18], found[4]], [Uint8Array.of(1), Uint8Array.of(2, 3)]);
});
