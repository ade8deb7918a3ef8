import fc from "fast-check";
import assert from "node:assert/strict";
import {
  addressesOf,
  answering,
  type DnsBed,
  dnsClient,
  EVERYONE,
  servedDns,
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

Deno.test("an answer is asked for once and remembered for its time", async () => {
  const dns = servedDns();
  assert.equal(addressesOf(await dns.ask("a.example")), "192.0.2.1");
  await dns.clock.advance(30_000);
  const again = await dns.ask("A.Example");
  assert.equal(again?.answers[0]?.ttl, 30);
  assert.equal(again?.questions[0]?.name, "A.Example");
  assert.equal(dns.asked.length, 1);
  await dns.clock.advance(31_000);
  await dns.ask("a.example");
  assert.equal(dns.asked.length, 2);
});

Deno.test("a no is remembered as its SOA says (RFC 2308), and names beside it are not touched", async () => {
  const dns = servedDns();
  dns.serve(EVERYONE, answering("", NO));
  assert.equal(addressesOf(await dns.ask("no.example")), "code 3");
  await dns.clock.advance(50_000);
  assert.equal(addressesOf(await dns.ask("no.example")), "code 3");
  assert.equal(dns.asked.length, 1);
  await dns.ask("other.example");
  await dns.clock.advance(11_000);
  await dns.ask("no.example");
  assert.equal(dns.asked.length, 3);
});

Deno.test("type, DO, CD and the group of resolvers set answers apart", async () => {
  const dns = servedDns({
    clients: [dnsClient(), dnsClient({ address: "192.168.2.10", policies: ["dns", "dns:family"] })],
  });
  await dns.ask("a.example");
  await dns.ask("a.example", 28);
  await dns.ask("a.example", 1, { additional: [wireOpt({ dnssec: true })] });
  await dns.ask("a.example", 1, { flags: 0x0110 });
  assert.equal(addressesOf(await dns.ask("a.example", 1, { from: "192.168.2.10" })), "192.0.2.2");
  assert.equal(dns.asked.length, 5);
  for (const how of [{}, { flags: 0x0110 }, { from: "192.168.2.10" }]) {
    await dns.ask("a.example", 1, how);
  }
  assert.equal(dns.asked.length, 5);
});

Deno.test("one question outside serves all who ask meanwhile", async () => {
  const dns = servedDns();
  const got = Array.from(
    { length: 30 },
    (_, i) =>
      dns.sendNow(wireQuery("a.example", 1, { id: i }), { from: "192.168.2.6", stream: false }),
  );
  await dns.clock.advance(50);
  assert.equal(dns.asked.length, 1);
  got.forEach(([bytes], i) => {
    const message = readMessage(bytes!);
    assert.deepEqual([message.id, addressesOf(message)], [i, "192.0.2.1"]);
  });
});

Deno.test("a flood of one client is bounded, and others are answered all the same", async () => {
  const dns = servedDns();
  dns.serve(EVERYONE, () => []);
  for (let i = 0; i < 500; i++) {
    dns.sendNow(wireQuery(`n${i}.example`), { from: "192.168.2.6", stream: false });
  }
  assert.equal(dns.resolver.lookups.running, 100);
  assert.equal(dns.resolver.counters.shed, 400);
  dns.serve(EVERYONE, answering("192.0.2.1"));
  assert.equal(addressesOf(await dns.ask("x.example", 1, { from: "192.168.2.10" })), "192.0.2.1");
  await dns.clock.advance(10_000);
  assert.equal(dns.resolver.lookups.running, 0);
  assert.equal(addressesOf(await dns.ask("y.example")), "192.0.2.1");
  assert.equal(dns.outside.open, 0);
});

Deno.test("questions of all clients are bounded", () => {
  const dns = servedDns();
  dns.serve(EVERYONE, () => []);
  for (let i = 0; i < 3000; i++) {
    const from = `192.168.2.${i % 250}`;
    dns.sendNow(wireQuery(`n${i}.example`), { from, stream: false });
  }
  assert.equal(dns.resolver.lookups.running, 1000);
  assert.equal(dns.resolver.counters.shed, 2000);
});

Deno.test("an old answer serves when nobody answers (RFC 8767), and says so", async () => {
  const dns = servedDns();
  await dns.ask("a.example");
  await dns.clock.advance(3_600_000);
  dns.serve(EVERYONE, () => []);
  const early = await dns.ask("a.example", 1, { wait: 1700, additional: [wireOpt()] });
  assert.equal(early, null);
  const old = await dns.ask("a.example", 1, { wait: 200, additional: [wireOpt()] });
  assert.equal(old, null);
  const told = await dns.ask("a.example", 1, { wait: 1900, additional: [wireOpt()] });
  assert.deepEqual([addressesOf(told), told?.answers[0]?.ttl], ["192.0.2.1", 30]);
  assert.equal(told?.additional[0]?.data, "000f00020003");
  await dns.clock.advance(5000);
  const count = dns.asked.length;
  assert.equal(addressesOf(await dns.ask("a.example")), "192.0.2.1", "at once, after a failure");
  assert.equal(dns.asked.length, count, "nobody is asked again for a while");
  await dns.clock.advance(31_000);
  dns.serve(EVERYONE, answering("192.0.2.7"));
  const last = await dns.ask("a.example");
  assert.equal(addressesOf(last), "192.0.2.1", "at once, as nobody answered lately");
  await dns.clock.advance(20);
  assert.equal(addressesOf(await dns.ask("a.example")), "192.0.2.7");
});

Deno.test("an answer is not told a day after its time", async () => {
  const dns = servedDns();
  await dns.ask("a.example");
  await dns.clock.advance(86_400_000 + 61_000);
  dns.serve(EVERYONE, () => []);
  assert.equal(addressesOf(await dns.ask("a.example", 1, { wait: 6000 })), "code 2");
});

Deno.test("what cannot be found is not asked for again at once (RFC 9520)", async () => {
  const dns = servedDns();
  dns.serve(EVERYONE, answering("", { flags: 0x8182, answers: [] }));
  assert.equal(addressesOf(await dns.ask("bad.example")), "code 2");
  const count = dns.asked.length;
  assert.equal(addressesOf(await dns.ask("bad.example")), "code 2");
  assert.equal(dns.asked.length, count);
  await dns.clock.advance(2500);
  dns.serve(EVERYONE, answering("192.0.2.1"));
  assert.equal(addressesOf(await dns.ask("bad.example")), "192.0.2.1");
});

Deno.test("an answer that is asked for near its end is renewed before anyone waits", async () => {
  const dns = servedDns();
  await dns.ask("a.example");
  await dns.clock.advance(55_000);
  dns.serve(EVERYONE, answering("192.0.2.9"));
  assert.equal(addressesOf(await dns.ask("a.example")), "192.0.2.1");
  await dns.clock.advance(20);
  assert.equal(dns.asked.length, 2);
  assert.equal(addressesOf(await dns.ask("a.example")), "192.0.2.9");
  assert.equal(dns.asked.length, 2);
});

Deno.test("questions under way when resolvers change are answered by those that were asked, and forgotten", async () => {
  const dns = servedDns();
  dns.serve(EVERYONE, answering("192.0.2.1", {}, 60, 500));
  const [got] = [dns.sendNow(wireQuery("a.example"), { from: "192.168.2.6", stream: false })];
  await settle();
  dns.configure({ override: "8.8.4.4" });
  dns.serve("8.8.4.4", answering("192.0.2.4"));
  await dns.clock.advance(600);
  assert.equal(addressesOf(readMessage(got[0]!)), "192.0.2.1");
  assert.equal(addressesOf(await dns.ask("a.example")), "192.0.2.4");
  await dns.clock.advance(10_000);
  assert.equal(dns.outside.open, 0);
  dns.resolver.close();
  assert.equal(dns.clock.waiting, 0);
});

Deno.test("transfers, other classes and ANY get short answers and go nowhere", async () => {
  const dns = servedDns();
  assert.equal((await dns.ask("example", 252))?.code, 5);
  assert.equal((await dns.ask("example", 251))?.code, 5);
  const any = await dns.ask("a.example", 255);
  assert.deepEqual(any?.answers.map(({ type }) => type), [13]);
  const chaos = wireMessage({ questions: [{ name: "version.bind", type: 16, class: 3 }] });
  assert.equal((await dns.send(chaos))?.code, 5);
  assert.deepEqual(dns.asked, []);
});

Deno.test("who wants no recursion is told what is known and no more", async () => {
  const dns = servedDns();
  assert.equal((await dns.ask("a.example", 1, { flags: 0 }))?.code, 5);
  await dns.ask("a.example");
  assert.equal(addressesOf(await dns.ask("a.example", 1, { flags: 0 })), "192.0.2.1");
  assert.equal(dns.asked.length, 1);
});

Deno.test("an answer is cut to what the asker takes, and whole over TCP", async () => {
  const dns = servedDns();
  const many = (name: string) => Array.from({ length: 60 }, (_, i) => wireA(name, `192.0.2.${i}`));
  dns.serve(EVERYONE, answering("", { answers: many("a.example") }));
  const sizes: readonly [string, Parameters<DnsBed["ask"]>[2], number][] = [
    ["plain", {}, 0],
    ["EDNS", { additional: [wireOpt({ size: 1232 })] }, 60],
    ["EDNS of 4096", { additional: [wireOpt({ size: 4096 })] }, 60],
    ["TCP", { stream: true }, 60],
  ];
  for (const [what, how, count] of sizes) {
    const told = await dns.ask("a.example", 1, how);
    assert.equal(told?.answers.length, count === 60 && what !== "TCP" ? 0 : count, what);
    assert.equal((told!.flags & 0x0200) !== 0, what !== "TCP", what);
  }
});

Deno.test("whatever a resolver outside says, a client gets a whole answer to its question or a failure", async () => {
  const change = fc.tuple(fc.nat(120), fc.nat(255));
  const made = fc.record({
    changes: fc.array(change, { maxLength: 5 }),
    cut: fc.option(fc.nat(100), { nil: null }),
    edns: fc.boolean(),
    stream: fc.boolean(),
  });
  await fc.assert(
    fc.asyncProperty(made, async ({ changes, cut, edns, stream }) => {
      const dns = servedDns();
      dns.serve(EVERYONE, (asked) => {
        const { id, questions } = readMessage(asked);
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
      const told = await dns.ask("a.example", 1, {
        stream,
        wait: 6000,
        additional: edns ? [wireOpt()] : [],
      });
      assert.equal(told?.questions[0]?.name, "a.example");
      assert.equal(told.additional.filter(({ type }) => type === 41).length, edns ? 1 : 0);
      const again = await dns.ask("a.example", 1, { stream, wait: 6000 });
      assert.equal(again?.additional.filter(({ type }) => type === 41).length, 0);
      dns.resolver.close();
    }),
    { numRuns: 300 },
  );
});

Deno.test("the router itself asks nobody outside for names of home", async () => {
  const dns = servedDns({ names: [{ name: "nas.lan", address: "192.168.2.10" }] });
  for (
    const name of ["localhost", "nas.lan", "NAS", "other.lan", "printer", "a.home.arpa", "lan."]
  ) {
    await assert.rejects(dns.resolver.addresses(name), /a local name/, name);
  }
  assert.deepEqual(dns.asked, []);
  const outside = dns.resolver.addresses("lists.example");
  await dns.clock.advance(50);
  assert.deepEqual(await outside, ["192.0.2.1"]);
});

Deno.test("the random letter case of a question outside reaches nobody at home", async () => {
  const dns = servedDns();
  for (let i = 0; i < 20; i++) {
    const asked = wireQuery(`quite-a-long-name-${i}.example`);
    await dns.send(asked);
    const [told] = dns.sendNow(asked, { from: "192.168.2.6", stream: false });
    assert.equal(readMessage(told!).answers.length, 1);
    const letters = new TextDecoder("latin1").decode(told!.subarray(12));
    assert.doesNotMatch(letters, /[A-Z]/);
  }
});
