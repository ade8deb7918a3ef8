import assert from "node:assert/strict";
import fc from "fast-check";
import { DomainOverride, OverrideList } from "../../../system/dns/block/schema.ts";
import { DEFAULT_UPSTREAM, DnsBed, dnsClient, FAMILY_UPSTREAM } from "../../kit/dns/bed.ts";
import { blockList, tableOf } from "../../kit/dns/block.ts";
import {
  readMessage,
  wireA,
  wireMessage,
  wireName,
  wireOpt,
  wireQuery,
} from "../../kit/dns/wire.ts";

const CLIENTS = ["192.168.2.6", "192.168.2.10"];
const NAMES = ["plain.test", "Plain.TEST", "led.test", "short.test", "tv.lan", "wpad", "ads.test"];

/** A bed with a name of each kind; those outside have records of several TTLs. */
function bed(): DnsBed {
  const dns = new DnsBed({
    clients: CLIENTS.map((address) => dnsClient({ address, identity: address })),
    names: [{ name: "tv.lan", address: "192.168.2.10" }],
  });
  dns.table = tableOf({ list: ["ads.test"] });
  dns.block({ BlockLists: [blockList("list")] });
  let count = 0;
  for (const [address, last] of [[DEFAULT_UPSTREAM, 1], [FAMILY_UPSTREAM, 2]] as const) {
    dns.serve(address, (query) => {
      const { id, questions } = readMessage(query);
      const { name } = questions[0]!;
      const [ttl, led] = [name.startsWith("short") ? 3 : 40, name.startsWith("led")];
      const end = led ? "end.test" : name;
      const answers = [
        ...(led ? [{ name, type: 5, ttl: 90, data: wireName(end) }] : []),
        wireA(end, `192.0.${last}.${count++ % 250}`, ttl),
      ];
      const authority = [{ name: "test", type: 2, ttl: 7, data: wireName("ns.test") }];
      const bytes = wireMessage({ id, flags: 0x8180, questions, answers, authority });
      return [{ bytes, after: 5 }];
    });
  }
  return dns;
}

function overrides(domains: readonly string[], end: number) {
  const BlockDomains = domains.map((Domain) =>
    DomainOverride.parse({ Type: "block", Domain, Expiration: end })
  );
  return [OverrideList.parse({ Name: "Default", PermitDomains: [], BlockDomains })];
}

/** What happens to a bed; over TCP there is no cached response. */
type Step = (dns: DnsBed, stream: boolean) => Promise<Uint8Array | null | undefined>;

const ask = fc.record({
  name: fc.constantFrom(...NAMES),
  from: fc.constantFrom(...CLIENTS),
  id: fc.nat(0xffff),
  edns: fc.boolean(),
  type: fc.constantFrom(1, 1, 1, 28),
}).map(({ name, from, id, edns, type }): Step => async (dns, stream) => {
  const more = edns ? { id, additional: [wireOpt()] } : { id };
  const got = dns.sendNow(wireQuery(name, type, more), { from, stream });
  await dns.clock.advance(20);
  return got[0];
});
const wait = fc.nat(12_000).map((time): Step => async (dns) => {
  await dns.clock.advance(time);
  return undefined;
});
/** Done at once, and answered by nothing. */
const done = (act: (dns: DnsBed) => void): Step => (dns) => {
  act(dns);
  return Promise.resolve(undefined);
};
const change = fc.constantFrom(
  done((dns) => dns.block({ OverrideLists: overrides(["led.test."], 0) })),
  done((dns) => dns.decide({ OverrideLists: overrides(["end.test."], 0) })),
  done((dns) => dns.decide({ OverrideLists: overrides(["plain.test."], endSoon(dns)) })),
  done((dns) => dns.decide({ OverrideLists: [] })),
  done((dns) => dns.decide({ ClientIPExclusions: ["192.168.2.6"] })),
  done((dns) => dns.resolver.flush()),
  done((dns) => dns.configure({ names: [{ name: "tv.lan", address: "192.168.2.11" }] })),
  done((dns) => {
    const policies = ["dns", "dns:family"];
    dns.configure({ clients: [dnsClient({ address: CLIENTS[0]!, policies })] });
  }),
);

