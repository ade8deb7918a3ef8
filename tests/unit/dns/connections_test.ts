import assert from "node:assert/strict";
import { UpstreamGroup } from "../../../system/dns/upstream/group.ts";
import type { ByteStream, UpstreamNetwork } from "../../../system/core/net/transport.ts";
import {
  flipCase,
  groupBed as bed,
  plain,
  respond,
  responseTo,
  secure,
  sendQuery,
  upstreamQuery,
} from "../../kit/dns/upstream_group.ts";
import { mutate, SeededRandom } from "../../kit/dns/fuzz.ts";
import { readMessage, wireOpt } from "../../kit/dns/wire.ts";
import { faultsOf } from "../../kit/browser/faults_of.ts";
import { type FakeResponse, ManualClock, type Serve } from "../../kit/dns/fake_upstream.ts";

/** Answers that say how long a connection may stay open (RFC 7828), in tenths of a second. */
const keeping = (tenths: number): Serve => (query) => [{
  bytes: responseTo(query, {
    additional: [wireOpt({ data: [0, 11, 0, 2, tenths >> 8, tenths & 255] })],
  }),
}];

Deno.test("a resolver without EDNS gets queries without it, also over TCP and TLS", async () => {
  for (const resolver of [secure("9.9.9.9"), plain("9.9.9.9")]) {
    const { network, group, send } = bed([resolver]);
    // Over UDP it changes the case of the name, so that it is queried over TCP.
    network.udpServers.set("9.9.9.9", (query) => [{
      bytes: responseTo(query, {
        flags: 0x8181,
        answers: [],
        questions: readMessage(query).questions.map((one) => ({
          ...one,
          name: flipCase(one.name),
        })),
      }),
    }]);
    network.tcpServers.set("9.9.9.9", (query) => {
      const fault = readMessage(query).additional.length > 0;
      return [{ bytes: responseTo(query, fault ? { flags: 0x8181, answers: [] } : {}) }];
    });
    assert.equal(await send(), "192.0.2.1 by 9.9.9.9");
    const before = network.sent.length;
    assert.equal(await send(), "192.0.2.1 by 9.9.9.9");
    const later = network.sent.slice(before).map(({ bytes }) => readMessage(bytes).additional);
    assert.ok(later.every((additional) => additional.length === 0));
    group.close();
    assert.equal(network.open, 0);
  }
});

Deno.test("each connection requests the keepalive timeout once, and is closed in time", async () => {
  const { clock, network, group, send } = bed([secure("9.9.9.9")]);
  network.tcpServers.set("9.9.9.9", keeping(100));
  await send();
  await clock.advance(8000);
  await send();
  assert.equal(network.opened, 1);
  const options = network.sent.map(({ bytes }) =>
    readMessage(bytes).additional[0]!.data.slice(0, 4)
  );
  assert.deepEqual(options, ["000b", "000c"]);
  await clock.advance(8900);
  assert.equal(network.open, 1, "it was used meanwhile");
  await clock.advance(200);
  assert.equal(network.open, 0, "it is closed before the server does");
  await send();
  assert.deepEqual([network.opened, network.open], [2, 1]);
  group.close();
  await clock.advance(20_000);
  assert.deepEqual([network.open, clock.waiting], [0, 0]);
});

Deno.test("a connection that the server wants closed gets its pending responses and no more queries", async () => {
  const { clock, network, group } = bed([secure("9.9.9.9")]);
  let first = true;
  network.tcpServers.set("9.9.9.9", (query) => {
    const [{ bytes }] = keeping(0)(query) as [FakeResponse];
    const after = first ? 5 : 50;
    first = false;
    return [{ bytes, after }];
  });
  const early = [1, 2].map((i) => sendQuery(group, upstreamQuery(`n${i}.example.com`)));
  await clock.advance(10);
  const late = sendQuery(group, upstreamQuery("n3.example.com"));
  await clock.advance(100);
  for (const answer of [...early, late]) assert.equal((await answer).upstream, "9.9.9.9");
  assert.equal(network.opened, 2);
  assert.equal(network.open, 0);
  // However many come while it says so to each, connections are few.
  const many = Array.from(
    { length: 500 },
    (_, i) => sendQuery(group, upstreamQuery(`m${i}.example.com`)),
  );
  await clock.advance(1000);
  assert.equal((await Promise.all(many)).length, 500);
  assert.ok(network.opened < 30, `${network.opened} were opened`);
  assert.equal(network.open, 0);
  group.close();
});

