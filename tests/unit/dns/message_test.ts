import fc from "fast-check";
import assert from "node:assert/strict";
import {
  encodeStored,
  ResponseEncoder,
  udpLimit,
} from "../../../system/dns/codec/response_encoder.ts";
import { DROP, parseQuery, QueryView } from "../../../system/dns/codec/query.ts";
import { copyName, nameBytes, nameText, skipName } from "../../../system/dns/codec/name.ts";
import { parseResponse } from "../../../system/dns/codec/response_parser.ts";
import {
  readMessage,
  wireA,
  wireAlias,
  wireMessage,
  wireName,
  wireOpt,
  wireQuery,
  wireSoa,
} from "../../kit/dns/wire.ts";

const view = new QueryView();
const parsed = (bytes: Uint8Array): number => parseQuery(bytes, view);

const label = fc.stringMatching(/^[a-zA-Z0-9_-]{1,20}$/);
const name = fc.array(label, { minLength: 1, maxLength: 8 }).map((labels) => labels.join("."));

Deno.test("the compressed names of RFC 1035 4.1.4 are decoded", () => {
  // The example of the RFC, moved behind a header: F.ISI.ARPA, FOO.F.ISI.ARPA, ARPA and the root.
  const bytes = Uint8Array.from([
    ...Array<number>(20).fill(0),
    ...wireName("F.ISI.ARPA"),
    ...[3, 0x46, 0x4f, 0x4f, 0xc0, 20],
    ...[0xc0, 26],
    0,
  ]);
  const end = bytes.length;
  assert.deepEqual([20, 32, 38, 40].map((at) => skipName(bytes, at, end)), [32, 38, 40, 41]);
  assert.deepEqual([20, 32, 38, 40].map((at) => nameText(bytes, at)), [
    "F.ISI.ARPA.",
    "FOO.F.ISI.ARPA.",
    "ARPA.",
    ".",
  ]);
  const out = new Uint8Array(255);
  assert.equal(nameText(out.subarray(0, copyName(bytes, 32, out))), "foo.f.isi.arpa.");
});

Deno.test("compression pointers that loop, point forwards or into the header are rejected", () => {
  const at = 12;
  const of = (...bytes: number[]): Uint8Array =>
    Uint8Array.from([...Array<number>(at).fill(0), ...bytes]);
  for (
    const bad of [
      of(0xc0, 12),
      of(0xc0, 14, 1, 0x61, 0),
      of(0xc0, 4),
      of(1, 0x61, 0xc0, 12),
      of(0x40, 1, 0),
      of(0x80),
      of(63, 0x61),
      of(0xc0),
      of(),
    ]
  ) assert.equal(skipName(bad, at, bad.length), -1, bad.subarray(at).join());
});

Deno.test("names longer than 255 bytes are rejected, with or without compression", () => {
  const long = Array.from({ length: 3 }, () => "x".repeat(63)).join(".");
  const most = `${long}.${"y".repeat(61)}`;
  assert.equal(skipName(Uint8Array.from(wireName(most)), 0, 255), 255);
  assert.equal(nameBytes(most)?.length, 255);
  assert.equal(nameBytes(`${long}.${"y".repeat(62)}`), null);
  const head = Array<number>(12).fill(0);
  const joined = Uint8Array.from([...head, ...wireName(most), 1, 0x7a, 0xc0, 12]);
  assert.equal(skipName(joined, 12 + 255, joined.length), -1);
});

Deno.test("a trailing backslash or a dot within a label survives the text form", () => {
  for (const label of [[0x5c], [0x2e], [0x61, 0x5c], [0x5c, 0x2e], [0x2e, 0x5c]]) {
    const wire = Uint8Array.from([label.length, ...label, 0]);
    const text = nameText(wire);
    assert.deepEqual([nameBytes(text), nameBytes(text.slice(0, -1))], [wire, wire], text);
  }
  for (const text of ["a..", "..", ".a"]) assert.equal(nameBytes(text), null, text);
});

