import assert from "node:assert/strict";
import fc from "fast-check";
import type { Config } from "../../../system/config.ts";
import { Problem } from "../../../system/core/errors/problem.ts";
import { dnsDocument } from "../../../system/dns/config/document.ts";
import { hostnamesDocument } from "../../../system/dns/local/hostname_document.ts";
import {
  deleteHostname as takeAny,
  type HostnameChange,
  hostnameOf as anyHostnameOf,
  setHostname as giveAny,
} from "../../../system/dns/local/hostname_rules.ts";
import {
  setDnsSettings,
  setSystemResolver,
  storedSettings,
  systemResolver,
} from "../../../system/dns/config/rules.ts";
import {
  DnsSettings,
  Hostname,
  LanAddress,
  type Provider,
} from "../../../system/dns/config/schema.ts";
import { DEFAULT_SETTINGS, DnsSettingsUpdate } from "../../../system/dns/config/settings_schema.ts";
import { Interface } from "../../../system/network/interfaces/schema.ts";
import { configWith, device, mac } from "../../kit/builders/device_config.ts";

const THREE = { UpstreamTLSHost: "dns.quad9.net", UpstreamIPAddress: "9.9.9.9", TlsDisable: false };

function sent(more: Readonly<Record<string, unknown>> = {}): DnsSettingsUpdate {
  return DnsSettingsUpdate.parse({ ...THREE, ...more });
}

function provider(address: string, host = "dns.example.org"): Provider {
  return { IPAddress: address, TLSHost: host, DisableTls: host === "" };
}

/** Names of the router. */
const OWN = ["localhost", "Gate", "gate.lan", "gate.local", "box.example.org", "*.example.net"];

function giveHostname(config: Config, name: string, give: HostnameChange) {
  return giveAny(config, name, { ...give, own: OWN });
}

function takeHostname(config: Config, name: string, address: string | undefined) {
  return takeAny(config, name, { address, own: OWN });
}

function hostnameOf(config: Config, name: string) {
  return anyHostnameOf(config, name, OWN);
}

function problem(status: number): (error: unknown) => boolean {
  return (error) => error instanceof Problem && error.status === status;
}

Deno.test("the three required fields alone make a list of one resolver", () => {
  const settings = storedSettings(sent(), DEFAULT_SETTINGS);
  assert.deepEqual(settings.UpstreamProviders, [provider("9.9.9.9", "dns.quad9.net")]);
  assert.deepEqual(settings.FamilyProviders, DEFAULT_SETTINGS.FamilyProviders);
});

Deno.test("the TLS setting is accepted under either name, and one of them is required", () => {
  const { TlsDisable: _, ...rest } = THREE;
  const plain = DnsSettingsUpdate.parse({ ...rest, DisableTls: true });
  assert.equal(storedSettings(plain, DEFAULT_SETTINGS).TlsDisable, true);
  assert.equal(DnsSettingsUpdate.safeParse(rest).success, false);
});

Deno.test("an unencrypted resolver keeps its unused TLS host name", () => {
  const settings = storedSettings(sent({ TlsDisable: true }), DEFAULT_SETTINGS);
  assert.equal(settings.UpstreamTLSHost, "dns.quad9.net");
  assert.deepEqual(settings.UpstreamProviders, [provider("9.9.9.9", "")]);
});

Deno.test("the first entry of a list fills the single fields", () => {
  const list = [provider("192.0.2.1"), provider("192.0.2.2", "")];
  const settings = storedSettings(sent({ UpstreamProviders: list }), DEFAULT_SETTINGS);
  assert.equal(settings.UpstreamIPAddress, "192.0.2.1");
  assert.equal(settings.UpstreamTLSHost, "dns.example.org");
  assert.deepEqual(settings.UpstreamProviders, list);
});