Deno.test("many queries share a connection, and responses arrive in any order", async () => {
  const { clock, network, group } = bed([secure("9.9.9.9")]);
  let count = 0;
  network.tcpServers.set("9.9.9.9", (query) => {
    const { name } = readMessage(query).questions[0]!;
    const number = Number(name.split(".")[0]!.slice(1));
    return [{ bytes: responseTo(query, {}, `192.0.2.${number}`), after: 100 - count++ }];
  });
  const queries = Array.from(
    { length: 60 },
    (_, i) => sendQuery(group, upstreamQuery(`n${i}.example.com`)),
  );
  await clock.advance(200);
  const answers = await Promise.all(queries);
  answers.forEach(({ response }, i) => assert.deepEqual(response.addresses, [`192.0.2.${i}`]));
  assert.equal(network.opened, 1);
  group.close();
});

Deno.test("pending queries of a connection that ends are sent again on another", async () => {
  const { network, group, send } = bed([secure("9.9.9.9")]);
  let ends = 2;
  const close: FakeResponse = { bytes: "close" };
  network.tcpServers.set("9.9.9.9", (query) => ends-- > 0 ? [close] : respond()(query));
  assert.equal(await send(), "192.0.2.1 by 9.9.9.9");
  assert.equal(network.opened, 3);
  assert.equal(group.state[0]!.failed, 0);
  ends = Infinity;
  assert.match(await send(upstreamQuery(), 6000), /keeps closing the connection|No response/);
  group.close();
  assert.equal(network.open, 0);
});

Deno.test("a silent connection is closed, and the next query opens a new one", async () => {
  const { clock, network, group, send } = bed([secure("9.9.9.9")]);
  network.tcpServers.set("9.9.9.9", () => []);
  assert.match(await send(upstreamQuery(), 6000), /No response/);
  await clock.advance(6000);
  assert.equal(network.open, 0);
  const { opened } = network;
  network.tcpServers.set("9.9.9.9", respond());
  assert.equal(await send(), "192.0.2.1 by 9.9.9.9");
  assert.equal(network.opened, opened + 1);
  group.close();
});

Deno.test("a query after the uplink has changed does not wait for dead connections", async () => {
  const { network, group, send } = bed([secure("9.9.9.9")]);
  let alive: Serve = respond();
  network.tcpServers.set("9.9.9.9", (query) => alive(query));
  assert.equal(await send(), "192.0.2.1 by 9.9.9.9");
  // What is open hears nothing any more, what is opened now does.
  const dead = network.opened;
  alive = (query) => network.opened > dead ? respond()(query) : [];
  void sendQuery(group, upstreamQuery("first.example.com")).catch(() => {});
  await send(upstreamQuery("second.example.com"), 900);
  assert.equal(await send(upstreamQuery("third.example.com"), 30), "192.0.2.1 by 9.9.9.9");
  assert.equal(network.opened, dead + 1);
  group.close();
});

Deno.test("the AD flag is trusted over TLS only", async () => {
  const checked: Serve = (query) => [{ bytes: responseTo(query, { flags: 0x81a0 }) }];
  for (
    const [resolver, isTrusted] of [[secure("9.9.9.9"), true], [plain("9.9.9.9"), false]] as const
  ) {
    const { clock, network, group } = bed([resolver]);
    network.udpServers.set("9.9.9.9", checked);
    network.tcpServers.set("9.9.9.9", checked);
    const answer = sendQuery(group, upstreamQuery());
    await clock.advance(20);
    assert.equal((await answer).response.authentic, isTrusted);
    group.close();
  }
});