Deno.test("any name survives the text form, whatever bytes it has", () => {
  const bytes = fc.array(
    fc.uint8Array({ minLength: 1, maxLength: 30 }),
    { maxLength: 7 },
  ).map((labels) => Uint8Array.from([...labels.flatMap((one) => [one.length, ...one]), 0]));
  fc.assert(fc.property(bytes, (wire) => {
    const text = nameText(wire);
    assert.match(text, /^[\x21-\x7e]+$/);
    assert.deepEqual(nameBytes(text), wire);
    if (text !== ".") assert.deepEqual(nameBytes(text.replace(/\.$/, "")), wire);
  }));
  for (const bad of ["a..b", ".a", "x".repeat(64), "a\\", "\\300", "ä\u4e00"]) {
    assert.equal(nameBytes(bad), null, bad);
  }
});

Deno.test("a query is parsed in full: question, EDNS, flags", () => {
  fc.assert(
    fc.property(
      name,
      fc.integer({ min: 1, max: 40 }),
      fc.integer({ min: 0, max: 65535 }),
      fc.boolean(),
      (queryName, type, id, dnssec) => {
        const bytes = wireQuery(queryName, type, {
          id,
          flags: 0x0110,
          additional: [wireOpt({ size: 4000, dnssec })],
        });
        assert.equal(parsed(bytes), 0);
        assert.deepEqual(
          [view.id, view.type, view.class, view.edns, view.udpSize, view.dnssecOk],
          [id, type, 1, true, 4000, dnssec],
        );
        assert.ok(view.checkingDisabled && view.recursion);
        assert.equal(nameText(view.name), `${queryName.toLowerCase()}.`);
        assert.equal(view.labels, queryName.split(".").length);
        assert.equal(view.questionEnd, 12 + queryName.length + 2 + 4);
      },
    ),
  );
});

Deno.test("malformed queries get the response code of RFC 1035, or no response", () => {
  const good = wireQuery("example.com");
  const patched = (at: number, ...bytes: number[]): Uint8Array => {
    const copy = good.slice();
    copy.set(bytes, at);
    return copy;
  };
  const cases: readonly [string, Uint8Array, number][] = [
    ["nothing", new Uint8Array(0), DROP],
    ["half a header", good.subarray(0, 11), DROP],
    ["an answer", patched(2, 0x81), DROP],
    ["opcode 1", patched(2, 0x09), 4],
    ["an update", patched(2, 0x28), 4],
    ["no question", patched(4, 0, 0), 1],
    ["two questions", patched(4, 0, 2), 1],
    ["65535 questions", patched(4, 255, 255), 1],
    ["an answer in it", patched(6, 0, 1), 1],
    ["65535 records", patched(10, 255, 255), 1],
    ["a record that is not there", patched(10, 0, 1), 1],
    ["the truncation bit", patched(2, 0x03), 1],
    ["a name without end", good.subarray(0, 18), 1],
    ["no type", good.subarray(0, good.length - 3), 1],
    ["bytes too many", Uint8Array.from([...good, 0]), 1],
    ["a pointer to itself", patched(12, 0xc0, 12), 1],
    ["class CH", wireMessage({ questions: [{ name: "version.bind", type: 16, class: 3 }] }), 5],
    ["class ANY", wireMessage({ questions: [{ name: "a", type: 1, class: 255 }] }), 4],
    ["class 0", wireMessage({ questions: [{ name: "a", type: 1, class: 0 }] }), 4],
    ["a transfer", wireQuery("a", 252), 5],
    ["MAILB", wireQuery("a", 253), 4],
    ["type 0", wireQuery("a", 0), 1],
    ["type OPT", wireQuery("a", 41), 1],
    ["EDNS version 1", wireQuery("a", 1, { additional: [wireOpt({ version: 1 })] }), 16],
    ["EDNS twice", wireQuery("a", 1, { additional: [wireOpt(), wireOpt()] }), 1],
    ["EDNS of a name", wireQuery("a", 1, { additional: [{ ...wireOpt(), name: "b" }] }), 1],
    ["half an option", wireQuery("a", 1, { additional: [wireOpt({ data: [0, 10, 0, 9] })] }), 1],
  ];
  for (const [what, bytes, code] of cases) assert.equal(parsed(bytes), code, what);
});

