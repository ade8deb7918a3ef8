import fc from "fast-check";
import assert from "node:assert/strict";
import { addressBytes, addressText, reverseName } from "../../../system/dns/codec/address_data.ts";
import { DnsCache } from "../../../system/dns/resolver/cache.ts";
import { type CacheQuery } from "../../../system/dns/resolver/cache_entry.ts";
import { newCounters } from "../../../system/dns/resolver/counters.ts";
import { hostLabel, localNames, type NameSources } from "../../../system/dns/local/local_names.ts";
import { LocalZone } from "../../../system/dns/local/local_zone.ts";
import { type Lookup, Lookups } from "../../../system/dns/resolver/lookups.ts";
import { nameBytes, nameText } from "../../../system/dns/codec/name.ts";
import { KeyTable } from "../../../system/core/data/key_table.ts";
import { NameKey } from "../../../system/dns/codec/name_key.ts";
import { type ParsedResponse, parseResponse } from "../../../system/dns/codec/response_parser.ts";
import { parseCertificates } from "../../../system/dns/upstream/trusted_certificates.ts";
import { device as deviceOf, mac } from "../../kit/builders/device_config.ts";
import { wireA, wireMessage } from "../../kit/dns/wire.ts";
import { faultsOf } from "../../kit/browser/faults_of.ts";

Deno.test("a device name becomes a host name label, or none", () => {
  const cases: readonly [string, string | null][] = [
    ["Anna's iPad", "annas-ipad"],
    ["  TV (living room) ", "tv-living-room"],
    ["android-1234abcd", "android-1234abcd"],
    ["printer.local", "printer-local"],
    ["Küche", "xn--kche-0ra"],
    ["電視", "xn--yw2at7x"],
    ["192.168.2.1", "192-168-2-1"],
    ["-x-", "x"],
    ["1234", null],
    ["!!!", null],
    ["", null],
    ["x".repeat(64), null],
  ];
  for (const [name, label] of cases) assert.equal(hostLabel(name), label, name);
});

Deno.test("any device name becomes a valid label, or none", () => {
  fc.assert(fc.property(fc.string({ unit: "grapheme", maxLength: 80 }), (name) => {
    const label = hostLabel(name);
    if (label === null) return;
    assert.match(label, /^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/);
    assert.equal(hostLabel(label) === null || nameBytes(label) !== null, true);
  }));
});

function names(more: Partial<NameSources>) {
  const all = localNames({
    devices: {},
    hostnames: [],
    routerNames: [],
    lanAddress: "192.168.2.1",
    ...more,
  });
  return Object.fromEntries(all.map(({ name, address }) => [name, address]));
}

Deno.test("no device gets the name of the router, of another device, or of a local DNS record", () => {
  const device = (Name: string, RecentIP: string, more = {}) =>
    deviceOf(mac(1), { Name, RecentIP, ...more });
  const found = names({
    routerNames: ["myrouter", "myrouter.lan", "home.example.com"],
    hostnames: [{ name: "nas.lan", address: "192.168.2.50" }],
    devices: {
      a: device("TV", "192.168.2.6"),
      b: device("tv", "192.168.2.10"),
      c: device("MyRouter", "192.168.2.14"),
      d: device("NAS", "192.168.2.18"),
      e: device("localhost", "192.168.2.22"),
      f: device("wpad", "192.168.2.26"),
      g: device("away", ""),
      h: device("off", "192.168.2.30", { DeviceDisabled: true }),
    },
  });
  assert.deepEqual(found, {
    "myrouter.lan": "192.168.2.1",
    "home.example.com": "192.168.2.1",
    "nas.lan": "192.168.2.50",
    "tv.lan": "192.168.2.6",
  });
});

Deno.test("reverse lookups return the first name: the router's, a local DNS record's, a device's", () => {
  const device = (Name: string, RecentIP: string) => deviceOf(mac(1), { Name, RecentIP });
  const all = localNames({
    routerNames: ["zen", "zen.lan", "box.example.org"],
    lanAddress: "192.168.2.1",
    hostnames: [
      { name: "alias.lan", address: "192.168.2.1" },
      { name: "media.lan", address: "192.168.2.6" },
      { name: "tv.lan", address: "192.168.2.99" },
    ],
    devices: {
      a: device("tv", "192.168.2.6"),
      b: device("tablet", "192.168.2.10"),
      c: device("tv", "192.168.2.14"),
    },
  });
  const zone = new LocalZone(all, new NameKey(1, 2));
  const back = (address: string): string | null => {
    const name = nameBytes(reverseName(address))!;
    const [data] = zone.find(name, name.length)?.records.get(12) ?? [];
    return data === undefined ? null : nameText(data);
  };
  assert.equal(back("192.168.2.1"), "zen.lan.");
  assert.equal(back("192.168.2.6"), "media.lan.");
  assert.equal(back("192.168.2.99"), "tv.lan.");
  assert.equal(back("192.168.2.10"), "tablet.lan.");
  assert.equal(back("192.168.2.14"), null, "its name leads elsewhere");
  // Wherever an address leads back to, that name leads to it.
  for (const { address } of all) {
    const there = zone.addresses(nameBytes(back(address)!)!);
    assert.ok(there?.includes(address), address);
  }
});