Deno.test("an error in one response handler is reported, and affects no other query of the connection", async () => {
  const { clock, network, group } = bed([secure("9.9.9.9")]);
  network.tcpServers.set("9.9.9.9", respond());
  const handled: number[] = [];
  const faults = await faultsOf(async () => {
    for (let i = 0; i < 4; i++) {
      group.query(upstreamQuery(`n${i}.example.com`), () => {
        handled.push(i);
        if (i % 2 === 0) throw new Error(`answer ${i}`);
      });
    }
    await clock.advance(20);
  });
  assert.deepEqual(handled, [0, 1, 2, 3]);
  assert.deepEqual(faults, ["answer 0", "answer 2"]);
  assert.deepEqual([network.opened, network.open], [1, 1], "the connection stays");
  group.close();
});

Deno.test("a malformed response fails its own query only", async () => {
  const { network, group, send } = bed([secure("9.9.9.9")]);
  network.tcpServers.set("9.9.9.9", (query) => {
    const bad = readMessage(query).questions[0]!.name.startsWith("bad");
    const whole = responseTo(query);
    return [{ bytes: bad ? whole.subarray(0, whole.length - 2) : whole }];
  });
  assert.match(await send(upstreamQuery("bad.example.com"), 6000), /malformed/);
  assert.equal(await send(), "192.0.2.1 by 9.9.9.9");
  assert.equal(network.opened, 1);
  group.close();
});

/** A connection over which a server says bytes cut anywhere. */
class RawStream implements ByteStream {
  readonly #pieces: Uint8Array[] = [];
  #wake = (): void => {};
  #closed = false;

  constructor(answer: (query: Uint8Array, say: (bytes: Uint8Array) => void) => void) {
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

Deno.test("whatever bytes a server sends, every query ends and no connection or timer stays", async () => {
  const seed = crypto.getRandomValues(new Uint32Array(1))[0]!;
  const random = new SeededRandom(seed);
  let answered = 0;
  for (let turn = 0; turn < 60; turn++) {
    const clock = new ManualClock();
    let open = 0;
    const network: UpstreamNetwork = {
      udp: () => ({ send: () => ({ cancel: () => {} }) }),
      connect: () => {
        open++;
        const stream = new RawStream((query, say) => {
          const right = framed(responseTo(query));
          const response = random.of([
            () => right,
            () => right,
            () => framed(mutate(random, Uint8Array.from(responseTo(query)))),
            () => mutate(random, Uint8Array.from(right)),
            () => framed(random.bytes(random.below(40))),
            () => Uint8Array.from([0, 0, ...right]),
            () => Uint8Array.from([255, 255, ...random.bytes(200)]),
            () => Uint8Array.from([...right, ...right]),
            () => framed(keeping(random.below(3))(query)[0]!.bytes as Uint8Array),
            () => new Uint8Array(0),
          ])();
          for (let at = 0; at < response.length;) {
            const piece = response.subarray(at, at + 1 + random.below(60));
            at += piece.length;
            say(piece);
          }
          if (random.once(15)) stream.close();
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
      ...{ resolvers: [secure("9.9.9.9")], trusted: [], network, clock },
      random: (length) => random.bytes(length),
    });
    const queries = Array.from(
      { length: 30 },
      (_, i) =>
        sendQuery(group, upstreamQuery(`n${turn}-${i}.example.com`)).then(
          () => answered++,
          () => {},
        ),
    );
    await clock.advance(12_000);
    await Promise.all(queries);
    await clock.advance(5000);
    group.close();
    assert.deepEqual([open, clock.waiting], [0, 0], `seed ${seed}, turn ${turn}`);
  }
  assert.ok(answered > 300, `${answered} of 1800 were answered`);
});