Deno.test("a client that knows no lists changes the first entry of the list it sends back", () => {
  const list = [provider("192.0.2.1"), provider("192.0.2.2")];
  const before = storedSettings(sent({ UpstreamProviders: list }), DEFAULT_SETTINGS);
  const back = DnsSettingsUpdate.parse({ ...before, ...THREE });
  const after = storedSettings(back, before);
  assert.deepEqual(after.UpstreamProviders, [
    provider("9.9.9.9", "dns.quad9.net"),
    provider("192.0.2.2"),
  ]);
});

Deno.test("settings sent back as they were read change nothing", () => {
  const address = fc.integer({ min: 1, max: 254 }).map((n) => `192.0.2.${n}`);
  const host = fc.constantFrom("", "dns.example.org", "one.example.net");
  const list = fc.uniqueArray(address, { minLength: 0, maxLength: 15 }).chain((addresses) =>
    fc.tuple(...addresses.map((one) => host.map((name) => provider(one, name))))
  );
  fc.assert(fc.property(
    fc.record({ up: list, kin: list, plain: fc.boolean(), family: fc.option(address) }),
    ({ up, kin, plain, family }) => {
      const once = storedSettings(
        sent({
          TlsDisable: plain,
          UpstreamProviders: up,
          FamilyProviders: kin,
          ...(family === null
            ? {}
            : { UpstreamFamilyIPAddress: family, UpstreamFamilyTLSHost: "kin.example.org" }),
        }),
        DEFAULT_SETTINGS,
      );
      assert.deepEqual(DnsSettings.parse(once), once);
      assert.deepEqual(storedSettings(DnsSettingsUpdate.parse(once), once), once);
      assert.deepEqual(dnsDocument.read(JSON.parse(JSON.stringify(once))), {
        value: once,
        rejected: [],
      });
    },
  ));
});

Deno.test("an invalid resolver is rejected", () => {
  const refused = [
    { UpstreamIPAddress: "0.0.0.0" },
    { UpstreamIPAddress: "224.0.0.1" },
    { UpstreamIPAddress: "dns.quad9.net" },
    { UpstreamIPAddress: "::ffff:9.9.9.9" },
    { UpstreamTLSHost: "" },
    { UpstreamTLSHost: "localhost" },
    { UpstreamTLSHost: "9.9.9.9" },
    { UpstreamTLSHost: `${"a".repeat(64)}.example.org` },
    { UpstreamTLSHost: "dns.example.org\n" + "nameserver" },
    { UpstreamProviders: [{ IPAddress: "9.9.9.9" }] },
    { UpstreamProviders: [{ IPAddress: "9.9.9.9", TLSHost: "a.example", DisableTls: true }] },
    { UpstreamProviders: Array.from({ length: 16 }, (_, i) => provider(`192.0.2.${i + 1}`)) },
    { UpstreamProviders: [provider("9.9.9.9"), provider("9.9.9.9", "")] },
    { UpstreamFamilyIPAddress: "1.1.1.3" },
  ];
  for (const one of refused) {
    assert.equal(
      DnsSettingsUpdate.safeParse({ ...THREE, ...one }).success,
      false,
      JSON.stringify(one),
    );
  }
  assert.equal(
    sent({ UpstreamTLSHost: "DNS.Quad9.net." }).UpstreamTLSHost,
    "dns.quad9.net",
  );
});

Deno.test("the router's own addresses are rejected as upstream resolvers", () => {
  const config = configWith();
  assert.throws(
    () => setDnsSettings(config, sent({ UpstreamIPAddress: "192.168.2.1" })),
    problem(400),
  );
  assert.throws(() => setSystemResolver(config, "192.168.2.1"), problem(400));
  // Its sides towards single devices, and what links were given.
  for (const own of ["192.168.2.5", "192.168.2.253", "203.0.113.2", "10.50.0.1"]) {
    const fixed = { Enabled: true, DisableDHCP: true, IP: "203.0.113.2/24" };
    const links = [
      Interface.parse({ Name: "eth0", Type: "Uplink", ...fixed }),
      Interface.parse({ Name: "eth1", Type: "Downlink", AdditionalIPs: [{ IP: "10.50.0.1/24" }] }),
    ];
    const home = { ...config, interfaces: links };
    assert.throws(() => setSystemResolver(home, own), problem(400), own);
    assert.throws(() => setDnsSettings(home, sent({ UpstreamIPAddress: own })), problem(400), own);
  }
  assert.doesNotThrow(
    () => setSystemResolver(config, "192.168.2.6"),
    "a device may be the resolver",
  );
  const [next] = setSystemResolver(config, "192.0.2.53");
  assert.equal(systemResolver(next), "192.0.2.53");
  assert.equal(setSystemResolver(next, "192.0.2.53")[0], next);
});

