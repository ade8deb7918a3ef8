import assert from "node:assert/strict";
import {
  addressesOf,
  DEFAULT_UPSTREAM,
  DnsBed,
  dnsClient,
  respondWith,
} from "../../kit/dns/bed.ts";
import { wireQuery } from "../../kit/dns/wire.ts";

/** Questions of one device that may wait, and of all of them. */
const OF_ONE = 100, OF_ALL = 1000;
const FLOODER = "192.168.2.6", OTHER = "192.168.2.10";

Deno.test("a client that floods has its own queries shed and counted, nobody else's", async () => {
  const clients = [dnsClient(), dnsClient({ address: OTHER, identity: "02:00:00:00:00:0a" })];
  const bed = new DnsBed({ clients });
  bed.serve(DEFAULT_UPSTREAM, respondWith("192.0.2.1", {}, 3600));
  assert.equal(addressesOf(await bed.query("known.test")), "192.0.2.1");
  // From now on the resolver outside takes half a second for every answer.
  bed.serve(DEFAULT_UPSTREAM, respondWith("192.0.2.2", {}, 3600, 500));
  const answers = Array.from(
    { length: 5000 },
    (_, i) => bed.sendNow(wireQuery(`n${i}.test`, 1, {}), { from: FLOODER, stream: false }),
  );
  const { counters } = bed.resolver;
  assert.equal(bed.resolver.lookups.running, OF_ONE);
  assert.equal(counters.shed, 5000 - OF_ONE);
  // He gets what is cached too, at once.
  assert.equal(addressesOf(await bed.query("known.test", 1, { from: FLOODER })), "192.0.2.1");
  assert.equal(
    addressesOf(await bed.query("new.test", 1, { from: OTHER, wait: 600 })),
    "192.0.2.2",
  );
  await bed.clock.advance(600);
  assert.equal(answers.filter((got) => got.length === 1).length, OF_ONE);
  assert.equal(counters.shed, 5000 - OF_ONE);
  // Once his are answered he may ask again.
  const again = await bed.query("again.test", 1, { from: FLOODER, wait: 600 });
  assert.equal(addressesOf(again), "192.0.2.2");
});

Deno.test("a flood of many clients has limited upstream queries, and cached names are still answered", async () => {
  const addresses = Array.from({ length: 30 }, (_, i) => `192.168.2.${i + 6}`);
  const bed = new DnsBed({ clients: addresses.map((address) => dnsClient({ address })) });
  bed.serve(DEFAULT_UPSTREAM, respondWith("192.0.2.1", {}, 3600));
  await bed.query("known.test");
  bed.serve(DEFAULT_UPSTREAM, respondWith("192.0.2.2", {}, 3600, 500));
  for (const [index, from] of addresses.entries()) {
    for (let i = 0; i < 200; i++) {
      bed.sendNow(wireQuery(`n${index}-${i}.test`, 1, {}), { from, stream: false });
    }
  }
  assert.equal(bed.resolver.lookups.running, OF_ALL);
  assert.equal(bed.resolver.counters.shed, 30 * 200 - OF_ALL);
  for (const from of addresses) {
    assert.equal(addressesOf(await bed.query("known.test", 1, { from })), "192.0.2.1");
  }
  await bed.clock.advance(600);
  assert.equal(bed.resolver.lookups.running, 0);
});