/** Unix seconds of a bed three seconds from now. */
function endSoon(dns: DnsBed): number {
  return Math.ceil((1_800_000_000_000 + dns.clock.now()) / 1000) + 3;
}

Deno.test("a cache hit equals the response worked out anew at any time, and is counted and logged alike", async () => {
  const steps = fc.array(
    fc.oneof({ weight: 12, arbitrary: ask }, { weight: 2, arbitrary: wait }, change),
    { minLength: 20, maxLength: 60 },
  );
  await fc.assert(
    fc.asyncProperty(steps, async (list) => {
      const ready = bed(), anew = bed();
      for (const step of list) {
        // Each is done three times: the first is noted, the second kept, the third may stand ready.
        for (let i = 0; i < 3; i++) {
          const [one, two] = [await step(ready, false), await step(anew, true)];
          assert.deepEqual(one, two);
        }
      }
      assert.deepEqual(ready.records, anew.records);
      const { overTcp: _, ...counters } = anew.resolver.counters;
      assert.deepEqual({ ...ready.resolver.counters, overTcp: 0 }, { ...counters, overTcp: 0 });
      ready.resolver.close();
      anew.resolver.close();
    }),
    { numRuns: 15 },
  );
});

Deno.test("a cached response ends with the list or override that it depends on, to the second", async () => {
  const dns = bed();
  const codeOf = async (name: string): Promise<number | undefined> => {
    let code: number | undefined;
    for (let i = 0; i < 3; i++) code = (await dns.query(name))?.code;
    return code;
  };
  assert.deepEqual([await codeOf("plain.test"), await codeOf("tv.lan")], [0, 0]);
  dns.table = tableOf({ list: ["plain.test"] });
  dns.decide({});
  assert.equal(await codeOf("plain.test"), 3);
  dns.table = tableOf({ list: [] });
  dns.decide({});
  assert.equal(await codeOf("plain.test"), 0);
  dns.decide({ OverrideLists: overrides(["plain.test."], endSoon(dns)) });
  assert.equal(await codeOf("plain.test"), 3);
  await dns.clock.advance(2000);
  assert.equal(await codeOf("plain.test"), 3);
  await dns.clock.advance(2000);
  assert.equal(await codeOf("plain.test"), 0);
  dns.decide({ OverrideLists: [] });
  assert.equal(await codeOf("tv.lan"), 0);
  dns.configure({ names: [] });
  assert.equal(await codeOf("tv.lan"), 3);
  dns.resolver.close();
});

Deno.test("a cached response is the same at any memory alignment of query and buffer", async () => {
  const dns = bed();
  await dns.query("plain.test");
  const channel = { stream: false, limit: () => 512, send: () => assert.fail("said later") };
  const from = { address: CLIENTS[0]!, port: 4000, local: "192.168.2.1" };
  const responseAt = (shift: number, room: number, id: number): Uint8Array => {
    const bytes = wireQuery("plain.test", 1, { id });
    const query = new Uint8Array(200).subarray(shift, shift + bytes.length);
    query.set(bytes);
    const out = new Uint8Array(600).fill(0xaa).subarray(room);
    const length = dns.resolver.handle(query, out, from, channel);
    assert.deepEqual(out.subarray(length), new Uint8Array(out.length - length).fill(0xaa));
    return out.slice(2, length);
  };
  const first = responseAt(0, 0, 1);
  for (let i = 0; i < 64; i++) assert.deepEqual(responseAt(i & 7, i >> 3, i * 777), first);
  dns.resolver.close();
});

Deno.test("a cached response is worked out anew in time for the prefetch of its entry", async () => {
  const dns = bed();
  const query = wireQuery("plain.test");
  const send = (): Uint8Array | null | undefined =>
    dns.sendNow(query, { from: CLIENTS[0]!, stream: false })[0];
  send();
  await dns.clock.advance(20);
  for (let i = 0; i < 200; i++) {
    assert.ok(send() instanceof Uint8Array, `after ${i} seconds it is answered at once`);
    await dns.clock.advance(1000);
  }
  const { upstreamQueries, prefetched } = dns.resolver.counters;
  assert.ok(
    prefetched >= 4 && upstreamQueries === prefetched + 1,
    `${upstreamQueries} upstream queries, ${prefetched} prefetched`,
  );
  dns.resolver.close();
});