Deno.test("a settings file with an invalid resolver has it rejected, and the others used", () => {
  const { value, rejected } = dnsDocument.read({
    UpstreamProviders: [provider("9.9.9.9"), { IPAddress: "nobody" }, provider("9.9.9.9")],
    FamilyProviders: null,
  });
  assert.deepEqual(value.UpstreamProviders, [provider("9.9.9.9")]);
  assert.deepEqual(rejected.map(({ pointer }) => pointer), [
    "/UpstreamProviders/1",
    "/UpstreamProviders/2",
  ]);
  assert.throws(() => dnsDocument.read([]), problem(400));
  assert.throws(() => dnsDocument.read({}), problem(400));
});

Deno.test("a host name is letters, digits and hyphens, and lower case", () => {
  assert.equal(Hostname.parse(" Printer.LAN. "), "printer.lan");
  for (
    const bad of [
      "",
      ".",
      "a..b",
      "-a",
      "a-",
      "a_b",
      "*.lan",
      "a b",
      `${"a".repeat(64)}.lan`,
      "ä.lan",
    ]
  ) {
    assert.equal(Hostname.safeParse(bad).success, false, bad);
  }
  assert.equal(Hostname.safeParse(`${"a.".repeat(126)}a`).success, true);
  assert.equal(Hostname.safeParse(`${"a.".repeat(127)}a`).success, false);
});

Deno.test("the address of a local DNS record is private", () => {
  for (const good of ["10.0.0.1", "172.31.255.254", "192.168.0.9", "100.64.0.1", "fd00::5"]) {
    assert.equal(LanAddress.parse(good), good);
  }
  const bad = ["9.9.9.9", "127.0.0.1", "169.254.1.1", "0.0.0.0", "224.0.0.1", "172.32.0.1"];
  for (const one of [...bad, "100.128.0.1", "::1", "fe80::1", "2001:db8::1", "::", "lan"]) {
    assert.equal(LanAddress.safeParse(one).success, false, one);
  }
});

Deno.test("a local DNS record is created and deleted under its preconditions", () => {
  const start = configWith();
  const [one] = giveHostname(start, "printer.lan", { IPAddress: "192.168.2.6", CreateOnly: true });
  const again = { IPAddress: "192.168.2.7" };
  for (const own of ["gate", "gate.lan", "localhost", "box.example.org"]) {
    assert.throws(() => giveHostname(start, own, again), problem(409), own);
  }
  assert.throws(
    () => giveHostname(one, "printer.lan", { ...again, CreateOnly: true }),
    problem(409),
  );
  assert.throws(
    () => giveHostname(one, "printer.lan", { ...again, PreviousIPAddress: "192.168.2.9" }),
    problem(409),
  );
  assert.throws(
    () =>
      giveHostname(one, "printer.lan", {
        ...again,
        PreviousIPAddress: "192.168.2.6",
        CreateOnly: true,
      }),
    problem(400),
  );
  assert.throws(
    () => giveHostname(start, "printer.lan", { ...again, PreviousIPAddress: "192.168.2.6" }),
    problem(409),
  );
  assert.throws(() => giveHostname(one, "printer", again), problem(409));
  const [two] = giveHostname(one, "printer.lan", { ...again, PreviousIPAddress: "192.168.2.6" });
  assert.deepEqual(two.hostnames, [{ Hostname: "printer.lan", IPAddress: "192.168.2.7" }]);
  assert.equal(giveHostname(two, "printer.lan", again)[0], two);
  assert.throws(() => takeHostname(two, "printer.lan", "192.168.2.6"), problem(409));
  assert.throws(() => takeHostname(two, "other.lan", undefined), problem(404));
  assert.deepEqual(takeHostname(two, "printer.lan", "192.168.2.7")[0].hostnames, []);
});

