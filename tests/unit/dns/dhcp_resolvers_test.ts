import assert from "node:assert/strict";
import { healthIssues } from "../../../system/dns/config/health_issues.ts";
import { DEFAULT_SETTINGS } from "../../../system/dns/config/settings_schema.ts";
import type { DnsSettings } from "../../../system/dns/config/schema.ts";
import type { DnsSnapshot } from "../../../system/dns/config/snapshot_schema.ts";
import {
  addressesOf,
  DEFAULT_UPSTREAM,
  DnsBed,
  dnsBed,
  dnsClient,
  FAMILY_UPSTREAM,
  respondWith,
} from "../../kit/dns/bed.ts";

const ISP_RESOLVER = "203.0.113.53";
const unencrypted = (IPAddress: string) => ({ IPAddress, TLSHost: "", DisableTls: true });

function settings(mode: DnsSettings["ProviderResolvers"]): DnsSettings {
  return {
    ...DEFAULT_SETTINGS,
    UpstreamProviders: [unencrypted(DEFAULT_UPSTREAM)],
    FamilyProviders: [unencrypted(FAMILY_UPSTREAM)],
    ProviderResolvers: mode,
  };
}

/** A resolver whose uplink has a lease with an ISP resolver. */
function withIsp(mode: DnsSettings["ProviderResolvers"], more: Partial<DnsSnapshot> = {}): DnsBed {
  const dns = dnsBed({ settings: settings(mode), ispResolvers: [ISP_RESOLVER], ...more });
  dns.serve(ISP_RESOLVER, respondWith("192.0.2.3"));
  return dns;
}

let count = 0;
/** Resolves a new name. */
async function resolve(dns: DnsBed, from = "192.168.2.6"): Promise<string> {
  return addressesOf(await dns.query(`n${count++}.example`, 1, { wait: 6000, from }));
}

/** Stops the configured resolver and queries until it is down. */
async function takeDown(dns: DnsBed): Promise<void> {
  dns.network.udpServers.delete(DEFAULT_UPSTREAM);
  dns.network.tcpServers.delete(DEFAULT_UPSTREAM);
  for (let i = 0; i < 3; i++) await resolve(dns);
}

const queriesTo = (dns: DnsBed, address: string): number =>
  dns.upstreamQueries.filter((one) => one.startsWith(`${address} `)).length;

Deno.test("ISP resolvers are not used by default", async () => {
  const dns = withIsp("never");
  assert.equal(await resolve(dns), "192.0.2.1");
  await takeDown(dns);
  assert.equal(await resolve(dns), "code 2");
  assert.equal(queriesTo(dns, ISP_RESOLVER), 0);
  assert.deepEqual(dns.resolver.upstreams.state.map(({ name }) => name), ["default", "family"]);
  dns.resolver.close();
});

Deno.test("as fallback, ISP resolvers are used while no configured resolver responds", async () => {
  const dns = withIsp("fallback");
  assert.equal(await resolve(dns), "192.0.2.1");
  let lost = 2;
  dns.serve(DEFAULT_UPSTREAM, (query) => lost-- > 0 ? [] : respondWith("192.0.2.1")(query));
  assert.equal(await resolve(dns), "192.0.2.1", "a lost query is not sent to the ISP resolver");
  assert.equal(queriesTo(dns, ISP_RESOLVER), 0);
  await takeDown(dns);
  assert.equal(await resolve(dns), "192.0.2.3");
  const { state } = dns.resolver.upstreams;
  assert.deepEqual(state.map(({ name, resolvers }) => [name, resolvers[0]!.state]), [
    ["default", "down"],
    ["provider", "up"],
    ["family", "unknown"],
  ]);
  const [issue, ...others] = healthIssues({}, state, 0);
  assert.match(issue!.detail, /ISP resolvers are used, unencrypted: No response in time/);
  assert.deepEqual(others, []);
  // The configured one is used again as soon as it responds.
  dns.serve(DEFAULT_UPSTREAM, respondWith("192.0.2.1"));
  await dns.clock.advance(70_000);
  await resolve(dns);
  assert.equal(await resolve(dns), "192.0.2.1");
  const before = queriesTo(dns, ISP_RESOLVER);
  for (let i = 0; i < 20; i++) assert.equal(await resolve(dns), "192.0.2.1");
  assert.equal(queriesTo(dns, ISP_RESOLVER), before);
  dns.resolver.close();
  assert.equal(dns.network.open, 0);
});

Deno.test("with ISP fallback an untrusted clock does not limit queries to time servers", () => {
  const one = (state: "up" | "down", lastError: string | null) => ({
    ...{ address: DEFAULT_UPSTREAM, tlsHost: "dns.test", state, latency: null, connections: 0 },
    ...{ queries: 3, failed: 3, consecutiveFailures: state === "down" ? 3 : 0, lastError },
  });
  const groups = [
    { name: "default", resolvers: [one("down", "invalid peer certificate: Expired")] },
    { name: "provider", resolvers: [one("up", null)] },
  ];
  const { detail } = healthIssues({}, groups, 0)[0]!;
  assert.match(detail, /ISP resolvers are used, unencrypted: .* which shows 1970-01-01$/);
  assert.match(healthIssues({}, groups.slice(0, 1), 0)[0]!.detail, /only names of time servers/);
});

