import assert from "node:assert/strict";
import { DomainOverride, OverrideList } from "../../../../system/dns/block/schema.ts";
import {
  addressesOf,
  DEFAULT_UPSTREAM,
  dnsBed,
  dnsClient,
  respondWith,
} from "../../../kit/dns/bed.ts";
import { wireOpt, wireQuery } from "../../../kit/dns/wire.ts";

function overrides(...list: readonly Record<string, unknown>[]) {
  const parsed = list.map((one) => DomainOverride.parse(one));
  const of = (kind: string) => parsed.filter(({ Type }) => Type.toLowerCase() === kind);
  return [
    OverrideList.parse({ Name: "Default", PermitDomains: of("permit"), BlockDomains: of("block") }),
  ];
}

Deno.test("local names are answered locally, forward and reverse", async () => {
  const dns = dnsBed({
    names: [
      { name: "tv.lan", address: "192.168.2.10" },
      { name: "tv.lan", address: "fd00::10" },
      { name: "box.office.example", address: "192.168.2.14" },
    ],
  });
  for (const name of ["tv.lan", "TV", "tv"]) {
    const response = await dns.query(name);
    assert.deepEqual(
      [addressesOf(response), response!.flags & 0x0400],
      ["192.168.2.10", 0x0400],
      name,
    );
  }
  assert.equal(
    (await dns.query("tv.lan", 28))?.answers[0]?.data,
    "fd000000000000000000000000000010",
  );
  assert.equal((await dns.query("10.2.168.192.in-addr.arpa", 12))?.answers[0]?.data, "tv.lan");
  const six = `0.1.0.0.${"0.".repeat(24)}0.0.d.f.ip6.arpa`;
  assert.equal((await dns.query(six, 12))?.answers[0]?.data, "tv.lan");
  assert.equal(addressesOf(await dns.query("box.office.example")), "192.168.2.14");
  const none = await dns.query("tv.lan", 16);
  assert.deepEqual([none?.code, none?.answers.length, none?.authority[0]?.type], [0, 0, 6]);
  assert.equal(dns.upstreamQueries.length, 0);
});

Deno.test("local and special-use names are never sent upstream", async () => {
  const dns = dnsBed();
  const names = [
    ...["lan", "x.lan", "deep.x.lan", "printer", "wpad", "x.local", "x.localhost", "x.invalid"],
    ...["x.onion", "x.internal", "x.home.arpa", "1.0.0.10.in-addr.arpa", "5.100.in-addr.arpa"],
    ...["77.100.in-addr.arpa", "1.1.20.172.in-addr.arpa", "168.192.in-addr.arpa"],
    ...["1.0.0.127.in-addr.arpa", "b.e.f.ip6.arpa", "1.d.f.ip6.arpa"],
  ];
  for (const name of names) {
    if (name === "5.100.in-addr.arpa") continue;
    await dns.query(name);
  }
  assert.equal(dns.upstreamQueries.length, 0);
  const queryNames = [
    "1.1.1.1.in-addr.arpa",
    "5.100.in-addr.arpa",
    "x.lan.example",
    "1.15.172.in-addr.arpa",
  ];
  for (const name of queryNames) await dns.query(name);
  assert.deepEqual(dns.upstreamQueries.map((line) => line.split(" ")[2]), queryNames);
  await dns.query("com", 43);
  assert.equal(
    dns.upstreamQueries.length,
    5,
    "who checks signatures may ask for the keys of a top-level name",
  );
});

Deno.test("localhost is this machine", async () => {
  const dns = dnsBed();
  assert.equal(addressesOf(await dns.query("localhost")), "127.0.0.1");
  assert.equal((await dns.query("a.localhost", 28))?.answers[0]?.data, `${"0".repeat(31)}1`);
});

