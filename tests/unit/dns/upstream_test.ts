import assert from "node:assert/strict";
import fc from "fast-check";
import { hindrances } from "../../../system/dns/config/health_issues.ts";
import { fits, questionMessage } from "../../../system/dns/upstream/upstream_query.ts";
import {
  answerTo,
  BARE,
  flipped,
  good,
  groupBed as bed,
  plain,
  question,
  secure,
} from "../../kit/dns/upstream_group.ts";
import { readMessage, type WireMessage } from "../../kit/dns/wire.ts";
import type { Serve } from "../../kit/dns/fake_upstream.ts";

Deno.test("a question outside has what RFC 1035 wants and nothing of who asked", () => {
  const sent = questionMessage(question("Example.com".toLowerCase(), { dnssecOk: true }), {
    id: 0xabcd,
    cases: null,
    edns: true,
    keepAlive: false,
    padded: false,
  });
  const read = readMessage(sent);
  assert.deepEqual([read.id, read.flags], [0xabcd, 0x0120]);
  assert.deepEqual(read.questions, [{ name: "example.com", type: 1, class: 1 }]);
  assert.deepEqual(
    read.additional.map(({ type, class: size, ttl, data }) => [type, size, ttl, data]),
    [
      [41, 1232, 0x8000, ""],
    ],
  );
});

Deno.test("a padded question is a multiple of 128 bytes, whatever it asks", () => {
  const label = fc.stringMatching(/^[a-z]{1,60}$/);
  fc.assert(
    fc.property(
      fc.array(label, { minLength: 1, maxLength: 4 }),
      fc.boolean(),
      (labels, keepAlive) => {
        const name = labels.join(".");
        const sent = questionMessage(question(name), {
          ...BARE,
          edns: true,
          padded: true,
          keepAlive,
        });
        assert.equal(sent.length % 128, 0);
        const read = readMessage(sent);
        assert.equal(read.questions[0]?.name, name);
        const options = keepAlive ? /^000b0000000c/ : /^000c/;
        assert.match(read.additional[0]!.data, options);
      },
    ),
  );
});

Deno.test("letters are in random case, and nothing else is touched", () => {
  const bits = fc.uint8Array({ minLength: 32, maxLength: 32 });
  fc.assert(fc.property(bits, (cases) => {
    const name = "a0-b.cdefgh.xn--zzz9.example";
    const sent = questionMessage(question(name), { ...BARE, cases });
    assert.equal(readMessage(sent).questions[0]?.name.toLowerCase(), name);
    assert.equal(fits(answerTo(sent), sent, name.length + 2), "fits");
  }));
  const all = questionMessage(question("abc.def"), {
    ...BARE,
    cases: new Uint8Array(32).fill(255),
  });
  assert.equal(readMessage(all).questions[0]?.name, "ABC.DEF");
  assert.equal(fits(answerTo(all, { questions: [{ name: "abc.def", type: 1 }] }), all, 9), "case");
});

Deno.test("only what fits a plain question in every part is its answer", async () => {
  const forged: readonly ((asked: Uint8Array) => WireMessage)[] = [
    (asked) => ({ id: readMessage(asked).id ^ 1 }),
    () => ({ flags: 0x0180 }),
    () => ({ flags: 0xa180 }),
    () => ({ questions: [] }),
    () => ({ questions: [{ name: "other.example.com", type: 1 }] }),
    (asked) => ({ questions: [{ ...readMessage(asked).questions[0]!, type: 28 }] }),
    (asked) => ({ questions: [{ ...readMessage(asked).questions[0]!, class: 3 }] }),
  ];
  for (const change of forged) {
    const { outside, ask } = bed([plain("9.9.9.9")]);
    outside.udpServers.set("9.9.9.9", (asked) => [
      { bytes: answerTo(asked, change(asked), "192.0.2.66"), after: 1 },
      { bytes: answerTo(asked), after: 9 },
    ]);
    assert.equal(await ask(), "192.0.2.1 by 9.9.9.9", change.toString());
    assert.equal(outside.open, 0);
  }
});