Deno.test("a device's name counts as taken, may become a local DNS record, and returns after it", () => {
  const start = configWith({
    devices: { [mac(1)]: device(mac(1), { Name: "Anna's Laptop", RecentIP: "192.168.2.6" }) },
  });
  const name = "annas-laptop.lan";
  assert.deepEqual(hostnameOf(start, name), { Hostname: name, IPAddress: "192.168.2.6" });
  assert.equal(hostnameOf(start, "annas-laptop").IPAddress, "192.168.2.6");
  const elsewhere = { IPAddress: "192.168.2.9" };
  assert.throws(() => giveHostname(start, name, { ...elsewhere, CreateOnly: true }), problem(409));
  assert.throws(() => takeHostname(start, name, undefined), problem(409));
  const [given] = giveHostname(start, name, { ...elsewhere, PreviousIPAddress: "192.168.2.6" });
  assert.equal(hostnameOf(given, name).IPAddress, "192.168.2.9");
  const [taken] = takeHostname(given, name, "192.168.2.9");
  assert.equal(hostnameOf(taken, name).IPAddress, "192.168.2.6");
});

Deno.test("a name resolves in order to the router, a local DNS record, a device", () => {
  const written = configWith({
    devices: {
      [mac(1)]: device(mac(1), { Name: "gate", RecentIP: "192.168.2.6" }),
      [mac(2)]: device(mac(2), { Name: "nas", RecentIP: "192.168.2.10" }),
      [mac(3)]: device(mac(3), { Name: "tv", RecentIP: "192.168.2.14" }),
    },
    // As a file may say, which no route lets through.
    hostnames: [
      { Hostname: "gate.lan", IPAddress: "192.168.2.50" },
      { Hostname: "nas", IPAddress: "192.168.2.51" },
    ],
  });
  const lead = (name: string) => hostnameOf(written, name).IPAddress;
  for (const name of ["gate", "gate.lan", "box.example.org"]) {
    assert.equal(lead(name), "192.168.2.1", name);
  }
  for (const name of ["nas", "nas.lan"]) assert.equal(lead(name), "192.168.2.51", name);
  assert.equal(lead("tv"), "192.168.2.14");
  assert.throws(() => lead("gate.local"), problem(404), "multicast DNS answers for it");
  assert.throws(() => takeHostname(written, "box.example.org", undefined), problem(409));
  const [without] = takeHostname(written, "gate.lan", "192.168.2.50");
  assert.deepEqual(without.hostnames.map(({ Hostname }) => Hostname), ["nas"]);
  assert.throws(() => takeHostname(without, "gate.lan", undefined), problem(409));
  assert.throws(() => takeHostname(written, "nas.lan", "192.168.2.9"), problem(409));
});

Deno.test("local DNS records are sorted, and invalid or duplicate ones of a file rejected", () => {
  const { value, rejected } = hostnamesDocument.read([
    { Hostname: "b.lan", IPAddress: "192.168.2.6" },
    { Hostname: "a.lan", IPAddress: "192.168.2.10" },
    { Hostname: "B.lan", IPAddress: "192.168.2.14" },
    { Hostname: "b", IPAddress: "192.168.2.14" },
    { Hostname: "web.lan", IPAddress: "9.9.9.9" },
  ]);
  assert.deepEqual(value.map(({ Hostname }) => Hostname), ["a.lan", "b.lan"]);
  assert.deepEqual(rejected.map(({ pointer }) => pointer), ["/2", "/3", "/4"]);
});
