import assert from "node:assert/strict";
import { hindrances } from "../../../system/dns/config/health_issues.ts";
import { DEFAULT_SETTINGS } from "../../../system/dns/config/settings_schema.ts";
import type { DnsSettings } from "../../../system/dns/config/schema.ts";
import type { DnsSnapshot } from "../../../system/dns/config/snapshot.ts";
import {
  addressesOf,
  answering,
  DnsBed,
  dnsClient,
  EVERYONE,
  FAMILY,
  servedDns,
} from "../../kit/dns/bed.ts";

const PROVIDER = "203.0.113.53";
const plain = (IPAddress: string) => ({ IPAddress, TLSHost: "", DisableTls: true });

function settings(mode: DnsSettings["ProviderResolvers"]): DnsSettings {
  return {
    ...DEFAULT_SETTINGS,
    UpstreamProviders: [plain(EVERYONE)],
    FamilyProviders: [plain(FAMILY)],
    ProviderResolvers: mode,
  };
}

/** A resolver at home with an uplink whose lease names a resolver. */
function leased(mode: DnsSettings["ProviderResolvers"], more: Partial<DnsSnapshot> = {}): DnsBed {
  const dns = servedDns({ settings: settings(mode), leased: [PROVIDER], ...more });
  dns.serve(PROVIDER, answering("192.0.2.3"));
  return dns;
}

let count = 0;
/** Asks for a name that nobody asked for before. */
async function told(dns: DnsBed, from = "192.168.2.6"): Promise<string> {
  return addressesOf(await dns.ask(`n${count++}.example`, 1, { wait: 6000, from }));
}

/** Asks until no resolver of the settings is taken for one that answers. */
async function exhausted(dns: DnsBed): Promise<void> {
  dns.outside.udpServers.delete(EVERYONE);
  dns.outside.tcpServers.delete(EVERYONE);
  for (let i = 0; i < 3; i++) await told(dns);
}

const askedOf = (dns: DnsBed, address: string): number =>
  dns.asked.filter((one) => one.startsWith(`${address} `)).length;

Deno.test("the provider's resolvers are asked nothing until people say so", async () => {
  const dns = leased("never");
  assert.equal(await told(dns), "192.0.2.1");
  await exhausted(dns);
  assert.equal(await told(dns), "code 2");
  assert.equal(askedOf(dns, PROVIDER), 0);
  assert.deepEqual(dns.resolver.upstreams.state.map(({ name }) => name), ["default", "family"]);
  dns.resolver.close();
});

Deno.test("as a fallback the provider's resolvers are asked while none of the named ones answers", async () => {
  const dns = leased("fallback");
  assert.equal(await told(dns), "192.0.2.1");
  let lost = 2;
  dns.serve(EVERYONE, (asked) => lost-- > 0 ? [] : answering("192.0.2.1")(asked));
  assert.equal(await told(dns), "192.0.2.1", "what is lost on its way goes to nobody else");
  assert.equal(askedOf(dns, PROVIDER), 0);
  await exhausted(dns);
  assert.equal(await told(dns), "192.0.2.3");
  const { state } = dns.resolver.upstreams;
  assert.deepEqual(state.map(({ name, resolvers }) => [name, resolvers[0]!.state]), [
    ["default", "down"],
    ["provider", "up"],
    ["family", "unknown"],
  ]);
  const [hindrance, ...others] = hindrances({}, state, 0);
  assert.match(hindrance!.detail, /of your provider are asked, in the open: No answer in time/);
  assert.deepEqual(others, []);
  // The named ones are asked again as soon as they answer, though the others would, too.
  dns.serve(EVERYONE, answering("192.0.2.1"));
  await dns.clock.advance(70_000);
  await told(dns);
  assert.equal(await told(dns), "192.0.2.1");
  const before = askedOf(dns, PROVIDER);
  for (let i = 0; i < 20; i++) assert.equal(await told(dns), "192.0.2.1");
  assert.equal(askedOf(dns, PROVIDER), before);
  dns.resolver.close();
  assert.equal(dns.outside.open, 0);
});

Deno.test("a clock that is wrong keeps nobody from names where the provider stands in", () => {
  const one = (state: "up" | "down", lastError: string | null) => ({
    ...{ address: EVERYONE, tlsHost: "dns.test", state, latency: null, connections: 0 },
    ...{ asked: 3, failed: 3, failures: state === "down" ? 3 : 0, lastError },
  });
  const groups = [
    { name: "default", resolvers: [one("down", "invalid peer certificate: Expired")] },
    { name: "provider", resolvers: [one("up", null)] },
  ];
  const { detail } = hindrances({}, groups, 0)[0]!;
  assert.match(detail, /those of your provider are asked, in the open: .* which shows 1970-01-01$/);
  assert.match(hindrances({}, groups.slice(0, 1), 0)[0]!.detail, /only names of time servers/);
});