Deno.test("an answer in another case, or cut, is asked for again over TCP", async () => {
  const changes = [
    (asked: Uint8Array) => ({
      questions: readMessage(asked).questions.map((one) => ({ ...one, name: flipped(one.name) })),
    }),
    () => ({ flags: 0x8380 }),
  ];
  for (const change of changes) {
    const { outside, group, ask } = bed([plain("9.9.9.9")]);
    outside.udpServers.set(
      "9.9.9.9",
      (asked) => [{ bytes: answerTo(asked, change(asked), "192.0.2.66") }],
    );
    outside.tcpServers.set("9.9.9.9", good());
    assert.equal(await ask(), "192.0.2.1 by 9.9.9.9");
    group.close();
    assert.equal(outside.open, 0);
  }
});

Deno.test("each plain question has an id, a port and letters of its own", async () => {
  const { outside, ask } = bed([plain("9.9.9.9")]);
  outside.udpServers.set("9.9.9.9", good());
  for (let i = 0; i < 20; i++) await ask();
  assert.equal(new Set(outside.sent.map(({ bytes }) => readMessage(bytes).id)).size, 20);
  assert.ok(
    new Set(outside.sent.map(({ bytes }) => readMessage(bytes).questions[0]!.name)).size > 15,
  );
});

Deno.test("a resolver that knows no EDNS is spoken to without it", async () => {
  const { outside, ask } = bed([plain("9.9.9.9")]);
  outside.udpServers.set("9.9.9.9", (asked) => {
    const old = readMessage(asked).additional.length > 0;
    return [{ bytes: answerTo(asked, old ? { flags: 0x8181, answers: [] } : {}) }];
  });
  assert.equal(await ask(), "192.0.2.1 by 9.9.9.9");
  assert.equal(await ask(), "192.0.2.1 by 9.9.9.9");
  assert.deepEqual(outside.sent.map(({ bytes }) => readMessage(bytes).additional.length), [
    1,
    0,
    0,
  ]);
});

Deno.test("a resolver that knew no EDNS is spoken to with it again after a while, and not before", async () => {
  const { clock, outside, ask } = bed([plain("9.9.9.9")]);
  let old = true;
  outside.udpServers.set("9.9.9.9", (asked) => {
    const fault = old && readMessage(asked).additional.length > 0;
    return [{ bytes: answerTo(asked, fault ? { flags: 0x8181, answers: [] } : {}) }];
  });
  const sent = async (): Promise<readonly number[]> => {
    const before = outside.sent.length;
    assert.equal(await ask(), "192.0.2.1 by 9.9.9.9");
    return outside.sent.slice(before).map(({ bytes }) => readMessage(bytes).additional.length);
  };
  assert.deepEqual(await sent(), [1, 0]);
  old = false;
  // What goes on without EDNS does not keep it from being tried again.
  for (let minute = 1; minute < 15; minute++) {
    await clock.advance(59_000);
    assert.deepEqual(await sent(), [0], `minute ${minute}`);
  }
  await clock.advance(74_000);
  assert.deepEqual(await sent(), [1]);
  assert.deepEqual(await sent(), [1]);
});

Deno.test("a resolver that takes one question in no form keeps EDNS for the others", async () => {
  const { outside, ask } = bed([plain("9.9.9.9")]);
  let bad = 2;
  outside.udpServers.set("9.9.9.9", (asked) => {
    return [{ bytes: answerTo(asked, bad-- > 0 ? { flags: 0x8181, answers: [] } : {}) }];
  });
  await ask().catch(() => null);
  assert.equal(await ask(), "192.0.2.1 by 9.9.9.9");
  assert.equal(readMessage(outside.sent.at(-1)!.bytes).additional.length, 1);
});

Deno.test("a lost question is asked again, and a slow resolver has another asked beside it", async () => {
  const { outside, ask } = bed([plain("9.9.9.9")]);
  let lost = 2;
  outside.udpServers.set("9.9.9.9", (asked) => lost-- > 0 ? [] : good()(asked));
  assert.equal(await ask(question(), 4000), "192.0.2.1 by 9.9.9.9");
  assert.equal(outside.sent.length, 3);

  const two = bed([plain("9.9.9.9"), plain("8.8.8.8")]);
  two.outside.udpServers.set("9.9.9.9", good("192.0.2.1", 2000));
  two.outside.udpServers.set("8.8.8.8", good("192.0.2.2", 20));
  assert.equal(await two.ask(question(), 800), "192.0.2.2 by 8.8.8.8");
});

