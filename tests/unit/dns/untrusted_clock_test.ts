import assert from "node:assert/strict";
import { healthIssues } from "../../../system/dns/config/health_issues.ts";
import { nameBytes } from "../../../system/dns/codec/name.ts";
import { DEFAULT_SETTINGS } from "../../../system/dns/config/settings_schema.ts";
import {
  isCertificateDateError,
  isClockUntrusted,
  isTimeServerQuery,
} from "../../../system/dns/upstream/untrusted_clock.ts";
import {
  addressesOf,
  DEFAULT_UPSTREAM,
  type DnsBed,
  dnsBed,
  respondWith,
} from "../../kit/dns/bed.ts";

const OTHER = "149.112.112.112";
/** What the TLS library says (rustls 0.23, as Deno passes it on). */
const TOO_SOON =
  "invalid peer certificate: certificate not valid yet: verification time 1577836800 " +
  "(UNIX), but certificate is not valid before 1795850221 (218013421 seconds in future)";
const TOO_LATE =
  "invalid peer certificate: certificate expired: verification time 2208988800 (UNIX), " +
  "but certificate is not valid after 1795850221 (413138579 seconds ago)";
const OTHER_NAME = 'invalid peer certificate: certificate not valid for name "dns.test"; ' +
  'certificate is only valid for DnsName("elsewhere.test")';

/** A resolver that asks two others over TLS, which cannot be had for these reasons. */
function bed(faults: Readonly<Record<string, string>>): DnsBed {
  const provider = (IPAddress: string) => ({ IPAddress, TLSHost: "dns.test", DisableTls: false });
  const dns = dnsBed({
    settings: { ...DEFAULT_SETTINGS, UpstreamProviders: [DEFAULT_UPSTREAM, OTHER].map(provider) },
  });
  for (const address of [DEFAULT_UPSTREAM, OTHER]) dns.serve(address, respondWith("192.0.2.1"));
  for (const [address, text] of Object.entries(faults)) dns.network.faults.set(address, text);
  return dns;
}

const ask = async (dns: DnsBed, name: string, type = 1) =>
  addressesOf(await dns.query(name, type, { wait: 6000 }));

const plainly = (dns: DnsBed) =>
  dns.upstreamQueries.filter((_, at) => dns.network.sent[at]!.to.startsWith("udp"));

Deno.test("while a wrong clock makes certificates invalid, time servers still resolve", async () => {
  for (const text of [TOO_SOON, TOO_LATE]) {
    const dns = bed({ [DEFAULT_UPSTREAM]: text, [OTHER]: text });
    assert.equal(
      await ask(dns, "www.example.com"),
      "code 2",
      "nothing else is queried unencrypted",
    );
    assert.deepEqual(plainly(dns), []);
    assert.equal(await ask(dns, "0.debian.pool.ntp.org"), "192.0.2.1");
    assert.equal(await ask(dns, "Time.Google.com"), "192.0.2.1");
    assert.equal(plainly(dns).length, 2);
    assert.equal(dns.resolver.cache.entries, 0, "unencrypted answers are not cached");
    assert.equal(isClockUntrusted(dns.resolver.upstreams.state[0]!.resolvers), true);
    const [issue] = healthIssues({}, dns.resolver.upstreams.state, 0);
    assert.match(issue!.detail, /No upstream resolver responds: .*clock, which shows 1970-01-01/);
  }
});

Deno.test("once the clock is right all queries use TLS only, at once", async () => {
  const dns = bed({ [DEFAULT_UPSTREAM]: TOO_SOON, [OTHER]: TOO_SOON });
  for (let i = 0; i < 4; i++) {
    assert.equal(await ask(dns, `${i}.pool.ntp.org`), "192.0.2.1");
    await dns.clock.advance(60_000);
  }
  dns.network.faults.clear();
  const before = plainly(dns).length;
  assert.equal(await ask(dns, "0.pool.ntp.org"), "192.0.2.1");
  assert.equal(await ask(dns, "www.example.com"), "192.0.2.1");
  assert.equal(plainly(dns).length, before);
  assert.equal(isClockUntrusted(dns.resolver.upstreams.state[0]!.resolvers), false);
  assert.deepEqual(healthIssues({}, dns.resolver.upstreams.state, 0), []);
});

Deno.test("no error but a certificate's dates allows unencrypted queries", async () => {
  for (
    const text of [
      OTHER_NAME,
      "invalid peer certificate: UnknownIssuer",
      "invalid peer certificate: Revoked",
      "Connection refused",
      "The TLS connection was not there in time",
      "received fatal alert: CertificateExpired",
    ]
  ) {
    const dns = bed({ [DEFAULT_UPSTREAM]: text, [OTHER]: text });
    assert.equal(await ask(dns, "0.pool.ntp.org"), "code 2", text);
    assert.deepEqual(plainly(dns), [], text);
    assert.equal(isCertificateDateError(text), false, text);
  }
});

Deno.test("one resolver with an expired certificate does not make the clock untrusted while another responds", async () => {
  const dns = bed({ [DEFAULT_UPSTREAM]: TOO_LATE });
  for (const name of ["a.example", "b.example", "0.pool.ntp.org"]) {
    assert.equal(await ask(dns, name), "192.0.2.1");
  }
  assert.deepEqual(plainly(dns), []);
  assert.equal(isClockUntrusted(dns.resolver.upstreams.state[0]!.resolvers), false);
});

Deno.test("time servers resolve before all of many resolvers were tried", async () => {
  const addresses = Array.from({ length: 12 }, (_, i) => `198.51.100.${i + 1}`);
  const provider = (IPAddress: string) => ({ IPAddress, TLSHost: "dns.test", DisableTls: false });
  const dns = dnsBed({
    settings: { ...DEFAULT_SETTINGS, UpstreamProviders: addresses.map(provider) },
  });
  for (const address of addresses) {
    dns.serve(address, respondWith("192.0.2.1"));
    dns.network.faults.set(address, TOO_SOON);
  }
  assert.equal(await ask(dns, "0.pool.ntp.org"), "192.0.2.1");
});

Deno.test("only addresses of time servers are queried unencrypted", () => {
  const isAllowed = (name: string, type = 1) => isTimeServerQuery({ name: nameBytes(name)!, type });
  for (const name of ["pool.ntp.org", "2.android.pool.ntp.org", "time.apple.com"]) {
    assert.ok(isAllowed(name) && isAllowed(name, 28), name);
    assert.ok(!isAllowed(name, 16) && !isAllowed(name, 65), name);
  }
  for (
    const name of [
      ...["ntp.org", "www.ntp.org", "xpool.ntp.org", "pool.ntp.org.example", "apple.com", "org"],
      ...["time.example.com", "."],
    ]
  ) assert.ok(!isAllowed(name), name);
});