Deno.test("addresses survive their wire form, and have the reverse names of RFC 1035 and RFC 3596", () => {
  fc.assert(fc.property(fc.oneof(fc.ipV4(), fc.constant("2001:db8::567:89ab")), (text) => {
    assert.equal(addressText(addressBytes(text)), text);
  }));
  assert.equal(reverseName("192.168.2.6"), "6.2.168.192.in-addr.arpa");
  // The example of RFC 3596 2.5.
  assert.equal(
    reverseName("4321:0:1:2:3:4:567:89ab"),
    "b.a.9.8.7.6.5.0.4.0.0.0.3.0.0.0.2.0.0.0.1.0.0.0.0.0.0.0.1.2.3.4.ip6.arpa",
  );
});

/** An answer to this name: small with few addresses, larger than a slot with many. */
function replyOf(name: string, addresses: number, ttl = 300): ParsedResponse {
  const answers = Array.from(
    { length: addresses },
    (_, i) => wireA(name, `192.0.${addresses}.${i}`, ttl),
  );
  const questions = [{ name: name.toUpperCase(), type: 1 }];
  return parseResponse(wireMessage({ flags: 0x8180, questions, answers }))!;
}

for (const limits of [{ entries: 64, bytes: 4000 }, { entries: 40, bytes: 50_000 }]) {
  Deno.test(`the cache returns what was put in, within its limit of ${limits.bytes} bytes`, () => {
    const keys = new NameKey(1, 2);
    const step = fc.record({
      name: fc.nat(100),
      variant: fc.nat(2),
      addresses: fc.constantFrom(0, 1, 3, 40),
      act: fc.constantFrom("put", "find", "keep"),
    });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 400 }), (steps) => {
        const cache = new DnsCache(keys, limits);
        const known = new Map<string, { readonly now: number; readonly reply: ParsedResponse }>();
        let found = 0;
        steps.forEach(({ name, variant, addresses, act }, now) => {
          const text = `n${name}.example`;
          const wire = nameBytes(text)!;
          const query: CacheQuery = { name: wire, nameLength: wire.length, type: 1, variant };
          const key = cache.keyOf(query);
          const id = `${name} ${variant}`;
          if (act === "put") {
            const reply = replyOf(text, addresses);
            cache.put(key, query, {
              ...{ response: reply, upstream: `9.9.9.${name % 3}`, privateAddress: null, now },
            });
            known.set(id, { now, reply });
          }
          let entry = cache.find(key, query);
          if (act === "put") assert.equal(entry?.receivedAt, now);
          if (entry === null) return;
          if (act === "keep") {
            entry = cache.detach(entry);
            cache.find(0, { ...query, type: 28 });
          }
          // It may be forgotten, but never mistaken.
          const truth = known.get(id)!;
          assert.equal(entry.receivedAt, truth.now);
          assert.equal(entry.upstream, `9.9.9.${name % 3}`);
          const { response } = entry;
          assert.deepEqual(
            [...response.bytes.subarray(0, response.size)],
            [...truth.reply.bytes.subarray(0, truth.reply.size)],
          );
          assert.deepEqual(response.addresses, truth.reply.addresses);
          assert.deepEqual(response.aliases, truth.reply.aliases);
          assert.deepEqual(
            response.ttls.slice(0, response.ttlCount),
            truth.reply.ttls.slice(0, truth.reply.ttlCount),
          );
          for (
            const field of [
              "answers",
              "authority",
              "additional",
              "answersEnd",
              "code",
              "ttl",
            ] as const
          ) assert.equal(response[field], truth.reply[field], field);
          found++;
          assert.ok(cache.entries <= limits.entries + 1 && cache.bytes <= limits.bytes + 1000);
        });
        cache.clear();
        assert.deepEqual([cache.entries, cache.bytes], [0, 0]);
        assert.ok(found > 0 || !steps.some(({ act }) => act === "put"));
      }),
      { numRuns: 60 },
    );
  });
}

Deno.test("of small entries that share slots the least recently used is evicted", () => {
  const cache = new DnsCache(new NameKey(1, 2), { entries: 4, bytes: 8192 });
  const queryOf = (i: number): CacheQuery => {
    const name = nameBytes(`n${i}.example`)!;
    return { name, nameLength: name.length, type: 1, variant: 0 };
  };
  const find = (i: number) =>
    cache.find(cache.keyOf(queryOf(i)), queryOf(i))?.response.addresses.length;
  const put = (i: number) =>
    cache.put(cache.keyOf(queryOf(i)), queryOf(i), {
      response: replyOf(`n${i}.example`, i),
      upstream: "9.9.9.9",
      privateAddress: null,
      now: 0,
    });
  for (let i = 0; i < 4; i++) put(i);
  find(0);
  put(4);
  assert.deepEqual([0, 1, 2, 3, 4].map(find), [0, undefined, 2, 3, 4]);
});

