import assert from "node:assert/strict";
import { DEFAULT_SETTINGS } from "../../../system/dns/config/settings_schema.ts";
import { addressesOf, DEFAULT_UPSTREAM, DnsBed, respondWith } from "../../kit/dns/bed.ts";
import { wireQuery } from "../../kit/dns/wire.ts";
import { type Serve, settle } from "../../kit/dns/fake_upstream.ts";

const HOUR = 3_600_000;

interface Home {
  readonly dns: DnsBed;
  /** Lets the resolver outside answer so from now on, on connections that are open as well. */
  readonly serve: (serve: Serve) => void;
}

/** A resolver that asks over TLS, so that what cannot be reached is known at once. */
function home(ttl = 60): Home {
  const provider = { IPAddress: DEFAULT_UPSTREAM, TLSHost: "dns.test", DisableTls: false };
  const dns = new DnsBed({}, { recorded: false, wholeCache: true });
  dns.configure({
    settings: { ...DEFAULT_SETTINGS, UpstreamProviders: [provider], FamilyProviders: [provider] },
  });
  let now = respondWith("192.0.2.1", {}, ttl);
  dns.serve(DEFAULT_UPSTREAM, (query) => now(query));
  return { dns, serve: (serve) => now = serve };
}

/** Asks for many names, some at once; answers how many had an address. */
async function askAll(dns: DnsBed, names: number): Promise<number> {
  let answered = 0;
  for (let at = 0; at < names; at += 50) {
    const got = Array.from(
      { length: 50 },
      (_, i) =>
        dns.sendNow(wireQuery(`n${at + i}.example`), { from: "192.168.2.6", stream: false }),
    );
    await settle();
    await dns.clock.advance(20);
    answered += got.filter(([answer]) => answer !== undefined && answer![7] === 1).length;
  }
  return answered;
}

Deno.test("names used in the evening are answered stale through a night without the Internet", async () => {
  const { dns, serve } = home();
  const names = 10_000;
  assert.equal(await askAll(dns, names), names);
  dns.network.faults.set(DEFAULT_UPSTREAM, "Network is unreachable");
  serve(() => [{ bytes: "close" }]);
  for (const hours of [3, 6]) {
    await dns.clock.advance(hours * HOUR);
    const answered = await askAll(dns, names);
    assert.ok(answered > names * 0.97, `${answered} of ${names} were answered`);
  }
  dns.resolver.close();
});

Deno.test("a stale answer is served for a day, and looked up again at most every half minute", async () => {
  const { dns, serve } = home();
  await dns.query("www.example");
  serve(() => []);
  const upstreamQueries = (): number => dns.resolver.counters.upstreamQueries;
  await dns.clock.advance(HOUR);
  const before = upstreamQueries();
  const addressAfter = async (wait = 20) =>
    addressesOf(await dns.query("www.example", 1, { wait }));
  assert.equal(await addressAfter(2000), "192.0.2.1");
  await dns.clock.advance(5000);
  for (let i = 0; i < 20; i++) {
    assert.equal(await addressAfter(), "192.0.2.1");
    await dns.clock.advance(1000);
  }
  assert.equal(upstreamQueries(), before + 1);
  await dns.clock.advance(10_000);
  await addressAfter(2000);
  assert.equal(upstreamQueries(), before + 2);
  await dns.clock.advance(22.9 * HOUR);
  assert.equal(await addressAfter(6000), "192.0.2.1");
  await dns.clock.advance(0.2 * HOUR);
  assert.equal(await addressAfter(6000), "code 2");
  dns.resolver.close();
});

Deno.test("while resolvers are down a stale answer is served at once, and a fresh one as soon as it is there", async () => {
  const { dns, serve } = home();
  const names = Array.from({ length: 10 }, (_, i) => `n${i}.example`);
  for (const name of names) await dns.query(name);
  serve(() => []);
  await dns.clock.advance(HOUR);
  const now = (name: string) =>
    dns.sendNow(wireQuery(name), { from: "192.168.2.6", stream: false })[0] ?? null;
  assert.equal(now(names[0]!), null, "it is not known yet that nobody answers");
  await dns.clock.advance(6000);
  const before = dns.resolver.counters.upstreamQueries;
  for (const name of names) {
    const response = now(name);
    assert.ok(response !== null, name);
    assert.equal(response[7], 1, "with an address");
  }
  // It is queried upstream all the same: that is how it shows that somebody answers again.
  assert.equal(dns.resolver.counters.upstreamQueries, before + names.length - 1);
  await dns.clock.advance(6000);
  serve(respondWith("192.0.2.9"));
  await dns.clock.advance(60_000);
  now(names[1]!);
  await dns.clock.advance(20);
  assert.equal(addressesOf(await dns.query(names[1]!)), "192.0.2.9");
  dns.resolver.close();
  assert.equal(dns.network.open, 0);
});

Deno.test("an entry near its expiry is prefetched once, however often it is used, also when that fails", async () => {
  const { dns, serve } = home(600);
  await dns.query("www.example");
  serve(() => []);
  await dns.clock.advance(545_000);
  for (let i = 0; i < 20; i++) {
    assert.equal(addressesOf(await dns.query("www.example")), "192.0.2.1");
    await dns.clock.advance(1000);
  }
  assert.equal(dns.resolver.counters.prefetched, 1);
  serve(respondWith("192.0.2.9", {}, 600));
  await dns.clock.advance(20_000);
  await dns.query("www.example");
  assert.equal(dns.resolver.counters.prefetched, 2);
  await dns.clock.advance(20);
  assert.equal(addressesOf(await dns.query("www.example")), "192.0.2.9");
  dns.resolver.close();
});
