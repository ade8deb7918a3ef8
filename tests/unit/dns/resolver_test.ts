import fc from "fast-check";
import assert from "node:assert/strict";
import {
  addressesOf,
  DEFAULT_UPSTREAM,
  type DnsBed,
  dnsBed,
  dnsClient,
  respondWith,
} from "../../kit/dns/bed.ts";
import {
  readMessage,
  wireA,
  wireMessage,
  wireOpt,
  wireQuery,
  wireSoa,
} from "../../kit/dns/wire.ts";
import { settle } from "../../kit/dns/fake_upstream.ts";

const NO = { flags: 0x8183, answers: [], authority: [wireSoa("example", 900, 60)] };

Deno.test("a response is looked up once and cached for its TTL", async () => {
  const dns = dnsBed();
  assert.equal(addressesOf(await dns.query("a.example")), "192.0.2.1");
  await dns.clock.advance(30_000);
  const again = await dns.query("A.Example");
  assert.equal(again?.answers[0]?.ttl, 30);
  assert.equal(again?.questions[0]?.name, "A.Example");
  assert.equal(dns.upstreamQueries.length, 1);
  await dns.clock.advance(31_000);
  await dns.query("a.example");
  assert.equal(dns.upstreamQueries.length, 2);
});

Deno.test("a negative response is cached as its SOA says (RFC 2308), for its name only", async () => {
  const dns = dnsBed();
  dns.serve(DEFAULT_UPSTREAM, respondWith("", NO));
  assert.equal(addressesOf(await dns.query("no.example")), "code 3");
  await dns.clock.advance(50_000);
  assert.equal(addressesOf(await dns.query("no.example")), "code 3");
  assert.equal(dns.upstreamQueries.length, 1);
  await dns.query("other.example");
  await dns.clock.advance(11_000);
  await dns.query("no.example");
  assert.equal(dns.upstreamQueries.length, 3);
});

Deno.test("cache entries differ by type, DO, CD and resolver group", async () => {
  const dns = dnsBed({
    clients: [dnsClient(), dnsClient({ address: "192.168.2.10", policies: ["dns", "dns:family"] })],
  });
  await dns.query("a.example");
  await dns.query("a.example", 28);
  await dns.query("a.example", 1, { additional: [wireOpt({ dnssec: true })] });
  await dns.query("a.example", 1, { flags: 0x0110 });
  assert.equal(addressesOf(await dns.query("a.example", 1, { from: "192.168.2.10" })), "192.0.2.2");
  assert.equal(dns.upstreamQueries.length, 5);
  for (const how of [{}, { flags: 0x0110 }, { from: "192.168.2.10" }]) {
    await dns.query("a.example", 1, how);
  }
  assert.equal(dns.upstreamQueries.length, 5);
});

Deno.test("concurrent queries for one name share an upstream query", async () => {
  const dns = dnsBed();
  const got = Array.from(
    { length: 30 },
    (_, i) =>
      dns.sendNow(wireQuery("a.example", 1, { id: i }), { from: "192.168.2.6", stream: false }),
  );
  await dns.clock.advance(50);
  assert.equal(dns.upstreamQueries.length, 1);
  got.forEach(([bytes], i) => {
    const message = readMessage(bytes!);
    assert.deepEqual([message.id, addressesOf(message)], [i, "192.0.2.1"]);
  });
});

Deno.test("pending queries of one client are limited, and others are still answered", async () => {
  const dns = dnsBed();
  dns.serve(DEFAULT_UPSTREAM, () => []);
  for (let i = 0; i < 500; i++) {
    dns.sendNow(wireQuery(`n${i}.example`), { from: "192.168.2.6", stream: false });
  }
  assert.equal(dns.resolver.lookups.running, 100);
  assert.equal(dns.resolver.counters.shed, 400);
  dns.serve(DEFAULT_UPSTREAM, respondWith("192.0.2.1"));
  assert.equal(addressesOf(await dns.query("x.example", 1, { from: "192.168.2.10" })), "192.0.2.1");
  await dns.clock.advance(10_000);
  assert.equal(dns.resolver.lookups.running, 0);
  assert.equal(addressesOf(await dns.query("y.example")), "192.0.2.1");
  assert.equal(dns.network.open, 0);
});

Deno.test("lookups of all clients are limited", () => {
  const dns = dnsBed();
  dns.serve(DEFAULT_UPSTREAM, () => []);
  for (let i = 0; i < 3000; i++) {
    const from = `192.168.2.${i % 250}`;
    dns.sendNow(wireQuery(`n${i}.example`), { from, stream: false });
  }
  assert.equal(dns.resolver.lookups.running, 1000);
  assert.equal(dns.resolver.counters.shed, 2000);
});

