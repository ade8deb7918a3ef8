import assert from "node:assert/strict";
import fc from "fast-check";
import { hindrances } from "../../system/dns/hindrances.ts";
import { nameBytes } from "../../system/dns/name.ts";
import {
  type Answered,
  UpstreamGroup,
  type UpstreamResolver,
} from "../../system/dns/upstream/group.ts";
import { fits, type Question, questionMessage } from "../../system/dns/upstream/question.ts";
import { readMessage, wireA, type WireMessage, wireMessage } from "../kit/dns_wire.ts";
import { faultsOf } from "../kit/faults_of.ts";
import { FakeOutside, type FakeReply, ManualClock, type Serve } from "../kit/fake_outside.ts";

function question(name = "www.example.com", more: Partial<Question> = {}): Question {
  return { name: nameBytes(name)!, type: 1, dnssecOk: false, checkingDisabled: false, ...more };
}

/** The true answer to a question, or with something of it changed. */
function answerTo(asked: Uint8Array, more: WireMessage = {}, address = "192.0.2.1"): Uint8Array {
  const { id, questions } = readMessage(asked);
  const answers = [wireA(questions[0]!.name, address)];
  return wireMessage({ id, flags: 0x8180, questions, answers, ...more });
}

const good = (address = "192.0.2.1", after = 10): Serve => (asked) => [
  { bytes: answerTo(asked, {}, address), after },
];

/** A group over an outside in memory. */
function bed(resolvers: readonly UpstreamResolver[]) {
  const clock = new ManualClock();
  const outside = new FakeOutside(clock);
  let seed = 1;
  const random = (length: number) =>
    Uint8Array.from({ length }, () => (seed = seed * 1103515245 + 12345 & 0x7fffffff) >> 16);
  const group = new UpstreamGroup({ resolvers, trusted: [], outside, clock, random });
  /** Asks and moves the clock on; what came, or the error's words. */
  const ask = async (asked = question(), wait = 20): Promise<string> => {
    const done = asking(group, asked).then(
      ({ reply, by }) => `${reply.addresses.join() || reply.code} by ${by}`,
      (error) => String(error.message),
    );
    await clock.advance(wait);
    return await done;
  };
  return { clock, outside, group, ask };
}

/** What a group answers, as a promise. */
function asking(group: UpstreamGroup, asked: Question): Promise<Answered> {
  return new Promise((resolve, reject) =>
    group.ask(asked, (answered, error) => answered === null ? reject(error) : resolve(answered))
  );
}

const plain = (address: string): UpstreamResolver => ({ address, tlsHost: null });
const secure = (address: string): UpstreamResolver => ({ address, tlsHost: "dns.test" });

