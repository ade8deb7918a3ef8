import assert from "node:assert/strict";
import { DomainOverride, OverrideList } from "../../system/dns/block/schema.ts";
import { addressesOf, answering, DnsBed, dnsClient, EVERYONE, FAMILY } from "../kit/dns_bed.ts";
import { readMessage, wireA, wireMessage, wireOpt, wireQuery, wireSoa } from "../kit/dns_wire.ts";
import { settle } from "../kit/fake_outside.ts";

const NO = { flags: 0x8183, answers: [], authority: [wireSoa("example", 900, 60)] };

/** A bed whose resolvers answer with an address of their own each. */
function bed(more: ConstructorParameters<typeof DnsBed>[0] = {}): DnsBed {
  const made = new DnsBed(more);
  made.serve(EVERYONE, answering("192.0.2.1"));
  made.serve(FAMILY, answering("192.0.2.2"));
  return made;
}

function overrides(...list: readonly Record<string, unknown>[]) {
  const parsed = list.map((one) => DomainOverride.parse(one));
  const of = (kind: string) => parsed.filter(({ Type }) => Type.toLowerCase() === kind);
  return [
    OverrideList.parse({ Name: "Default", PermitDomains: of("permit"), BlockDomains: of("block") }),
  ];
}

Deno.test("an answer is asked for once and remembered for its time", async () => {
  const dns = bed();
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
  const dns = bed();
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
  const dns = bed({
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
  const dns = bed();
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
  const dns = bed();
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
  const dns = bed();
  dns.serve(EVERYONE, () => []);
  for (let i = 0; i < 3000; i++) {
    const from = `192.168.2.${i % 250}`;
    dns.sendNow(wireQuery(`n${i}.example`), { from, stream: false });
  }
  assert.equal(dns.resolver.lookups.running, 1000);
  assert.equal(dns.resolver.counters.shed, 2000);
});

Deno.test("an old answer serves when nobody answers (RFC 8767), and says so", async () => {
  const dns = bed();
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
  assert.equal(addressesOf(await dns.ask("a.example")), "192.0.2.7");
});

Deno.test("an answer is not told a day after its time", async () => {
  const dns = bed();
  await dns.ask("a.example");
  await dns.clock.advance(86_400_000 + 61_000);
  dns.serve(EVERYONE, () => []);
  assert.equal(addressesOf(await dns.ask("a.example", 1, { wait: 6000 })), "code 2");
});

Deno.test("what cannot be found is not asked for again at once (RFC 9520)", async () => {
  const dns = bed();
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
  const dns = bed();
  await dns.ask("a.example");
  await dns.clock.advance(55_000);
  dns.serve(EVERYONE, answering("192.0.2.9"));
  assert.equal(addressesOf(await dns.ask("a.example")), "192.0.2.1");
  await dns.clock.advance(20);
  assert.equal(dns.asked.length, 2);
  assert.equal(addressesOf(await dns.ask("a.example")), "192.0.2.9");
  assert.equal(dns.asked.length, 2);
});

Deno.test("names of home are answered by themselves, both ways", async () => {
  const dns = bed({
    names: [
      { name: "tv.lan", address: "192.168.2.10" },
      { name: "tv.lan", address: "fd00::10" },
      { name: "box.office.example", address: "192.168.2.14" },
    ],
  });
  for (const name of ["tv.lan", "TV", "tv"]) {
    const told = await dns.ask(name);
    assert.deepEqual([addressesOf(told), told!.flags & 0x0400], ["192.168.2.10", 0x0400], name);
  }
  assert.equal((await dns.ask("tv.lan", 28))?.answers[0]?.data, "fd000000000000000000000000000010");
  assert.equal((await dns.ask("10.2.168.192.in-addr.arpa", 12))?.answers[0]?.data, "tv.lan");
  const six = `0.1.0.0.${"0.".repeat(24)}0.0.d.f.ip6.arpa`;
  assert.equal((await dns.ask(six, 12))?.answers[0]?.data, "tv.lan");
  assert.equal(addressesOf(await dns.ask("box.office.example")), "192.168.2.14");
  const none = await dns.ask("tv.lan", 16);
  assert.deepEqual([none?.code, none?.answers.length, none?.authority[0]?.type], [0, 0, 6]);
  assert.equal(dns.asked.length, 0);
});

Deno.test("what is of home or of nobody is never asked outside", async () => {
  const dns = bed();
  const names = [
    ...["lan", "x.lan", "deep.x.lan", "printer", "wpad", "x.local", "x.localhost", "x.invalid"],
    ...["x.onion", "x.internal", "x.home.arpa", "1.0.0.10.in-addr.arpa", "5.100.in-addr.arpa"],
    ...["77.100.in-addr.arpa", "1.1.20.172.in-addr.arpa", "168.192.in-addr.arpa"],
    ...["1.0.0.127.in-addr.arpa", "b.e.f.ip6.arpa", "1.d.f.ip6.arpa"],
  ];
  for (const name of names) {
    if (name === "5.100.in-addr.arpa") continue;
    await dns.ask(name);
  }
  assert.equal(dns.asked.length, 0);
  const asked = [
    "1.1.1.1.in-addr.arpa",
    "5.100.in-addr.arpa",
    "x.lan.example",
    "1.15.172.in-addr.arpa",
  ];
  for (const name of asked) await dns.ask(name);
  assert.deepEqual(dns.asked.map((line) => line.split(" ")[2]), asked);
  await dns.ask("com", 43);
  assert.equal(
    dns.asked.length,
    5,
    "who checks signatures may ask for the keys of a top-level name",
  );
});

Deno.test("localhost is this machine", async () => {
  const dns = bed();
  assert.equal(addressesOf(await dns.ask("localhost")), "127.0.0.1");
  assert.equal((await dns.ask("a.localhost", 28))?.answers[0]?.data, `${"0".repeat(31)}1`);
});

Deno.test("a device's policy, its own resolver and the override of the system choose who is asked", async () => {
  const dns = bed();
  dns.serve("10.0.0.53", answering("192.0.2.3"));
  dns.serve("8.8.4.4", answering("192.0.2.4"));
  const who = async () => addressesOf(await dns.ask("a.example"));
  assert.equal(await who(), "192.0.2.1");
  dns.configure({ clients: [dnsClient({ policies: ["dns", "dns:family"] })] });
  assert.equal(await who(), "192.0.2.2");
  dns.configure({ clients: [dnsClient({ policies: ["dns", "dns:family"], custom: "10.0.0.53" })] });
  assert.equal(await who(), "192.0.2.3");
  dns.configure({ clients: [dnsClient()], override: "8.8.4.4" });
  assert.equal(await who(), "192.0.2.4");
  dns.configure({ override: "" });
  assert.equal(await who(), "192.0.2.1");
});

Deno.test("questions under way when resolvers change are answered by those that were asked, and forgotten", async () => {
  const dns = bed();
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

Deno.test("a device in quarantine gets one address or nothing, for every name", async () => {
  const dns = bed({
    names: [{ name: "tv.lan", address: "192.168.2.10" }],
    clients: [dnsClient({ policies: ["dns", "quarantine"] })],
  });
  assert.equal(addressesOf(await dns.ask("a.example")), "code 3");
  dns.block({ QuarantineHostIP: "192.168.2.9" });
  for (const name of ["a.example", "tv.lan", "localhost"]) {
    assert.equal(addressesOf(await dns.ask(name)), "192.168.2.9", name);
  }
  const other = await dns.ask("a.example", 28);
  assert.deepEqual([other?.code, other?.answers.length], [0, 0]);
  assert.deepEqual(dns.asked, []);
});

Deno.test("decisions of people count also for what is remembered", async () => {
  const dns = bed();
  await dns.ask("a.example");
  dns.block({ OverrideLists: overrides({ Type: "block", Domain: "example" }) });
  const told = await dns.ask("a.example", 1, { additional: [wireOpt()] });
  assert.deepEqual([addressesOf(told), told?.authority.length], ["code 3", 0]);
  assert.equal(told?.additional[0]?.data, "000f0002000f");
  dns.block({
    OverrideLists: overrides({ Type: "permit", Domain: "example", ResultIP: "192.0.2.5" }),
  });
  const other = await dns.ask("a.example");
  assert.deepEqual([addressesOf(other), other?.answers[0]?.ttl], ["192.0.2.5", 1]);
  assert.equal((await dns.ask("a.example", 28))?.code, 0);
  dns.block({ OverrideLists: [] });
  assert.equal(addressesOf(await dns.ask("a.example")), "192.0.2.1");
  assert.equal(dns.asked.length, 1);
});

Deno.test("another name that was decided comes with its addresses", async () => {
  const dns = bed({ names: [{ name: "tv.lan", address: "192.168.2.10" }] });
  const to = (target: string) =>
    dns.block({
      OverrideLists: overrides({ Type: "permit", Domain: "a.example", ResultCNAME: target }),
    });
  to("b.example");
  const told = await dns.ask("a.example");
  assert.deepEqual(told?.answers.map(({ name, type, data }) => [name, type, data]), [
    ["a.example", 5, "b.example"],
    ["b.example", 1, "192.0.2.1"],
  ]);
  assert.deepEqual(dns.asked, [`${EVERYONE} 1 b.example`]);
  to("tv.lan");
  assert.equal(addressesOf(await dns.ask("a.example")), "192.168.2.10");
  to("nobody.lan");
  assert.equal((await dns.ask("a.example"))?.answers.length, 1);
  assert.equal(dns.asked.length, 1);
});

Deno.test("an outside name that leads home is none, unless a person lets it", async () => {
  const dns = bed();
  for (const address of ["192.168.2.1", "127.0.0.1", "0.0.0.0", "10.1.1.1", "169.254.1.1"]) {
    dns.serve(EVERYONE, answering(address));
    dns.resolver.flush();
    assert.equal(addressesOf(await dns.ask("a.example")), "code 3", address);
    assert.equal(addressesOf(await dns.ask("a.example")), "code 3", `${address} from memory`);
  }
  assert.equal(dns.records.at(-1)?.rebound, "169.254.1.1");
  dns.block({ OverrideLists: overrides({ Type: "permit", Domain: "a.example" }) });
  assert.equal(addressesOf(await dns.ask("a.example")), "169.254.1.1");
  dns.block({ OverrideLists: [], RebindingCheckDisable: true });
  assert.equal(addressesOf(await dns.ask("a.example")), "169.254.1.1");
});

Deno.test("a resolver of one's own at home may tell of home, one outside may not", async () => {
  for (const [custom, told] of [["192.168.2.20", "192.168.2.9"], ["8.8.8.8", "code 3"]] as const) {
    const dns = bed({ clients: [dnsClient({ custom })] });
    dns.serve(custom, answering("192.168.2.9"));
    assert.equal(addressesOf(await dns.ask("nas.example")), told, custom);
  }
});

Deno.test("who is neither a device nor in a network of home is refused", async () => {
  const dns = bed();
  for (const from of ["203.0.113.9", "192.168.3.6", "8.8.8.8"]) {
    assert.equal((await dns.ask("a.example", 1, { from }))?.code, 5, from);
  }
  assert.equal(addressesOf(await dns.ask("a.example", 1, { from: "192.168.2.99" })), "192.0.2.1");
  assert.equal(dns.asked.length, 1);
});

Deno.test("transfers, other classes and ANY get short answers and go nowhere", async () => {
  const dns = bed();
  assert.equal((await dns.ask("example", 252))?.code, 5);
  assert.equal((await dns.ask("example", 251))?.code, 5);
  const any = await dns.ask("a.example", 255);
  assert.deepEqual(any?.answers.map(({ type }) => type), [13]);
  const chaos = wireMessage({ questions: [{ name: "version.bind", type: 16, class: 3 }] });
  assert.equal((await dns.send(chaos))?.code, 5);
  assert.deepEqual(dns.asked, []);
});

Deno.test("who wants no recursion is told what is known and no more", async () => {
  const dns = bed();
  assert.equal((await dns.ask("a.example", 1, { flags: 0 }))?.code, 5);
  await dns.ask("a.example");
  assert.equal(addressesOf(await dns.ask("a.example", 1, { flags: 0 })), "192.0.2.1");
  assert.equal(dns.asked.length, 1);
});

Deno.test("an answer is cut to what the asker takes, and whole over TCP", async () => {
  const dns = bed();
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

Deno.test("every answer is recorded with what decided it", async () => {
  const dns = bed({ names: [{ name: "tv.lan", address: "192.168.2.10" }] });
  dns.block({ OverrideLists: overrides({ Type: "block", Domain: "bad.example" }) });
  await dns.ask("tv.lan");
  await dns.ask("bad.example");
  await dns.ask("a.example");
  await dns.ask("a.example");
  assert.deepEqual(
    dns.records.map(({ name, verdict, by, upstream }) => [name, verdict, by, upstream]),
    [
      ["tv.lan.", "local", "", ""],
      ["bad.example.", "block", "Default: bad.example.", ""],
      ["a.example.", "pass", "", EVERYONE],
      ["a.example.", "pass", "", ""],
    ],
  );
  const [record] = dns.records;
  assert.deepEqual([record?.client, record?.identity], ["192.168.2.6", "02:00:00:00:00:06"]);
});