Deno.test("a key collision never returns another query's cache entry", () => {
  const cache = new DnsCache(new NameKey(1, 2), { entries: 10, bytes: 10_000 });
  const queryOf = (text: string, variant = 0): CacheQuery => {
    const name = nameBytes(text)!;
    return { name, nameLength: name.length, type: 1, variant };
  };
  const reply = parseResponse(wireMessage({
    flags: 0x8180,
    questions: [{ name: "a.example", type: 1 }],
    answers: [wireA("a.example", "192.0.2.1")],
  }))!;
  cache.put(42, queryOf("a.example"), {
    response: reply,
    upstream: "",
    privateAddress: null,
    now: 0,
  });
  assert.ok(cache.find(42, queryOf("a.example")));
  assert.equal(cache.find(42, queryOf("b.example")), null);
  assert.equal(cache.find(42, queryOf("a.example", 1)), null);
  assert.equal(cache.find(42, { ...queryOf("a.example"), type: 28 }), null);
});

/** Questions of one key, and the answers to those that went outside. */
function lookupsBed() {
  const lookups = new Lookups({
    cache: new DnsCache(new NameKey(1, 2), { entries: 10, bytes: 10_000 }),
    clock: { now: () => 0, after: () => () => {} },
    counters: newCounters(),
    privateAddress: () => null,
  });
  const respond: ((text: string) => void)[] = [];
  const lookup = (text: string, type = 1, variant = 0): Lookup => {
    const name = nameBytes(text)!;
    const query = { name, nameLength: name.length, type, variant };
    return {
      key: 42,
      query: { ...query, dnssecOk: false, checkingDisabled: false },
      group: {
        id: 0,
        upstream: {
          isDown: false,
          query: (_, done) =>
            respond.push((text) => done({ response: replyOf(text, 1), upstream: "" })),
        },
      },
    };
  };
  return { lookups, lookup, respond };
}

Deno.test("a key collision never joins another query's lookup", () => {
  const { lookups, lookup, respond } = lookupsBed();
  const answers: (string | undefined)[] = [];
  const ask = (one: Lookup): boolean =>
    lookups.find(one, null, (found) => answers.push(found?.entry.response.addresses[0]));
  assert.ok(ask(lookup("a.example")));
  assert.ok(!ask(lookup("b.example")) && !ask(lookup("a.example", 28)));
  assert.ok(!ask(lookup("a.example", 1, 2)));
  assert.ok(ask(lookup("a.example")), "the same one waits with it");
  respond[0]!("a.example");
  assert.deepEqual([answers, respond.length], [["192.0.1.0", "192.0.1.0"], 1]);
});

Deno.test("every waiter of a lookup is called, even when another throws", async () => {
  const called: number[] = [];
  const faults = await faultsOf(async () => {
    const { lookups, lookup, respond } = lookupsBed();
    for (let i = 0; i < 4; i++) {
      lookups.find(lookup("a.example"), null, () => {
        called.push(i);
        if (i % 2 === 0) throw new Error(`asker ${i}`);
      });
    }
    respond[0]!("a.example");
    await Promise.resolve();
  });
  assert.deepEqual(called, [0, 1, 2, 3]);
  assert.deepEqual(faults, ["asker 0", "asker 2"]);
});

Deno.test("certificates are found among other text of a file", () => {
  const one = "-----BEGIN CERTIFICATE-----\nMIIB\nAAAA=\n-----END CERTIFICATE-----";
  assert.deepEqual(parseCertificates(`# ours\n${one}\n-----BEGIN PRIVATE KEY-----\nx\n`), [one]);
  assert.deepEqual(parseCertificates(`${one}\n${one}`), [one, one]);
  assert.deepEqual(parseCertificates("nothing"), []);
});

Deno.test("a KeyTable equals a Map, whatever is set and deleted", () => {
  // Few keys, and far ones of one remainder, so that they meet.
  const key = fc.oneof(fc.nat(40), fc.nat(40).map((i) => i * 0x20000000000), fc.maxSafeNat());
  const step = fc.record({ key, act: fc.constantFrom("set", "set", "delete", "get") });
  fc.assert(
    fc.property(fc.array(step, { maxLength: 300 }), (steps) => {
      const table = new KeyTable<number>();
      const map = new Map<number, number>();
      steps.forEach(({ key, act }, i) => {
        if (act === "set") {
          table.set(key, i);
          map.set(key, i);
        } else if (act === "delete") assert.equal(table.delete(key), map.delete(key));
        assert.deepEqual([table.get(key), table.has(key)], [map.get(key), map.has(key)]);
        assert.equal(table.size, map.size);
      });
      for (const [key, value] of map) assert.equal(table.get(key), value);
      assert.deepEqual(new Map(table.entries()), map);
      table.clear();
      assert.deepEqual([table.size, table.entries()], [0, []]);
    }),
  );
});
