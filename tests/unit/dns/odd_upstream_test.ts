import assert from "node:assert/strict";
import {
  flipCase,
  groupBed as bed,
  plain,
  respond,
  responseTo,
  secure,
  upstreamQuery,
} from "../../kit/dns/upstream_group.ts";
import { DEFAULT_UPSTREAM, dnsBed } from "../../kit/dns/bed.ts";
import type { Serve } from "../../kit/dns/fake_upstream.ts";
import { readMessage, wireMessage, wireOpt } from "../../kit/dns/wire.ts";

const [FORMERR, SERVFAIL, NOTIMP, REFUSED] = [1, 2, 4, 5];

/** The header of a response and nothing else. */
const bare = (query: Uint8Array, code: number) =>
  wireMessage({ id: readMessage(query).id, flags: 0x8180 | code });
const coded = (query: Uint8Array, code: number) =>
  responseTo(query, { flags: 0x8180 | code, answers: [] });
const isMixed = (query: Uint8Array) => {
  const { name } = readMessage(query).questions[0]!;
  return name !== name.toLowerCase();
};
const hasEdns = (query: Uint8Array) => readMessage(query).additional.length > 0;
/** Milliseconds in which a second attempt must have brought the response. */
const AT_ONCE = 60;

Deno.test("FORMERR or NOTIMP as a bare header leads to the same query without EDNS at once", async () => {
  for (const code of [FORMERR, NOTIMP]) {
    for (const resolver of [plain("9.9.9.9"), secure("9.9.9.9")]) {
      const { network, send } = bed([resolver]);
      const serve: Serve = (
        query,
      ) => [{ bytes: hasEdns(query) ? bare(query, code) : responseTo(query) }];
      network.udpServers.set("9.9.9.9", serve);
      network.tcpServers.set("9.9.9.9", serve);
      assert.equal(await send(upstreamQuery(), AT_ONCE), "192.0.2.1 by 9.9.9.9");
      assert.equal(await send(upstreamQuery(), AT_ONCE), "192.0.2.1 by 9.9.9.9");
      assert.deepEqual(network.sent.map(({ bytes }) => hasEdns(bytes)), [true, false, false]);
    }
  }
});

Deno.test("a bare code is a response, and one without a code none", async () => {
  const { network, send, group } = bed([plain("9.9.9.9")]);
  network.udpServers.set("9.9.9.9", (query) => [
    { bytes: bare(query, 0), after: 1 },
    { bytes: bare(query, SERVFAIL), after: 5 },
  ]);
  assert.equal(await send(upstreamQuery(), AT_ONCE), `${SERVFAIL} by 9.9.9.9`);
  assert.equal(group.state[0]!.state, "up");
});

Deno.test("what is truncated inside a record, broken or short is queried over TCP at once", async () => {
  const whole = (query: Uint8Array) => responseTo(query);
  const cases: readonly ((query: Uint8Array) => Uint8Array)[] = [
    (query) => {
      const cut = whole(query).slice(0, -3);
      cut[2]! |= 2;
      return cut;
    },
    (query) => wireMessage({ id: readMessage(query).id, flags: 0x8380 }),
    (query) => whole(query).slice(0, -3),
    (query) => withCount(whole(query), 2),
  ];
  for (const [index, change] of cases.entries()) {
    const { network, send } = bed([plain("9.9.9.9")]);
    network.udpServers.set("9.9.9.9", (query) => [{ bytes: change(query) }]);
    network.tcpServers.set("9.9.9.9", respond("192.0.2.7"));
    assert.equal(await send(upstreamQuery(), AT_ONCE), "192.0.2.7 by 9.9.9.9", `case ${index}`);
  }
});

Deno.test("a count of records that is too high is forgiven where nothing better is to be had", async () => {
  const { network, send } = bed([plain("9.9.9.9"), secure("8.8.8.8")]);
  const serve: Serve = (query) => [{ bytes: withCount(responseTo(query), 3) }];
  network.udpServers.set("9.9.9.9", serve);
  network.tcpServers.set("8.8.8.8", serve);
  assert.match(await send(upstreamQuery(), AT_ONCE), /^192\.0\.2\.1 by /);
  const none = bed([secure("9.9.9.9")]);
  none.network.tcpServers.set("9.9.9.9", (query) => [{
    bytes: withCount(responseTo(query, { answers: [] }), 1),
  }]);
  assert.match(await none.send(upstreamQuery(), 6000), /malformed/, "no answer is made up");
});

Deno.test("a resolver that refuses mixed case is queried in lower case from then on", async () => {
  for (const tcp of [true, false]) {
    const { clock, network, send } = bed([plain("9.9.9.9")]);
    let refused = 0;
    network.udpServers.set("9.9.9.9", (query) => {
      if (isMixed(query)) refused++;
      return [{ bytes: isMixed(query) ? coded(query, REFUSED) : responseTo(query) }];
    });
    if (tcp) network.tcpServers.set("9.9.9.9", respond());
    for (let i = 0; i < 5; i++) {
      assert.equal(await send(upstreamQuery(), AT_ONCE), "192.0.2.1 by 9.9.9.9");
    }
    assert.equal(refused, 1);
    await clock.advance(901_000);
    assert.equal(await send(upstreamQuery(), AT_ONCE), "192.0.2.1 by 9.9.9.9");
    assert.equal(refused, 2, "it is tried again after a while");
  }
});

