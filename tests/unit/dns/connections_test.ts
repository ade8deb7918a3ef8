import assert from "node:assert/strict";
import { UpstreamGroup } from "../../../system/dns/upstream/group.ts";
import type { ByteStream, UpstreamNetwork } from "../../../system/core/net/transport.ts";
import {
  answerTo,
  asking,
  flipped,
  good,
  groupBed as bed,
  plain,
  question,
  secure,
} from "../../kit/dns/upstream_group.ts";
import { Dice, mutated } from "../../kit/dns/fuzz.ts";
import { readMessage, wireOpt } from "../../kit/dns/wire.ts";
import { faultsOf } from "../../kit/browser/faults_of.ts";
import { type FakeReply, ManualClock, type Serve } from "../../kit/dns/fake_upstream.ts";

/** Answers that say how long a connection may stay open (RFC 7828), in tenths of a second. */
const keeping = (tenths: number): Serve => (asked) => [{
  bytes: answerTo(asked, {
    additional: [wireOpt({ data: [0, 11, 0, 2, tenths >> 8, tenths & 255] })],
  }),
}];

Deno.test("a resolver over a connection that knows no EDNS is spoken to without it", async () => {
  for (const resolver of [secure("9.9.9.9"), plain("9.9.9.9")]) {
    const { outside, group, ask } = bed([resolver]);
    // Over UDP it changes the case of the name, so that it is asked over TCP.
    outside.udpServers.set("9.9.9.9", (asked) => [{
      bytes: answerTo(asked, {
        flags: 0x8181,
        answers: [],
        questions: readMessage(asked).questions.map((one) => ({ ...one, name: flipped(one.name) })),
      }),
    }]);
    outside.tcpServers.set("9.9.9.9", (asked) => {
      const fault = readMessage(asked).additional.length > 0;
      return [{ bytes: answerTo(asked, fault ? { flags: 0x8181, answers: [] } : {}) }];
    });
    assert.equal(await ask(), "192.0.2.1 by 9.9.9.9");
    const before = outside.sent.length;
    assert.equal(await ask(), "192.0.2.1 by 9.9.9.9");
    const later = outside.sent.slice(before).map(({ bytes }) => readMessage(bytes).additional);
    assert.ok(later.every((additional) => additional.length === 0));
    group.close();
    assert.equal(outside.open, 0);
  }
});

Deno.test("a server is asked once on each connection how long it may stay, and that is kept to", async () => {
  const { clock, outside, group, ask } = bed([secure("9.9.9.9")]);
  outside.tcpServers.set("9.9.9.9", keeping(100));
  await ask();
  await clock.advance(8000);
  await ask();
  assert.equal(outside.opened, 1);
  const asks = outside.sent.map(({ bytes }) => readMessage(bytes).additional[0]!.data.slice(0, 4));
  assert.deepEqual(asks, ["000b", "000c"]);
  await clock.advance(8900);
  assert.equal(outside.open, 1, "it was used meanwhile");
  await clock.advance(200);
  assert.equal(outside.open, 0, "it is closed before the server does");
  await ask();
  assert.deepEqual([outside.opened, outside.open], [2, 1]);
  group.close();
  await clock.advance(20_000);
  assert.deepEqual([outside.open, clock.waiting], [0, 0]);
});

Deno.test("a server that wants a connection closed gets its answers out and nothing more on it", async () => {
  const { clock, outside, group } = bed([secure("9.9.9.9")]);
  let first = true;
  outside.tcpServers.set("9.9.9.9", (asked) => {
    const [{ bytes }] = keeping(0)(asked) as [FakeReply];
    const after = first ? 5 : 50;
    first = false;
    return [{ bytes, after }];
  });
  const early = [1, 2].map((i) => asking(group, question(`n${i}.example.com`)));
  await clock.advance(10);
  const late = asking(group, question("n3.example.com"));
  await clock.advance(100);
  for (const answer of [...early, late]) assert.equal((await answer).by, "9.9.9.9");
  assert.equal(outside.opened, 2);
  assert.equal(outside.open, 0);
  // However many come while it says so to each, connections are few.
  const many = Array.from({ length: 500 }, (_, i) => asking(group, question(`m${i}.example.com`)));
  await clock.advance(1000);
  assert.equal((await Promise.all(many)).length, 500);
  assert.ok(outside.opened < 30, `${outside.opened} were opened`);
  assert.equal(outside.open, 0);
  group.close();
});