Deno.test("a device's policy, its own resolver and the system override choose the upstream", async () => {
  const dns = dnsBed();
  dns.serve("10.0.0.53", respondWith("192.0.2.3"));
  dns.serve("8.8.4.4", respondWith("192.0.2.4"));
  const who = async () => addressesOf(await dns.query("a.example"));
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

Deno.test("a device in quarantine gets one address or nothing, for every name", async () => {
  const dns = dnsBed({
    names: [{ name: "tv.lan", address: "192.168.2.10" }],
    clients: [dnsClient({ policies: ["dns", "quarantine"] })],
  });
  assert.equal(addressesOf(await dns.query("a.example")), "code 3");
  dns.block({ QuarantineHostIP: "192.168.2.9" });
  for (const name of ["a.example", "tv.lan", "localhost"]) {
    assert.equal(addressesOf(await dns.query(name)), "192.168.2.9", name);
  }
  const other = await dns.query("a.example", 28);
  assert.deepEqual([other?.code, other?.answers.length], [0, 0]);
  assert.deepEqual(dns.upstreamQueries, []);
});

Deno.test("overrides apply to cached answers as well", async () => {
  const dns = dnsBed();
  await dns.query("a.example");
  dns.block({ OverrideLists: overrides({ Type: "block", Domain: "example" }) });
  const response = await dns.query("a.example", 1, { additional: [wireOpt()] });
  assert.deepEqual([addressesOf(response), response?.authority.length], ["code 3", 0]);
  assert.equal(response?.additional[0]?.data, "000f0002000f");
  dns.block({
    OverrideLists: overrides({ Type: "permit", Domain: "example", ResultIP: "192.0.2.5" }),
  });
  const other = await dns.query("a.example");
  assert.deepEqual([addressesOf(other), other?.answers[0]?.ttl], ["192.0.2.5", 1]);
  assert.equal((await dns.query("a.example", 28))?.code, 0);
  dns.block({ OverrideLists: [] });
  assert.equal(addressesOf(await dns.query("a.example")), "192.0.2.1");
  assert.equal(dns.upstreamQueries.length, 1);
});

Deno.test("a rewritten name comes with its addresses", async () => {
  const dns = dnsBed({ names: [{ name: "tv.lan", address: "192.168.2.10" }] });
  const to = (target: string) =>
    dns.block({
      OverrideLists: overrides({ Type: "permit", Domain: "a.example", ResultCNAME: target }),
    });
  to("b.example");
  const response = await dns.query("a.example");
  assert.deepEqual(response?.answers.map(({ name, type, data }) => [name, type, data]), [
    ["a.example", 5, "b.example"],
    ["b.example", 1, "192.0.2.1"],
  ]);
  assert.deepEqual(dns.upstreamQueries, [`${DEFAULT_UPSTREAM} 1 b.example`]);
  to("tv.lan");
  assert.equal(addressesOf(await dns.query("a.example")), "192.168.2.10");
  to("nobody.lan");
  assert.equal((await dns.query("a.example"))?.answers.length, 1);
  assert.equal(dns.upstreamQueries.length, 1);
});

Deno.test("an upstream answer with a local address is blocked unless an override permits it", async () => {
  const dns = dnsBed();
  for (const address of ["192.168.2.1", "127.0.0.1", "0.0.0.0", "10.1.1.1", "169.254.1.1"]) {
    dns.serve(DEFAULT_UPSTREAM, respondWith(address));
    dns.resolver.flush();
    assert.equal(addressesOf(await dns.query("a.example")), "code 3", address);
    assert.equal(addressesOf(await dns.query("a.example")), "code 3", `${address} from memory`);
  }
  assert.equal(dns.records.at(-1)?.rebindAddress, "169.254.1.1");
  dns.block({ OverrideLists: overrides({ Type: "permit", Domain: "a.example" }) });
  assert.equal(addressesOf(await dns.query("a.example")), "169.254.1.1");
  dns.block({ OverrideLists: [], RebindingCheckDisable: true });
  assert.equal(addressesOf(await dns.query("a.example")), "169.254.1.1");
});

Deno.test("a resolver in the LAN may answer local addresses, one upstream may not", async () => {
  for (
    const [custom, expected] of [["192.168.2.20", "192.168.2.9"], ["8.8.8.8", "code 3"]] as const
  ) {
    const dns = dnsBed({ clients: [dnsClient({ custom })] });
    dns.serve(custom, respondWith("192.168.2.9"));
    assert.equal(addressesOf(await dns.query("nas.example")), expected, custom);
  }
});

Deno.test("every answer is logged with what decided it", async () => {
  const dns = dnsBed({ names: [{ name: "tv.lan", address: "192.168.2.10" }] });
  dns.block({ OverrideLists: overrides({ Type: "block", Domain: "bad.example" }) });
  await dns.query("tv.lan");
  await dns.query("bad.example");
  await dns.query("a.example");
  await dns.query("a.example");
  assert.deepEqual(
    dns.records.map(({ name, verdict, by, upstream }) => [name, verdict, by, upstream]),
    [
      ["tv.lan.", "local", "", ""],
      ["bad.example.", "block", "Default: bad.example.", ""],
      ["a.example.", "pass", "", DEFAULT_UPSTREAM],
      ["a.example.", "pass", "", ""],
    ],
  );
  const [record] = dns.records;
  assert.deepEqual([record?.client, record?.identity], ["192.168.2.6", "02:00:00:00:00:06"]);
});

Deno.test("an upstream that no device uses any more is removed after its pending queries", async () => {
  const dns = dnsBed();
  const known = () => dns.resolver.upstreams.state.map(({ name }) => name);
  const [first, second] = ["10.0.0.53", "10.0.0.54"];
  const device = (custom: string, last = 6) =>
    dnsClient({ custom, address: `192.168.2.${last}`, identity: `02:00:00:00:00:0${last}` });
  dns.serve(first, respondWith("192.0.2.3", {}, 60, 1000));
  dns.serve(second, respondWith("192.0.2.4"));
  dns.configure({ clients: [device(first), device(first, 7), device(second, 8)] });
  assert.deepEqual(known(), ["default", "family"], "no query yet");
  const asking = dns.query("a.example", 1, { wait: 3000 });
  await dns.query("a.example", 1, { from: "192.168.2.8", wait: 0 });
  assert.deepEqual(known(), ["default", "family", first, second]);
  dns.configure({ clients: [device("", 6), device(first, 7), device("", 8)] });
  assert.deepEqual(known(), ["default", "family", first], "one of its devices is still there");
  dns.configure({ clients: [] });
  assert.deepEqual(known(), ["default", "family"]);
  assert.equal(addressesOf(await asking), "192.0.2.3");
  await dns.clock.advance(10_000);
  assert.deepEqual([dns.network.open, dns.clock.waiting], [0, 0], "nothing of it is left");
  dns.configure({ clients: [device(second)] });
  assert.equal(addressesOf(await dns.query("a.example")), "192.0.2.4", "it may come back");
});

Deno.test("an unauthorized client gets no answer, and over TCP the connection is closed", () => {
  const dns = dnsBed({ names: [{ name: "tv.lan", address: "192.168.2.10" }] });
  const { counters } = dns.resolver;
  const queries = ["tv.lan", "a.example", "nobody.lan"].map((name) => wireQuery(name));
  const unusual = [
    wireQuery("a.example", 252),
    wireQuery("a.example", 1, { flags: 0x2900 }),
    wireQuery("a.example", 1, { additional: [wireOpt({ version: 1 })] }),
    wireQuery("version.bind", 16, { questions: [{ name: "version.bind", type: 16, class: 3 }] }),
    Uint8Array.from([...wireQuery("a.example"), 0]),
  ];
  for (const bytes of [...queries, ...unusual]) {
    for (const from of ["203.0.113.9", "192.168.3.1", "10.0.0.1", "0.0.0.0", "255.255.255.255"]) {
      assert.deepEqual(dns.sendNow(bytes, { from, stream: false }), [], "a datagram");
      assert.deepEqual(dns.sendNow(bytes, { from, stream: true }), [null], "a connection");
    }
  }
  assert.equal(counters.unauthorizedClients, (queries.length + unusual.length) * 10);
  assert.deepEqual([counters.refused, counters.malformed, dns.upstreamQueries.length], [0, 0, 0]);
  assert.equal(dns.records.length, 0);
});

Deno.test("a LAN address without a device is answered like any other", async () => {
  const dns = dnsBed({ names: [{ name: "tv.lan", address: "192.168.2.10" }] });
  const from = "192.168.2.77";
  assert.equal(addressesOf(await dns.query("tv.lan", 1, { from })), "192.168.2.10");
  assert.equal(addressesOf(await dns.query("a.example", 1, { from })), "192.0.2.1");
  assert.equal(
    (await dns.query("a.example", 252, { from }))?.code,
    5,
    "what is not passed on is refused",
  );
  dns.configure({ networks: ["192.168.2.1/24", "10.9.0.0/16"] });
  assert.equal(addressesOf(await dns.query("tv.lan", 1, { from: "10.9.1.1" })), "192.168.2.10");
  assert.equal(dns.resolver.counters.unauthorizedClients, 0);
});