Deno.test("no bytes make the parsers throw, and a query is never parsed in part", () => {
  const noise = fc.uint8Array({ maxLength: 200 });
  const out = new Uint8Array(4096);
  const writer = new ResponseEncoder();
  const mutated = fc.tuple(name, fc.array(fc.tuple(fc.nat(80), fc.nat(255)), { maxLength: 6 }))
    .map(([queryName, changes]) => {
      const bytes = wireQuery(queryName, 1, { additional: [wireOpt()] });
      for (const [at, value] of changes) if (at < bytes.length) bytes[at] = value;
      return bytes;
    });
  fc.assert(
    fc.property(fc.oneof(noise, mutated), (bytes) => {
      const code = parsed(bytes);
      parseResponse(bytes);
      if (code === DROP) return;
      writer.begin(bytes, view, out);
      const length = writer.finish(view, { code }, udpLimit(view));
      const answer = readMessage(out.subarray(0, length));
      assert.equal(answer.id, bytes[0]! << 8 | bytes[1]!);
      assert.equal(answer.flags & 0x8000, 0x8000);
      assert.equal(answer.code, code & 15);
    }),
    { numRuns: 2000 },
  );
});

Deno.test("an encoded response is parsed back unchanged", () => {
  const out = new Uint8Array(4096);
  const writer = new ResponseEncoder();
  const query = wireQuery("Printer.LAN", 1, { additional: [wireOpt({ dnssec: true })] });
  assert.equal(parsed(query), 0);
  writer.begin(query, view, out);
  writer.answer(5, 60, Uint8Array.from(wireName("other.lan")));
  writer.answerFor(Uint8Array.from(wireName("other.lan")), 1, 60, Uint8Array.of(192, 168, 2, 6));
  writer.soa(Uint8Array.from(wireName("lan")), 10);
  const length = writer.finish(
    view,
    { code: 0, authoritative: true, extendedError: 15 },
    udpLimit(view),
  );
  const answer = readMessage(out.subarray(0, length));
  assert.equal(answer.flags, 0x8580);
  assert.deepEqual(answer.questions, [{ name: "Printer.LAN", type: 1, class: 1 }]);
  assert.deepEqual(answer.answers.map((one) => [one.name, one.type, one.ttl, one.data]), [
    ["Printer.LAN", 5, 60, "other.lan"],
    ["other.lan", 1, 60, "192.168.2.6"],
  ]);
  assert.deepEqual(answer.authority.map((one) => [one.name, one.type, one.ttl]), [["lan", 6, 10]]);
  assert.match(answer.authority[0]!.data, /0000000a$/);
  const [opt] = answer.additional;
  assert.deepEqual([opt?.type, opt?.class, opt?.ttl, opt?.data], [
    41,
    1232,
    0x8000,
    "000f0002000f",
  ]);
});

/** An upstream's answer as it is kept. */
function stored(message: Parameters<typeof wireMessage>[0]) {
  const reply = parseResponse(wireMessage({ flags: 0x81a0, ...message }));
  assert.ok(reply);
  return reply;
}

Deno.test("a cached response is sent with the query's id, letter case and EDNS, and TTLs by age", () => {
  const out = new Uint8Array(4096);
  const reply = stored({
    questions: [{ name: "www.example.com", type: 1 }],
    answers: [
      wireAlias("www.example.com", "web.example.com", 300),
      wireA("web.example.com", "192.0.2.1", 100),
    ],
    additional: [wireOpt({ size: 4096 })],
  });
  assert.deepEqual([reply.ttl, reply.addresses, reply.additional], [100, ["192.0.2.1"], 0]);
  const query = wireQuery("WWW.example.COM", 1, { id: 7, flags: 0x0110 });
  parsed(query);
  const encoded = (how: { age: number; ttl?: number }) =>
    readMessage(out.subarray(0, encodeStored(reply, { query, view }, out, { ...how, limit: 512 })));
  const answer = encoded({ age: 40 });
  assert.equal(answer.id, 7);
  // AD is not sent to a client that does not ask for it; CD and RD are echoed.
  assert.equal(answer.flags, 0x8190);
  assert.equal(answer.questions[0]?.name, "WWW.example.COM");
  assert.deepEqual(answer.answers.map(({ ttl }) => ttl), [260, 60]);
  assert.deepEqual(answer.additional, []);
  assert.deepEqual(encoded({ age: 1000 }).answers.map(({ ttl }) => ttl), [0, 0]);
  assert.deepEqual(encoded({ age: 1000, ttl: 30 }).answers.map(({ ttl }) => ttl), [30, 30]);
  parsed(wireQuery("www.example.com", 1, { flags: 0x0120 }));
  assert.equal(encoded({ age: 0 }).flags, 0x81a0);
});