Deno.test("a question outside has what RFC 1035 wants and nothing of who asked", () => {
  const sent = questionMessage(question("Example.com".toLowerCase(), { dnssecOk: true }), {
    id: 0xabcd,
    cases: null,
    edns: true,
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
  fc.assert(fc.property(fc.array(label, { minLength: 1, maxLength: 4 }), (labels) => {
    const name = labels.join(".");
    const sent = questionMessage(question(name), { id: 1, cases: null, edns: true, padded: true });
    assert.equal(sent.length % 128, 0);
    assert.equal(readMessage(sent).questions[0]?.name, name);
  }));
});

Deno.test("letters are in random case, and nothing else is touched", () => {
  const bits = fc.uint8Array({ minLength: 32, maxLength: 32 });
  fc.assert(fc.property(bits, (cases) => {
    const name = "a0-b.cdefgh.xn--zzz9.example";
    const sent = questionMessage(question(name), { id: 1, cases, edns: false, padded: false });
    assert.equal(readMessage(sent).questions[0]?.name.toLowerCase(), name);
    assert.equal(fits(answerTo(sent), sent, name.length + 2), "fits");
  }));
  const all = questionMessage(question("abc.def"), {
    id: 1,
    cases: new Uint8Array(32).fill(255),
    edns: false,
    padded: false,
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
    outside.udp.set("9.9.9.9", (asked) => [
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
    outside.udp.set(
      "9.9.9.9",
      (asked) => [{ bytes: answerTo(asked, change(asked), "192.0.2.66") }],
    );
    outside.tcp.set("9.9.9.9", good());
    assert.equal(await ask(), "192.0.2.1 by 9.9.9.9");
    group.close();
    assert.equal(outside.open, 0);
  }
});

function flipped(name: string): string {
  return [...name].map((c) => c === c.toLowerCase() ? c.toUpperCase() : c.toLowerCase()).join("");
}

Deno.test("each plain question has an id, a port and letters of its own", async () => {
  const { outside, ask } = bed([plain("9.9.9.9")]);
  outside.udp.set("9.9.9.9", good());
  for (let i = 0; i < 20; i++) await ask();
  assert.equal(new Set(outside.sent.map(({ bytes }) => readMessage(bytes).id)).size, 20);
  assert.ok(
    new Set(outside.sent.map(({ bytes }) => readMessage(bytes).questions[0]!.name)).size > 15,
  );
});

Deno.test("a resolver that knows no EDNS is spoken to without it", async () => {
  const { outside, ask } = bed([plain("9.9.9.9")]);
  outside.udp.set("9.9.9.9", (asked) => {
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

Deno.test("a resolver that takes one question in no form keeps EDNS for the others", async () => {
  const { outside, ask } = bed([plain("9.9.9.9")]);
  let bad = 2;
  outside.udp.set("9.9.9.9", (asked) => {
    return [{ bytes: answerTo(asked, bad-- > 0 ? { flags: 0x8181, answers: [] } : {}) }];
  });
  await ask().catch(() => null);
  assert.equal(await ask(), "192.0.2.1 by 9.9.9.9");
  assert.equal(readMessage(outside.sent.at(-1)!.bytes).additional.length, 1);
});

Deno.test("a lost question is asked again, and a slow resolver has another asked beside it", async () => {
  const { outside, ask } = bed([plain("9.9.9.9")]);
  let lost = 2;
  outside.udp.set("9.9.9.9", (asked) => lost-- > 0 ? [] : good()(asked));
  assert.equal(await ask(question(), 4000), "192.0.2.1 by 9.9.9.9");
  assert.equal(outside.sent.length, 3);

  const two = bed([plain("9.9.9.9"), plain("8.8.8.8")]);
  two.outside.udp.set("9.9.9.9", good("192.0.2.1", 2000));
  two.outside.udp.set("8.8.8.8", good("192.0.2.2", 20));
  assert.equal(await two.ask(question(), 800), "192.0.2.2 by 8.8.8.8");
});

Deno.test("the quicker resolver is asked, and the other now and then", async () => {
  const { outside, ask } = bed([plain("9.9.9.9"), plain("8.8.8.8")]);
  outside.udp.set("9.9.9.9", good("192.0.2.1", 60));
  outside.udp.set("8.8.8.8", good("192.0.2.2", 10));
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
    outside.udp.set("9.9.9.9", bad);
    outside.udp.set("8.8.8.8", good("192.0.2.2"));
    assert.equal(await ask(), "192.0.2.2 by 8.8.8.8");
    outside.udp.set("8.8.8.8", bad);
    assert.match(await ask(), new RegExp(`^${code} by `));
  }
});

Deno.test("a resolver that is gone is left out, tried beside the others, and taken again", async () => {
  const { clock, outside, group, ask } = bed([plain("9.9.9.9"), plain("8.8.8.8")]);
  outside.udp.set("8.8.8.8", good("192.0.2.2"));
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
  outside.udp.set("9.9.9.9", good());
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

Deno.test("many questions share a connection, and answers come in any order", async () => {
  const { clock, outside, group } = bed([secure("9.9.9.9")]);
  let count = 0;
  outside.tcp.set("9.9.9.9", (asked) => {
    const { name } = readMessage(asked).questions[0]!;
    const number = Number(name.split(".")[0]!.slice(1));
    return [{ bytes: answerTo(asked, {}, `192.0.2.${number}`), after: 100 - count++ }];
  });
  const asked = Array.from({ length: 60 }, (_, i) => asking(group, question(`n${i}.example.com`)));
  await clock.advance(200);
  const answers = await Promise.all(asked);
  answers.forEach(({ reply }, i) => assert.deepEqual(reply.addresses, [`192.0.2.${i}`]));
  assert.equal(outside.opened, 1);
  group.close();
});

Deno.test("what waits on a connection that ends is put again on another", async () => {
  const { outside, group, ask } = bed([secure("9.9.9.9")]);
  let ends = 2;
  const close: FakeReply = { bytes: "close" };
  outside.tcp.set("9.9.9.9", (asked) => ends-- > 0 ? [close] : good()(asked));
  assert.equal(await ask(), "192.0.2.1 by 9.9.9.9");
  assert.equal(outside.opened, 3);
  assert.equal(group.state[0]!.failed, 0);
  ends = Infinity;
  assert.match(await ask(question(), 6000), /ends again and again|No answer/);
  group.close();
  assert.equal(outside.open, 0);
});

Deno.test("a connection that has fallen silent is given up, and the next question has a new one", async () => {
  const { clock, outside, group, ask } = bed([secure("9.9.9.9")]);
  outside.tcp.set("9.9.9.9", () => []);
  assert.match(await ask(question(), 6000), /No answer/);
  await clock.advance(6000);
  assert.equal(outside.open, 0);
  const { opened } = outside;
  outside.tcp.set("9.9.9.9", good());
  assert.equal(await ask(), "192.0.2.1 by 9.9.9.9");
  assert.equal(outside.opened, opened + 1);
  group.close();
});

Deno.test("a question after the way outside has changed does not wait for connections that are dead", async () => {
  const { outside, group, ask } = bed([secure("9.9.9.9")]);
  let alive: Serve = good();
  outside.tcp.set("9.9.9.9", (asked) => alive(asked));
  assert.equal(await ask(), "192.0.2.1 by 9.9.9.9");
  // What is open hears nothing any more, what is opened now does.
  const dead = outside.opened;
  alive = (asked) => outside.opened > dead ? good()(asked) : [];
  void asking(group, question("first.example.com")).catch(() => {});
  await ask(question("second.example.com"), 900);
  assert.equal(await ask(question("third.example.com"), 30), "192.0.2.1 by 9.9.9.9");
  assert.equal(outside.opened, dead + 1);
  group.close();
});

Deno.test("that signatures were checked is believed over TLS alone", async () => {
  const checked: Serve = (asked) => [{ bytes: answerTo(asked, { flags: 0x81a0 }) }];
  for (
    const [resolver, believed] of [[secure("9.9.9.9"), true], [plain("9.9.9.9"), false]] as const
  ) {
    const { clock, outside, group } = bed([resolver]);
    outside.udp.set("9.9.9.9", checked);
    outside.tcp.set("9.9.9.9", checked);
    const answer = asking(group, question());
    await clock.advance(20);
    assert.equal((await answer).reply.authentic, believed);
    group.close();
  }
});

Deno.test("what goes wrong with one answer over a connection is told, and ends nothing else", async () => {
  const { clock, outside, group } = bed([secure("9.9.9.9")]);
  outside.tcp.set("9.9.9.9", good());
  const heard: number[] = [];
  const faults = await faultsOf(async () => {
    for (let i = 0; i < 4; i++) {
      group.ask(question(`n${i}.example.com`), () => {
        heard.push(i);
        if (i % 2 === 0) throw new Error(`answer ${i}`);
      });
    }
    await clock.advance(20);
  });
  assert.deepEqual(heard, [0, 1, 2, 3]);
  assert.deepEqual(faults, ["answer 0", "answer 2"]);
  assert.deepEqual([outside.opened, outside.open], [1, 1], "the connection stays");
  group.close();
});

Deno.test("a malformed answer over a connection fails that question alone", async () => {
  const { outside, group, ask } = bed([secure("9.9.9.9")]);
  outside.tcp.set("9.9.9.9", (asked) => {
    const bad = readMessage(asked).questions[0]!.name.startsWith("bad");
    const whole = answerTo(asked);
    return [{ bytes: bad ? whole.subarray(0, whole.length - 2) : whole }];
  });
  assert.match(await ask(question("bad.example.com"), 6000), /malformed/);
  assert.equal(await ask(), "192.0.2.1 by 9.9.9.9");
  assert.equal(outside.opened, 1);
  group.close();
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
