import assert from "node:assert/strict";
import fc from "fast-check";
import { healthIssues } from "../../../system/dns/config/health_issues.ts";
import { encodeQuery, matchResponse } from "../../../system/dns/upstream/upstream_query.ts";
import {
  flipCase,
  groupBed as bed,
  MINIMAL_ENCODING,
  plain,
  respond,
  responseTo,
  secure,
  upstreamQuery,
} from "../../kit/dns/upstream_group.ts";
import { readMessage, type WireMessage } from "../../kit/dns/wire.ts";
import type { Serve } from "../../kit/dns/fake_upstream.ts";

Deno.test("an upstream query is well-formed (RFC 1035) and says nothing of the client", () => {
  const sent = encodeQuery(upstreamQuery("Example.com".toLowerCase(), { dnssecOk: true }), {
    id: 0xabcd,
    caseBits: null,
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

Deno.test("a padded query is a multiple of 128 bytes", () => {
  const label = fc.stringMatching(/^[a-z]{1,60}$/);
  fc.assert(
    fc.property(
      fc.array(label, { minLength: 1, maxLength: 4 }),
      fc.boolean(),
      (labels, keepAlive) => {
        const name = labels.join(".");
        const sent = encodeQuery(upstreamQuery(name), {
          ...MINIMAL_ENCODING,
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

Deno.test("letters of the name are in random case, and nothing else changes", () => {
  const bits = fc.uint8Array({ minLength: 32, maxLength: 32 });
  fc.assert(fc.property(bits, (caseBits) => {
    const name = "a0-b.cdefgh.xn--zzz9.example";
    const sent = encodeQuery(upstreamQuery(name), { ...MINIMAL_ENCODING, caseBits });
    assert.equal(readMessage(sent).questions[0]?.name.toLowerCase(), name);
    assert.equal(matchResponse(responseTo(sent), sent, name.length + 2), "match");
  }));
  const all = encodeQuery(upstreamQuery("abc.def"), {
    ...MINIMAL_ENCODING,
    caseBits: new Uint8Array(32).fill(255),
  });
  assert.equal(readMessage(all).questions[0]?.name, "ABC.DEF");
  assert.equal(
    matchResponse(responseTo(all, { questions: [{ name: "abc.def", type: 1 }] }), all, 9),
    "case",
  );
});

Deno.test("a response must match its query in every part", async () => {
  const forged: readonly ((query: Uint8Array) => WireMessage)[] = [
    (query) => ({ id: readMessage(query).id ^ 1 }),
    () => ({ flags: 0x0180 }),
    () => ({ flags: 0xa180 }),
    () => ({ questions: [] }),
    () => ({ questions: [{ name: "other.example.com", type: 1 }] }),
    (query) => ({ questions: [{ ...readMessage(query).questions[0]!, type: 28 }] }),
    (query) => ({ questions: [{ ...readMessage(query).questions[0]!, class: 3 }] }),
  ];
  for (const change of forged) {
    const { network, send } = bed([plain("9.9.9.9")]);
    network.udpServers.set("9.9.9.9", (query) => [
      { bytes: responseTo(query, change(query), "192.0.2.66"), after: 1 },
      { bytes: responseTo(query), after: 9 },
    ]);
    assert.equal(await send(), "192.0.2.1 by 9.9.9.9", change.toString());
    assert.equal(network.open, 0);
  }
});

Deno.test("a response in another letter case, or truncated, is queried again over TCP", async () => {
  const changes = [
    (query: Uint8Array) => ({
      questions: readMessage(query).questions.map((one) => ({ ...one, name: flipCase(one.name) })),
    }),
    () => ({ flags: 0x8380 }),
  ];
  for (const change of changes) {
    const { network, group, send } = bed([plain("9.9.9.9")]);
    network.udpServers.set(
      "9.9.9.9",
      (query) => [{ bytes: responseTo(query, change(query), "192.0.2.66") }],
    );
    network.tcpServers.set("9.9.9.9", respond());
    assert.equal(await send(), "192.0.2.1 by 9.9.9.9");
    group.close();
    assert.equal(network.open, 0);
  }
});

Deno.test("each UDP query has an id, a source port and a letter case of its own", async () => {
  const { network, send } = bed([plain("9.9.9.9")]);
  network.udpServers.set("9.9.9.9", respond());
  for (let i = 0; i < 20; i++) await send();
  assert.equal(new Set(network.sent.map(({ bytes }) => readMessage(bytes).id)).size, 20);
  assert.ok(
    new Set(network.sent.map(({ bytes }) => readMessage(bytes).questions[0]!.name)).size > 15,
  );
});

Deno.test("a resolver without EDNS gets queries without it", async () => {
  const { network, send } = bed([plain("9.9.9.9")]);
  network.udpServers.set("9.9.9.9", (query) => {
    const old = readMessage(query).additional.length > 0;
    return [{ bytes: responseTo(query, old ? { flags: 0x8181, answers: [] } : {}) }];
  });
  assert.equal(await send(), "192.0.2.1 by 9.9.9.9");
  assert.equal(await send(), "192.0.2.1 by 9.9.9.9");
  assert.deepEqual(network.sent.map(({ bytes }) => readMessage(bytes).additional.length), [
    1,
    0,
    0,
  ]);
});

Deno.test("a resolver without EDNS is tried with it again after a while, and not before", async () => {
  const { clock, network, send } = bed([plain("9.9.9.9")]);
  let old = true;
  network.udpServers.set("9.9.9.9", (query) => {
    const fault = old && readMessage(query).additional.length > 0;
    return [{ bytes: responseTo(query, fault ? { flags: 0x8181, answers: [] } : {}) }];
  });
  const sent = async (): Promise<readonly number[]> => {
    const before = network.sent.length;
    assert.equal(await send(), "192.0.2.1 by 9.9.9.9");
    return network.sent.slice(before).map(({ bytes }) => readMessage(bytes).additional.length);
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

Deno.test("a query that fails with and without EDNS leaves EDNS on for others", async () => {
  const { network, send } = bed([plain("9.9.9.9")]);
  let bad = 2;
  network.udpServers.set("9.9.9.9", (query) => {
    return [{ bytes: responseTo(query, bad-- > 0 ? { flags: 0x8181, answers: [] } : {}) }];
  });
  await send().catch(() => null);
  assert.equal(await send(), "192.0.2.1 by 9.9.9.9");
  assert.equal(readMessage(network.sent.at(-1)!.bytes).additional.length, 1);
});

Deno.test("a lost query is retried, and a slow resolver gets a second one queried beside it", async () => {
  const { network, send } = bed([plain("9.9.9.9")]);
  let lost = 2;
  network.udpServers.set("9.9.9.9", (query) => lost-- > 0 ? [] : respond()(query));
  assert.equal(await send(upstreamQuery(), 4000), "192.0.2.1 by 9.9.9.9");
  assert.equal(network.sent.length, 3);

  const two = bed([plain("9.9.9.9"), plain("8.8.8.8")]);
  two.network.udpServers.set("9.9.9.9", respond("192.0.2.1", 2000));
  two.network.udpServers.set("8.8.8.8", respond("192.0.2.2", 20));
  assert.equal(await two.send(upstreamQuery(), 800), "192.0.2.2 by 8.8.8.8");
});

Deno.test("the faster resolver is used, and the other now and then", async () => {
  const { network, send } = bed([plain("9.9.9.9"), plain("8.8.8.8")]);
  network.udpServers.set("9.9.9.9", respond("192.0.2.1", 60));
  network.udpServers.set("8.8.8.8", respond("192.0.2.2", 10));
  for (let i = 0; i < 300; i++) await send(upstreamQuery(), 100);
  const share = network.sent.filter(({ to }) => to.endsWith("9.9.9.9")).length;
  assert.ok(share >= 2 && share <= 30, `${share} of 300 went to the slow one`);
});

Deno.test("a resolver that fails is skipped, and two failures are the result", async () => {
  for (const code of [2, 5]) {
    const { network, send } = bed([plain("9.9.9.9"), plain("8.8.8.8")]);
    const bad: Serve = (
      query,
    ) => [{ bytes: responseTo(query, { flags: 0x8180 | code, answers: [] }) }];
    network.udpServers.set("9.9.9.9", bad);
    network.udpServers.set("8.8.8.8", respond("192.0.2.2"));
    assert.equal(await send(), "192.0.2.2 by 8.8.8.8");
    network.udpServers.set("8.8.8.8", bad);
    assert.match(await send(), new RegExp(`^${code} by `));
  }
});

Deno.test("a resolver that is down is skipped, probed beside the others, and used again", async () => {
  const { clock, network, group, send } = bed([plain("9.9.9.9"), plain("8.8.8.8")]);
  network.udpServers.set("8.8.8.8", respond("192.0.2.2"));
  const states = () => group.state.map(({ state }) => state);
  // It is probed now and then until it has failed often enough.
  for (let i = 0; i < 1000 && states()[0] !== "down"; i++) {
    assert.equal(await send(upstreamQuery(), 4000), "192.0.2.2 by 8.8.8.8");
  }
  assert.deepEqual(states(), ["down", "up"]);
  assert.match(group.state[0]!.lastError!, /No response in time/);
  const before = network.sent.length;
  await send(upstreamQuery(), 200);
  assert.ok(network.sent.length - before <= 2, "answered without waiting for the one that is gone");
  network.udpServers.set("9.9.9.9", respond());
  await clock.advance(120_000);
  await send(upstreamQuery(), 4000);
  assert.deepEqual(states(), ["up", "up"]);
});

Deno.test("when no resolver responds the query fails in time, and nothing stays open", async () => {
  const { clock, network, group, send } = bed([plain("9.9.9.9"), secure("8.8.8.8")]);
  assert.match(await send(upstreamQuery(), 5000), /No response|refused/);
  await clock.advance(10_000);
  assert.equal(network.open, 0);
  assert.ok(network.sent.length <= 4);
  group.close();
  const none = bed([]);
  assert.match(await none.send(), /No resolver is configured/);
});

Deno.test("health issues are a port in use and a group that is down, not what resolves by itself", () => {
  const resolver = (state: "up" | "down" | "unknown") => ({
    ...{ address: "9.9.9.9", tlsHost: null, connections: 0, latency: null, queries: 0, failed: 0 },
    ...{
      consecutiveFailures: 0,
      lastError: state === "down" ? "No response in time" : null,
      state,
    },
  });
  const found = healthIssues(
    {
      "192.168.2.1": {
        reason: "inUse",
        message: "Port 53 of 192.168.2.1 is in use by another program",
      },
      "192.168.3.1": { reason: "noAddress", message: "It may come with the network" },
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
    { subject: "192.168.2.1", detail: "Port 53 of 192.168.2.1 is in use by another program" },
    {
      subject: "family",
      detail: "No family-filter resolver responds: No response in time",
    },
    {
      subject: "192.168.2.53",
      detail: "The resolver 192.168.2.53 of a device does not respond: No response in time",
    },
  ]);
});