Deno.test("a resolver that changes the case and has no TCP is queried in lower case", async () => {
  const { network, send } = bed([plain("9.9.9.9")]);
  network.udpServers.set("9.9.9.9", (query) => {
    const lower = readMessage(query).questions.map((one) => ({
      ...one,
      name: one.name.toLowerCase(),
    }));
    return [{ bytes: responseTo(query, { questions: lower }) }];
  });
  for (let i = 0; i < 3; i++) {
    assert.equal(await send(upstreamQuery(), AT_ONCE), "192.0.2.1 by 9.9.9.9");
  }
  const flips = bed([plain("9.9.9.9")]);
  flips.network.udpServers.set("9.9.9.9", (query) => [{
    bytes: responseTo(query, {
      questions: readMessage(query).questions.map((one) => ({ ...one, name: flipCase(one.name) })),
    }),
  }]);
  assert.match(await flips.send(upstreamQuery(), 6000), /refused/);
});

Deno.test("a name that is refused for itself is passed on, and queried once more in all", async () => {
  const { network, group, send } = bed([plain("9.9.9.9")]);
  network.udpServers.set("9.9.9.9", (query) => [{ bytes: coded(query, REFUSED) }]);
  network.tcpServers.set("9.9.9.9", (query) => [{ bytes: coded(query, REFUSED) }]);
  for (let i = 0; i < 10; i++) {
    assert.equal(await send(upstreamQuery(), AT_ONCE), `${REFUSED} by 9.9.9.9`);
  }
  assert.equal(network.sent.length, 11);
  assert.deepEqual([group.isDown, group.state[0]!.failed], [false, 0]);
  // Where TCP leads nowhere the refusal is passed on all the same.
  const hung = bed([plain("9.9.9.9")]);
  hung.network.udpServers.set("9.9.9.9", (query) => [{ bytes: coded(query, REFUSED) }]);
  hung.network.tcpServers.set("9.9.9.9", () => []);
  assert.equal(await hung.send(upstreamQuery(), 1500), `${REFUSED} by 9.9.9.9`);
});

Deno.test("a resolver behind which queries with EDNS are lost is queried without it", async () => {
  const { network, send, group } = bed([plain("9.9.9.9")]);
  network.udpServers.set("9.9.9.9", (query) => hasEdns(query) ? [] : respond()(query));
  assert.equal(await send(upstreamQuery(), 800), "192.0.2.1 by 9.9.9.9");
  assert.equal(await send(upstreamQuery(), 1600), "192.0.2.1 by 9.9.9.9");
  for (let i = 0; i < 5; i++) {
    assert.equal(await send(upstreamQuery(), AT_ONCE), "192.0.2.1 by 9.9.9.9");
  }
  assert.equal(group.isDown, false);
});

Deno.test("a resolver that comes within reach keeps EDNS", async () => {
  const { clock, network, send } = bed([plain("9.9.9.9")]);
  for (let i = 0; i < 3; i++) void send(upstreamQuery(`a${i}.example`), 100);
  network.udpServers.set("9.9.9.9", respond());
  await clock.advance(6000);
  assert.equal(await send(upstreamQuery("b.example"), AT_ONCE), "192.0.2.1 by 9.9.9.9");
  assert.ok(hasEdns(network.sent.at(-1)!.bytes));
});

Deno.test("a lost packet costs a resolver that supports EDNS nothing", async () => {
  const { network, send } = bed([plain("9.9.9.9")]);
  network.udpServers.set("9.9.9.9", respond());
  await send();
  let lost = 1;
  network.udpServers.set("9.9.9.9", (query) => lost-- > 0 ? [] : respond()(query));
  await send(upstreamQuery(), 1000);
  assert.ok(network.sent.every(({ bytes }) => hasEdns(bytes)));
});

Deno.test("a code about names is passed on, again and again, and no sign that the resolver is down", async () => {
  for (const code of [REFUSED, NOTIMP, FORMERR, SERVFAIL]) {
    const dns = dnsBed();
    dns.serve(DEFAULT_UPSTREAM, (query) => [{
      bytes: readMessage(query).questions[0]!.name.toLowerCase().startsWith("odd")
        ? coded(query, code)
        : responseTo(query),
    }]);
    for (let i = 0; i < 8; i++) {
      for (let again = 0; again < 2; again++) {
        const { code: got, additional } = (await dns.query(`odd${i}.example.com`, 1, {
          wait: 3000,
          additional: [wireOpt()],
        }))!;
        assert.equal(got, code);
        assert.equal(additional[0]?.data, "", "no resolver was missing");
      }
    }
    assert.equal((await dns.query("www.example.com", 1, { wait: 3000 }))!.code, 0);
    assert.equal(dns.resolver.upstreams.state[0]!.resolvers[0]!.state, "up");
  }
});

/** A response whose header counts other answers than there are. */
function withCount(bytes: Uint8Array, answers: number): Uint8Array {
  const copy = bytes.slice();
  copy[7] = answers;
  return copy;
}