Deno.test("a stale answer is served while no resolver responds (RFC 8767), with its extended error", async () => {
  const dns = dnsBed();
  await dns.query("a.example");
  await dns.clock.advance(3_600_000);
  dns.serve(DEFAULT_UPSTREAM, () => []);
  const early = await dns.query("a.example", 1, { wait: 1700, additional: [wireOpt()] });
  assert.equal(early, null);
  const old = await dns.query("a.example", 1, { wait: 200, additional: [wireOpt()] });
  assert.equal(old, null);
  const response = await dns.query("a.example", 1, { wait: 1900, additional: [wireOpt()] });
  assert.deepEqual([addressesOf(response), response?.answers[0]?.ttl], ["192.0.2.1", 30]);
  assert.equal(response?.additional[0]?.data, "000f00020003");
  await dns.clock.advance(5000);
  const count = dns.upstreamQueries.length;
  assert.equal(addressesOf(await dns.query("a.example")), "192.0.2.1", "at once, after a failure");
  assert.equal(dns.upstreamQueries.length, count, "no upstream is queried again for a while");
  await dns.clock.advance(31_000);
  dns.serve(DEFAULT_UPSTREAM, respondWith("192.0.2.7"));
  const last = await dns.query("a.example");
  assert.equal(addressesOf(last), "192.0.2.1", "at once, as nobody answered lately");
  await dns.clock.advance(20);
  assert.equal(addressesOf(await dns.query("a.example")), "192.0.2.7");
});

Deno.test("a stale answer is served for a day at most", async () => {
  const dns = dnsBed();
  await dns.query("a.example");
  await dns.clock.advance(86_400_000 + 61_000);
  dns.serve(DEFAULT_UPSTREAM, () => []);
  assert.equal(addressesOf(await dns.query("a.example", 1, { wait: 6000 })), "code 2");
});

Deno.test("a failed lookup is not retried at once (RFC 9520)", async () => {
  const dns = dnsBed();
  dns.serve(DEFAULT_UPSTREAM, respondWith("", { flags: 0x8182, answers: [] }));
  assert.equal(addressesOf(await dns.query("bad.example")), "code 2");
  const count = dns.upstreamQueries.length;
  assert.equal(addressesOf(await dns.query("bad.example")), "code 2");
  assert.equal(dns.upstreamQueries.length, count);
  await dns.clock.advance(2500);
  dns.serve(DEFAULT_UPSTREAM, respondWith("192.0.2.1"));
  assert.equal(addressesOf(await dns.query("bad.example")), "192.0.2.1");
});

Deno.test("an entry that is used near its expiry is prefetched", async () => {
  const dns = dnsBed();
  await dns.query("a.example");
  await dns.clock.advance(55_000);
  dns.serve(DEFAULT_UPSTREAM, respondWith("192.0.2.9"));
  assert.equal(addressesOf(await dns.query("a.example")), "192.0.2.1");
  await dns.clock.advance(20);
  assert.equal(dns.upstreamQueries.length, 2);
  assert.equal(addressesOf(await dns.query("a.example")), "192.0.2.9");
  assert.equal(dns.upstreamQueries.length, 2);
});

Deno.test("lookups that run when resolvers change are still answered, but not cached", async () => {
  const dns = dnsBed();
  dns.serve(DEFAULT_UPSTREAM, respondWith("192.0.2.1", {}, 60, 500));
  const [got] = [dns.sendNow(wireQuery("a.example"), { from: "192.168.2.6", stream: false })];
  await settle();
  dns.configure({ override: "8.8.4.4" });
  dns.serve("8.8.4.4", respondWith("192.0.2.4"));
  await dns.clock.advance(600);
  assert.equal(addressesOf(readMessage(got[0]!)), "192.0.2.1");
  assert.equal(addressesOf(await dns.query("a.example")), "192.0.2.4");
  await dns.clock.advance(10_000);
  assert.equal(dns.network.open, 0);
  dns.resolver.close();
  assert.equal(dns.clock.waiting, 0);
});

Deno.test("zone transfers, other classes and ANY get minimal responses and never go upstream", async () => {
  const dns = dnsBed();
  assert.equal((await dns.query("example", 252))?.code, 5);
  assert.equal((await dns.query("example", 251))?.code, 5);
  const any = await dns.query("a.example", 255);
  assert.deepEqual(any?.answers.map(({ type }) => type), [13]);
  const chaos = wireMessage({ questions: [{ name: "version.bind", type: 16, class: 3 }] });
  assert.equal((await dns.send(chaos))?.code, 5);
  assert.deepEqual(dns.upstreamQueries, []);
});