Deno.test("while all resolvers are down both groups are queried, and the first response is used", async () => {
  for (const back of [DEFAULT_UPSTREAM, ISP_RESOLVER]) {
    const dns = withIsp("fallback");
    dns.serve(ISP_RESOLVER, () => []);
    await takeDown(dns);
    for (let i = 0; i < 4; i++) assert.equal(await resolve(dns), "code 2");
    assert.equal(
      healthIssues({}, dns.resolver.upstreams.state, 0)[0]!.detail.slice(0, 30),
      "No upstream resolver responds:",
    );
    dns.serve(back, respondWith("192.0.2.7"));
    const answers: string[] = [];
    for (let i = 0; i < 20 && answers.at(-1) !== "192.0.2.7"; i++) answers.push(await resolve(dns));
    assert.equal(answers.at(-1), "192.0.2.7", back);
    dns.resolver.close();
  }
});

Deno.test("as first choice, ISP resolvers are used, and the configured ones are the fallback", async () => {
  const dns = withIsp("first");
  assert.equal(await resolve(dns), "192.0.2.3");
  assert.equal(queriesTo(dns, DEFAULT_UPSTREAM), 0);
  dns.serve(ISP_RESOLVER, () => []);
  for (let i = 0; i < 3; i++) await resolve(dns);
  assert.equal(await resolve(dns), "192.0.2.1");
  assert.deepEqual(healthIssues({}, dns.resolver.upstreams.state, 0), []);
  dns.configure({ ispResolvers: [] });
  assert.equal(await resolve(dns), "192.0.2.1", "a lease without resolvers");
  dns.resolver.close();
});

Deno.test("ISP resolvers change with the uplink's lease, and the cache stays", async () => {
  const dns = withIsp("fallback");
  await dns.query("kept.example");
  await takeDown(dns);
  assert.equal(await resolve(dns), "192.0.2.3");
  const configured = () => dns.resolver.upstreams.state[0]!.resolvers[0]!;
  const { queries } = configured();
  // The uplink is down: there is no lease, and no resolver responds.
  dns.serve(ISP_RESOLVER, () => []);
  dns.configure({ ispResolvers: [] });
  assert.deepEqual(dns.resolver.upstreams.state.map(({ name }) => name), ["default", "family"]);
  assert.equal(configured().queries, queries, "the health of the configured ones stays");
  await dns.clock.advance(3_600_000);
  assert.equal(addressesOf(await dns.query("kept.example")), "192.0.2.1");
  await dns.clock.advance(10_000);
  dns.serve("203.0.113.54", respondWith("192.0.2.4"));
  for (const lease of [[ISP_RESOLVER], ["203.0.113.54"], ["203.0.113.54"]]) {
    dns.configure({ ispResolvers: lease });
  }
  assert.equal(await resolve(dns), "192.0.2.4");
  assert.ok(dns.resolver.cache.entries >= 2);
  dns.configure({ settings: settings("never") });
  assert.equal(dns.resolver.cache.entries, 0, "a change of settings flushes the cache");
  dns.resolver.close();
  await dns.clock.advance(10_000);
  assert.equal(dns.network.open, 0);
});

Deno.test("family clients, custom resolvers and the system resolver never use ISP resolvers", async () => {
  const clients = [
    dnsClient({ policies: ["dns", "dns:family"] }),
    dnsClient({ address: "192.168.2.10", identity: "b", custom: "9.9.9.10" }),
    dnsClient({ address: "192.168.2.14", identity: "c" }),
  ];
  for (const mode of ["first", "fallback"] as const) {
    const dns = withIsp(mode, { clients });
    dns.serve("9.9.9.10", respondWith("192.0.2.10"));
    assert.equal(await resolve(dns), "192.0.2.2");
    assert.equal(await resolve(dns, "192.168.2.10"), "192.0.2.10");
    for (const address of [FAMILY_UPSTREAM, "9.9.9.10", DEFAULT_UPSTREAM]) {
      dns.serve(address, () => []);
    }
    for (let i = 0; i < 4; i++) {
      assert.equal(await resolve(dns), "code 2");
      assert.equal(await resolve(dns, "192.168.2.10"), "code 2");
    }
    assert.equal(queriesTo(dns, ISP_RESOLVER), 0);
    dns.configure({ override: "9.9.9.99" });
    for (let i = 0; i < 4; i++) assert.equal(await resolve(dns, "192.168.2.14"), "code 2");
    assert.equal(queriesTo(dns, ISP_RESOLVER), 0);
    dns.resolver.close();
  }
});

Deno.test("an answer of the provider that leads home from outside is not resolve", async () => {
  const dns = withIsp("first");
  dns.serve(ISP_RESOLVER, respondWith("192.168.2.1"));
  assert.equal(await resolve(dns), "code 3");
  dns.resolver.close();
});