Deno.test("a response too long for UDP loses its additional section first, then all but the question", () => {
  const out = new Uint8Array(4096);
  const many = (count: number) =>
    Array.from({ length: count }, (_, i) => wireA("a.example", `192.0.2.${i}`));
  const reply = stored({
    questions: [{ name: "a.example", type: 1 }],
    answers: many(10),
    authority: [wireAlias("example", "ns.example", 60, 2)],
    additional: many(10),
  });
  const query = wireQuery("a.example");
  parsed(query);
  const encoded = (limit: number) =>
    readMessage(out.subarray(0, encodeStored(reply, { query, view }, out, { age: 0, limit })));
  const lengths = (limit: number) => {
    const { answers, authority, additional, flags } = encoded(limit);
    return [answers.length, authority.length, additional.length, flags & 0x0200];
  };
  assert.deepEqual(lengths(4096), [10, 1, 10, 0]);
  assert.deepEqual(lengths(512), [10, 0, 0, 0]);
  assert.deepEqual(lengths(200), [0, 0, 0, 0x0200]);
});

Deno.test("a negative response is cached as long as its SOA allows, and never without one", () => {
  const no = (code: number, authority: Parameters<typeof wireMessage>[0]["authority"]) =>
    parseResponse(wireMessage({
      flags: 0x8180 | code,
      questions: [{ name: "x.example", type: 1 }],
      authority: authority ?? [],
    }))?.ttl;
  assert.equal(no(3, [wireSoa("example", 900, 60)]), 60);
  assert.equal(no(0, [wireSoa("example", 30, 60)]), 30);
  assert.equal(no(3, [wireSoa("example", 90_000, 90_000)]), 3600);
  assert.equal(no(3, []), 0);
  assert.equal(no(2, [wireSoa("example", 900, 60)]), 0);
});

Deno.test("a response with any malformed part is rejected", () => {
  const good = wireMessage({
    flags: 0x8180,
    questions: [{ name: "a.example", type: 1 }],
    answers: [wireA("a.example", "192.0.2.1")],
  });
  assert.ok(parseResponse(good));
  for (let cut = 1; cut < good.length - 12; cut++) {
    assert.equal(parseResponse(good.subarray(0, good.length - cut)), null, String(cut));
  }
  const broken = (record: Parameters<typeof wireMessage>[0]["answers"]) =>
    parseResponse(wireMessage({
      flags: 0x8180,
      questions: [{ name: "a.example", type: 1 }],
      answers: record ?? [],
    }));
  assert.equal(broken([{ name: "a", type: 1, ttl: 1, data: [1, 2, 3] }]), null);
  assert.equal(broken([{ name: "a", type: 28, ttl: 1, data: [1, 2, 3, 4] }]), null);
  assert.equal(broken([{ name: "a", type: 5, ttl: 1, data: [0xc0, 0xff] }]), null);
  assert.equal(broken([{ name: "a", type: 5, ttl: 1, data: [1, 0x61, 0, 0] }]), null);
  assert.equal(broken([{ name: "a", type: 6, ttl: 1, data: [0, 0, 1] }]), null);
  assert.equal(broken([{ ...wireOpt() }]), null);
});

Deno.test("addresses are found in A, AAAA and HTTPS records' hints", () => {
  const hints = [
    0,
    1,
    0,
    0,
    4,
    0,
    8,
    192,
    168,
    2,
    1,
    10,
    0,
    0,
    1,
    0,
    6,
    0,
    16,
    ...Array(15).fill(0),
    1,
  ];
  const reply = stored({
    questions: [{ name: "a.example", type: 65 }],
    answers: [
      { name: "a.example", type: 65, ttl: 60, data: hints },
      { name: "a.example", type: 28, ttl: 60, data: [0xfd, ...Array(14).fill(0), 1] },
    ],
  });
  assert.deepEqual(reply.addresses, ["192.168.2.1", "10.0.0.1", "::1", "fd00::1"]);
});

Deno.test("a TTL with its highest bit set counts as zero (RFC 2181 8)", () => {
  const answers = [wireA("a.example", "192.0.2.1", 0x8000_0001)];
  assert.equal(stored({ questions: [{ name: "a.example", type: 1 }], answers }).ttl, 0);
});