Deno.test("queries without recursion desired are answered from local data and cache only", async () => {
  const dns = dnsBed();
  assert.equal((await dns.query("a.example", 1, { flags: 0 }))?.code, 5);
  await dns.query("a.example");
  assert.equal(addressesOf(await dns.query("a.example", 1, { flags: 0 })), "192.0.2.1");
  assert.equal(dns.upstreamQueries.length, 1);
});

Deno.test("a response is truncated to the client's limit, and complete over TCP", async () => {
  const dns = dnsBed();
  const many = (name: string) => Array.from({ length: 60 }, (_, i) => wireA(name, `192.0.2.${i}`));
  dns.serve(DEFAULT_UPSTREAM, respondWith("", { answers: many("a.example") }));
  const sizes: readonly [string, Parameters<DnsBed["query"]>[2], number][] = [
    ["plain", {}, 0],
    ["EDNS", { additional: [wireOpt({ size: 1232 })] }, 60],
    ["EDNS of 4096", { additional: [wireOpt({ size: 4096 })] }, 60],
    ["TCP", { stream: true }, 60],
  ];
  for (const [what, how, count] of sizes) {
    const response = await dns.query("a.example", 1, how);
    assert.equal(response?.answers.length, count === 60 && what !== "TCP" ? 0 : count, what);
    assert.equal((response!.flags & 0x0200) !== 0, what !== "TCP", what);
  }
});

Deno.test("whatever an upstream resolver sends, a client gets a valid response or SERVFAIL", async () => {
  const change = fc.tuple(fc.nat(120), fc.nat(255));
  const made = fc.record({
    changes: fc.array(change, { maxLength: 5 }),
    cut: fc.option(fc.nat(100), { nil: null }),
    edns: fc.boolean(),
    stream: fc.boolean(),
  });
  await fc.assert(
    fc.asyncProperty(made, async ({ changes, cut, edns, stream }) => {
      const dns = dnsBed();
      dns.serve(DEFAULT_UPSTREAM, (query) => {
        const { id, questions } = readMessage(query);
        const { name } = questions[0]!;
        const bytes = wireMessage({
          id,
          flags: 0x8180,
          questions,
          answers: [wireA(name, "192.0.2.1"), wireA(name, "192.0.2.2")],
          authority: [wireSoa("example", 900, 60)],
          additional: [wireOpt()],
        });
        // Id and question stay, so that it is looked at.
        for (const [at, value] of changes) {
          if (at >= 2 && bytes[at + 24] !== undefined) bytes[at + 24] = value;
        }
        return [{ bytes: cut === null ? bytes : bytes.subarray(0, bytes.length - cut) }];
      });
      const response = await dns.query("a.example", 1, {
        stream,
        wait: 6000,
        additional: edns ? [wireOpt()] : [],
      });
      assert.equal(response?.questions[0]?.name, "a.example");
      assert.equal(response.additional.filter(({ type }) => type === 41).length, edns ? 1 : 0);
      const again = await dns.query("a.example", 1, { stream, wait: 6000 });
      assert.equal(again?.additional.filter(({ type }) => type === 41).length, 0);
      dns.resolver.close();
    }),
    { numRuns: 300 },
  );
});

Deno.test("the router's own lookups never send local names upstream", async () => {
  const dns = dnsBed({ names: [{ name: "nas.lan", address: "192.168.2.10" }] });
  for (
    const name of ["localhost", "nas.lan", "NAS", "other.lan", "printer", "a.home.arpa", "lan."]
  ) {
    await assert.rejects(dns.resolver.addresses(name), /a local name/, name);
  }
  assert.deepEqual(dns.upstreamQueries, []);
  const lookup = dns.resolver.addresses("lists.example");
  await dns.clock.advance(50);
  assert.deepEqual(await lookup, ["192.0.2.1"]);
});

Deno.test("the random letter case of upstream queries never reaches clients", async () => {
  const dns = dnsBed();
  for (let i = 0; i < 20; i++) {
    const query = wireQuery(`quite-a-long-name-${i}.example`);
    await dns.send(query);
    const [response] = dns.sendNow(query, { from: "192.168.2.6", stream: false });
    assert.equal(readMessage(response!).answers.length, 1);
    const letters = new TextDecoder("latin1").decode(response!.subarray(12));
    assert.doesNotMatch(letters, /[A-Z]/);
  }
});