Deno.test("the quicker resolver is asked, and the other now and then", async () => {
  const { outside, ask } = bed([plain("9.9.9.9"), plain("8.8.8.8")]);
  outside.udpServers.set("9.9.9.9", good("192.0.2.1", 60));
  outside.udpServers.set("8.8.8.8", good("192.0.2.2", 10));
  for (let i = 0; i < 300; i++) await ask(question(), 100);
  const share = outside.sent.filter(({ how }) => how.endsWith("9.9.9.9")).length;
  assert.ok(share >= 2 && share <= 30, `${share} of 300 went to the slow one`);
});

Deno.test("one that refuses or fails is passed over, and two that fail are believed", async () => {
  for (const code of [2, 5]) {
    const { outside, ask } = bed([plain("9.9.9.9"), plain("8.8.8.8")]);
    const bad: Serve = (
      asked,
    ) => [{ bytes: answerTo(asked, { flags: 0x8180 | code, answers: [] }) }];
    outside.udpServers.set("9.9.9.9", bad);
    outside.udpServers.set("8.8.8.8", good("192.0.2.2"));
    assert.equal(await ask(), "192.0.2.2 by 8.8.8.8");
    outside.udpServers.set("8.8.8.8", bad);
    assert.match(await ask(), new RegExp(`^${code} by `));
  }
});

Deno.test("a resolver that is gone is left out, tried beside the others, and taken again", async () => {
  const { clock, outside, group, ask } = bed([plain("9.9.9.9"), plain("8.8.8.8")]);
  outside.udpServers.set("8.8.8.8", good("192.0.2.2"));
  const states = () => group.state.map(({ state }) => state);
  // It is asked now and then until it has failed often enough.
  for (let i = 0; i < 1000 && states()[0] !== "down"; i++) {
    assert.equal(await ask(question(), 4000), "192.0.2.2 by 8.8.8.8");
  }
  assert.deepEqual(states(), ["down", "up"]);
  assert.match(group.state[0]!.lastError!, /No answer in time/);
  const before = outside.sent.length;
  await ask(question(), 200);
  assert.ok(outside.sent.length - before <= 2, "answered without waiting for the one that is gone");
  outside.udpServers.set("9.9.9.9", good());
  await clock.advance(120_000);
  await ask(question(), 4000);
  assert.deepEqual(states(), ["up", "up"]);
});

Deno.test("when no resolver answers, that is said in time and nothing stays open", async () => {
  const { clock, outside, group, ask } = bed([plain("9.9.9.9"), secure("8.8.8.8")]);
  assert.match(await ask(question(), 5000), /No answer|refused/);
  await clock.advance(10_000);
  assert.equal(outside.open, 0);
  assert.ok(outside.sent.length <= 4);
  group.close();
  const none = bed([]);
  assert.match(await none.ask(), /No resolver is named/);
});

Deno.test("what hinders is a taken port and a group without any resolver that answers, not what comes by itself", () => {
  const resolver = (state: "up" | "down" | "unknown") => ({
    ...{ address: "9.9.9.9", tlsHost: null, connections: 0, latency: null, asked: 0, failed: 0 },
    ...{ failures: 0, lastError: state === "down" ? "No answer in time" : null, state },
  });
  const found = hindrances(
    {
      "192.168.2.1": "Another program answers on port 53 of 192.168.2.1",
      "192.168.3.1": "192.168.3.1 is no address of this router yet",
    },
    [
      { name: "default", resolvers: [resolver("down"), resolver("up")] },
      { name: "family", resolvers: [resolver("down")] },
      { name: "192.168.2.53", resolvers: [resolver("down"), resolver("down")] },
      { name: "8.8.8.8", resolvers: [resolver("unknown")] },
    ],
    0,
  );
  assert.deepEqual(found, [
    { subject: "192.168.2.1", detail: "Another program answers on port 53 of 192.168.2.1" },
    {
      subject: "family",
      detail: "No resolver of the family policy answers: No answer in time",
    },
    {
      subject: "192.168.2.53",
      detail: "The resolver 192.168.2.53 of a device does not answer: No answer in time",
    },
  ]);
});