Deno.test("many questions share a connection, and answers come in any order", async () => {
  const { clock, outside, group } = bed([secure("9.9.9.9")]);
  let count = 0;
  outside.tcpServers.set("9.9.9.9", (asked) => {
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
  outside.tcpServers.set("9.9.9.9", (asked) => ends-- > 0 ? [close] : good()(asked));
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
  outside.tcpServers.set("9.9.9.9", () => []);
  assert.match(await ask(question(), 6000), /No answer/);
  await clock.advance(6000);
  assert.equal(outside.open, 0);
  const { opened } = outside;
  outside.tcpServers.set("9.9.9.9", good());
  assert.equal(await ask(), "192.0.2.1 by 9.9.9.9");
  assert.equal(outside.opened, opened + 1);
  group.close();
});

Deno.test("a question after the way outside has changed does not wait for connections that are dead", async () => {
  const { outside, group, ask } = bed([secure("9.9.9.9")]);
  let alive: Serve = good();
  outside.tcpServers.set("9.9.9.9", (asked) => alive(asked));
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
    outside.udpServers.set("9.9.9.9", checked);
    outside.tcpServers.set("9.9.9.9", checked);
    const answer = asking(group, question());
    await clock.advance(20);
    assert.equal((await answer).reply.authentic, believed);
    group.close();
  }
});

Deno.test("what goes wrong with one answer over a connection is told, and ends nothing else", async () => {
  const { clock, outside, group } = bed([secure("9.9.9.9")]);
  outside.tcpServers.set("9.9.9.9", good());
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
  outside.tcpServers.set("9.9.9.9", (asked) => {
    const bad = readMessage(asked).questions[0]!.name.startsWith("bad");
    const whole = answerTo(asked);
    return [{ bytes: bad ? whole.subarray(0, whole.length - 2) : whole }];
  });
  assert.match(await ask(question("bad.example.com"), 6000), /malformed/);
  assert.equal(await ask(), "192.0.2.1 by 9.9.9.9");
  assert.equal(outside.opened, 1);
  group.close();
});

/** A connection over which a server says bytes cut anywhere. */
class RawStream implements ByteStream {
  readonly #pieces: Uint8Array[] = [];
  #wake = (): void => {};
  #closed = false;

  constructor(answer: (asked: Uint8Array, say: (bytes: Uint8Array) => void) => void) {
    this.write = (bytes) => {
      if (this.#closed) return Promise.reject(new Error("Broken pipe"));
      for (let at = 0; at + 2 <= bytes.length;) {
        const size = bytes[at]! << 8 | bytes[at + 1]!;
        answer(bytes.slice(at + 2, at + 2 + size), (piece) => {
          this.#pieces.push(piece);
          this.#wake();
        });
        at += size + 2;
      }
      return Promise.resolve();
    };
  }

  readonly write: (bytes: Uint8Array) => Promise<void>;

  async read(into: Uint8Array): Promise<number | null> {
    while (this.#pieces.length === 0) {
      if (this.#closed) return null;
      await new Promise<void>((resolve) => this.#wake = resolve);
    }
    if (this.#closed) return null;
    const piece = this.#pieces.shift()!;
    const count = Math.min(piece.length, into.length);
    into.set(piece.subarray(0, count));
    if (count < piece.length) this.#pieces.unshift(piece.subarray(count));
    return count;
  }

  close(): void {
    this.#closed = true;
    this.#wake();
  }
}

const framed = (bytes: Uint8Array): Uint8Array =>
  Uint8Array.from([bytes.length >> 8, bytes.length & 255, ...bytes]);

Deno.test("whatever bytes a server says over a connection, every question ends and nothing stays open", async () => {
  const seed = crypto.getRandomValues(new Uint32Array(1))[0]!;
  const dice = new Dice(seed);
  let told = 0;
  for (let turn = 0; turn < 60; turn++) {
    const clock = new ManualClock();
    let open = 0;
    const outside: UpstreamNetwork = {
      udp: () => ({ send: () => ({ cancel: () => {} }) }),
      connect: () => {
        open++;
        const stream = new RawStream((asked, say) => {
          const right = framed(answerTo(asked));
          const said = dice.of([
            () => right,
            () => right,
            () => framed(mutated(dice, Uint8Array.from(answerTo(asked)))),
            () => mutated(dice, Uint8Array.from(right)),
            () => framed(dice.bytes(dice.below(40))),
            () => Uint8Array.from([0, 0, ...right]),
            () => Uint8Array.from([255, 255, ...dice.bytes(200)]),
            () => Uint8Array.from([...right, ...right]),
            () => framed(keeping(dice.below(3))(asked)[0]!.bytes as Uint8Array),
            () => new Uint8Array(0),
          ])();
          for (let at = 0; at < said.length;) {
            const piece = said.subarray(at, at + 1 + dice.below(60));
            at += piece.length;
            say(piece);
          }
          if (dice.once(15)) stream.close();
        });
        const close = stream.close.bind(stream);
        let isOpen = true;
        stream.close = () => {
          if (isOpen) open--;
          isOpen = false;
          close();
        };
        return Promise.resolve(stream);
      },
    };
    const group = new UpstreamGroup({
      ...{ resolvers: [secure("9.9.9.9")], trusted: [], outside, clock },
      random: (length) => dice.bytes(length),
    });
    const asked = Array.from(
      { length: 30 },
      (_, i) => asking(group, question(`n${turn}-${i}.example.com`)).then(() => told++, () => {}),
    );
    await clock.advance(12_000);
    await Promise.all(asked);
    await clock.advance(5000);
    group.close();
    assert.deepEqual([open, clock.waiting], [0, 0], `seed ${seed}, turn ${turn}`);
  }
  assert.ok(told > 300, `${told} of 1800 were told`);
});