Deno.test("where nobody answers, whoever comes back first is heard", async () => {
  for (const back of [EVERYONE, PROVIDER]) {
    const dns = leased("fallback");
    dns.serve(PROVIDER, () => []);
    await exhausted(dns);
    for (let i = 0; i < 4; i++) assert.equal(await told(dns), "code 2");
    assert.equal(
      hindrances({}, dns.resolver.upstreams.state, 0)[0]!.detail.slice(0, 28),
      "No resolver outside answers:",
    );
    dns.serve(back, answering("192.0.2.7"));
    const answers: string[] = [];
    for (let i = 0; i < 20 && answers.at(-1) !== "192.0.2.7"; i++) answers.push(await told(dns));
    assert.equal(answers.at(-1), "192.0.2.7", back);
    dns.resolver.close();
  }
});

Deno.test("asked first, the provider's resolvers stand before the named ones, which stand in for them", async () => {
  const dns = leased("first");
  assert.equal(await told(dns), "192.0.2.3");
  assert.equal(askedOf(dns, EVERYONE), 0);
  dns.serve(PROVIDER, () => []);
  for (let i = 0; i < 3; i++) await told(dns);
  assert.equal(await told(dns), "192.0.2.1");
  assert.deepEqual(hindrances({}, dns.resolver.upstreams.state, 0), []);
  dns.configure({ leased: [] });
  assert.equal(await told(dns), "192.0.2.1", "a lease without any");
  dns.resolver.close();
});

Deno.test("resolvers of leases come and go with the uplink, and what is remembered stays", async () => {
  const dns = leased("fallback");
  await dns.ask("kept.example");
  await exhausted(dns);
  assert.equal(await told(dns), "192.0.2.3");
  const named = () => dns.resolver.upstreams.state[0]!.resolvers[0]!;
  const { asked } = named();
  // The cable is out: there is no lease, and nobody answers.
  dns.serve(PROVIDER, () => []);
  dns.configure({ leased: [] });
  assert.deepEqual(dns.resolver.upstreams.state.map(({ name }) => name), ["default", "family"]);
  assert.equal(named().asked, asked, "what is known of the named ones stays");
  await dns.clock.advance(3_600_000);
  assert.equal(addressesOf(await dns.ask("kept.example")), "192.0.2.1");
  await dns.clock.advance(10_000);
  dns.serve("203.0.113.54", answering("192.0.2.4"));
  for (const lease of [[PROVIDER], ["203.0.113.54"], ["203.0.113.54"]]) {
    dns.configure({ leased: lease });
  }
  assert.equal(await told(dns), "192.0.2.4");
  assert.ok(dns.resolver.cache.entries >= 2);
  dns.configure({ settings: settings("never") });
  assert.equal(dns.resolver.cache.entries, 0, "a decision forgets what others answered");
  dns.resolver.close();
  await dns.clock.advance(10_000);
  assert.equal(dns.outside.open, 0);
});

Deno.test("family devices, devices with a resolver of their own and an override keep to theirs", async () => {
  const clients = [
    dnsClient({ policies: ["dns", "dns:family"] }),
    dnsClient({ address: "192.168.2.10", identity: "b", custom: "9.9.9.10" }),
    dnsClient({ address: "192.168.2.14", identity: "c" }),
  ];
  for (const mode of ["first", "fallback"] as const) {
    const dns = leased(mode, { clients });
    dns.serve("9.9.9.10", answering("192.0.2.10"));
    assert.equal(await told(dns), "192.0.2.2");
    assert.equal(await told(dns, "192.168.2.10"), "192.0.2.10");
    for (const address of [FAMILY, "9.9.9.10", EVERYONE]) dns.serve(address, () => []);
    for (let i = 0; i < 4; i++) {
      assert.equal(await told(dns), "code 2");
      assert.equal(await told(dns, "192.168.2.10"), "code 2");
    }
    assert.equal(askedOf(dns, PROVIDER), 0);
    dns.configure({ override: "9.9.9.99" });
    for (let i = 0; i < 4; i++) assert.equal(await told(dns, "192.168.2.14"), "code 2");
    assert.equal(askedOf(dns, PROVIDER), 0);
    dns.resolver.close();
  }
});

Deno.test("an answer of the provider that leads home from outside is not told", async () => {
  const dns = leased("first");
  dns.serve(PROVIDER, answering("192.168.2.1"));
  assert.equal(await told(dns), "code 3");
  dns.resolver.close();
});
