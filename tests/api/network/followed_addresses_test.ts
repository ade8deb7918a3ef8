import assert from "node:assert/strict";
import { type TestRouter, testRouter } from "../../kit/router.ts";
import type { Preview } from "../../../system/core/engine/change.ts";

const DNS = "/plugins/dns";
const SERVER = "02:00:00:00:00:0a", OTHER = "02:00:00:00:00:0b";

async function lease(router: TestRouter, mac: string, name: string): Promise<string> {
  const answer = await router.inside("dhcp", "PUT", "/dhcpRequest", {
    MAC: mac,
    Iface: "lan0",
    Name: name,
  });
  return (await answer.json()).IP;
}

async function put(router: TestRouter, path: string, body: unknown): Promise<void> {
  const answer = await router.ask("PUT", path, { body });
  assert.ok(answer.ok, `${path}: ${answer.status} ${await answer.text()}`);
}

/** Something of every kind that names an address, all about one. */
async function nameEverywhere(router: TestRouter, address: string): Promise<void> {
  const tcp = { Protocol: "tcp", SrcIP: "0.0.0.0/0" };
  await put(router, "/firewall/forward", {
    ...tcp,
    RuleName: "Web",
    SrcPort: "443",
    DstIP: address,
    DstPort: "443",
  });
  await put(router, "/firewall/forward", {
    ...tcp,
    RuleName: "From it",
    SrcPort: "8443",
    DstIP: "10.9.9.9",
    DstPort: "443",
    From: [address],
  });
  await put(router, "/firewall/block", { Protocol: "tcp", SrcIP: address, DstIP: "198.51.100.7" });
  await put(router, "/firewall/block_forward", {
    ...tcp,
    DstIP: address,
    DstPort: "22",
  });
  await put(router, "/firewall/block_output", { ...tcp, DstIP: address, DstPort: "25" });
  await put(router, "/firewall/endpoint", {
    RuleName: "printer",
    Protocol: "tcp",
    IP: address,
    Port: "631",
    Tags: ["print"],
  });
  await put(router, `${DNS}/block/override`, {
    Type: "block",
    Domain: "example.com",
    ClientIP: address,
  });
  await put(router, `${DNS}/block/exclusions`, address);
  await put(router, `${DNS}/log/host_privacy_list`, [address, "192.168.77.1"]);
  await put(router, "/dns/hostnames/files.lan", { IPAddress: address });
}

/** Every place in the configuration where an address stands, as paths. */
async function mentions(router: TestRouter, address: string): Promise<readonly string[]> {
  const found: string[] = [];
  const walk = (value: unknown, path: string): void => {
    if (value === address) found.push(path);
    else if (typeof value === "object" && value !== null) {
      for (const [name, member] of Object.entries(value)) walk(member, `${path}/${name}`);
    }
  };
  walk(await router.json("GET", "/firewall/config"), "firewall");
  walk(await router.json("GET", `${DNS}/block/config`), "block");
  walk(await router.json("GET", `${DNS}/log/host_privacy_list`), "log");
  walk(await router.json("GET", "/dns/hostnames"), "hostnames");
  return found;
}

const KINDS = 10;

Deno.test("rules about a device move with it to another address, and back with an undo", async () => {
  await using router = await testRouter();
  const address = await lease(router, SERVER, "nas");
  await nameEverywhere(router, address);
  const before = await mentions(router, address);
  assert.equal(before.length, KINDS);
  const path = `/device?identity=${SERVER}`, body = { RecentIP: "192.168.2.70" };
  const preview = await router.json<Preview>("PUT", `${path}&dryRun=true`, { body });
  assert.ok(preview.effects.includes("Port forward Web moves with nas to 192.168.2.70"));
  assert.ok(
    preview.effects.includes(
      "nas has no connection until it renews its lease and gets 192.168.2.70",
    ),
  );
  // Nothing else changes: what was hidden of it, blocked and opened is so at its new address.
  assert.equal(preview.effects.length, KINDS + 1, preview.effects.join("\n"));
  const answer = await router.ask("PUT", path, { body });
  await answer.body?.cancel();
  assert.deepEqual(await mentions(router, "192.168.2.70"), before);
  assert.deepEqual(await mentions(router, address), []);
  await put(router, `/changes/${answer.headers.get("change-id")}/undo`, undefined);
  assert.deepEqual(await mentions(router, address), before);
});

Deno.test("rules about a device end with it, and nobody else gets what they opened", async () => {
  await using router = await testRouter();
  const address = await lease(router, SERVER, "nas");
  await nameEverywhere(router, address);
  const before = await mentions(router, address);
  const path = `/device?identity=${SERVER}`;
  const preview = await router.json<Preview>("DELETE", `${path}&dryRun=true`);
  assert.ok(preview.effects.includes("Port forward Web is deleted with nas"));
  assert.deepEqual(preview.effects.filter((one) => /recorded/.test(one)), []);
  const gone = await router.ask("DELETE", path);
  await gone.body?.cancel();
  assert.deepEqual(await mentions(router, address), []);
  const config = await router.json<{ ForwardingRules: unknown[] }>("GET", "/firewall/config");
  assert.deepEqual(config.ForwardingRules, [], "one without sources would be open to everyone");

  // Its address goes to the next device, which has nothing of it; the undo gives it nothing either.
  assert.equal(await lease(router, OTHER, "other"), address);
  await put(router, `/changes/${gone.headers.get("change-id")}/undo`, undefined);
  const devices = await router.json<Record<string, { RecentIP: string }>>("GET", "/devices");
  assert.equal(devices[OTHER]?.RecentIP, address);
  assert.equal(devices[SERVER]?.RecentIP, "");
  assert.deepEqual(await mentions(router, address), []);

  // Without another device in between everything is back.
  await using other = await testRouter();
  await lease(other, SERVER, "nas");
  await nameEverywhere(other, address);
  const deleted = await other.ask("DELETE", path);
  await deleted.body?.cancel();
  await put(other, `/changes/${deleted.headers.get("change-id")}/undo`, undefined);
  assert.deepEqual((await mentions(other, address)).toSorted(), before.toSorted());
});

Deno.test("an undo brings a rule back for the device it was about, wherever that is now", async () => {
  await using router = await testRouter();
  const address = await lease(router, SERVER, "nas");
  const rule = {
    Protocol: "tcp",
    SrcIP: "0.0.0.0/0",
    SrcPort: "443",
    DstIP: address,
    DstPort: "443",
  };
  await put(router, "/firewall/forward", rule);
  const deleted = await router.ask("DELETE", "/firewall/forward", { body: rule });
  await deleted.body?.cancel();
  await put(router, `/device?identity=${SERVER}`, { RecentIP: "192.168.2.70" });
  assert.equal(await lease(router, OTHER, "other"), address);
  await put(router, `/changes/${deleted.headers.get("change-id")}/undo`, undefined);
  assert.deepEqual(await mentions(router, address), []);
  assert.equal((await mentions(router, "192.168.2.70")).length, 1);
});

Deno.test("an address that a rule names is given to no unknown device", async () => {
  await using router = await testRouter();
  const first = await lease(router, SERVER, "nas");
  const next = first.replace(/\d+$/, (last) => String(Number(last) + 4));
  await put(router, `${DNS}/block/exclusions`, next);
  assert.notEqual(await lease(router, OTHER, "other"), next);
});

Deno.test("networks and bare addresses move with a pool that is renumbered, devices at their renewal", async () => {
  await using router = await testRouter();
  const address = await lease(router, SERVER, "nas");
  await nameEverywhere(router, address);
  const block = { Protocol: "tcp", SrcIP: "192.168.2.0/24", DstIP: "192.168.2.201" };
  await put(router, "/firewall/block", block);
  const subnets = await router.json<Record<string, unknown>>("GET", "/subnetConfig");
  const body = { ...subnets, TinyNets: ["192.168.9.0/24"] };
  const preview = await router.json<Preview>("PUT", "/subnetConfig?dryRun=true", { body });
  assert.ok(preview.effects.includes("Port forward Web moves with nas when it renews its address"));
  await put(router, "/subnetConfig", body);
  const { BlockRules } = await router.json<{ BlockRules: Record<string, string>[] }>(
    "GET",
    "/firewall/config",
  );
  assert.deepEqual(
    BlockRules.map(({ SrcIP, DstIP }) => [SrcIP, DstIP]),
    [[address, "198.51.100.7"], ["192.168.9.0/24", "192.168.9.201"]],
  );
  const renewed = await lease(router, SERVER, "nas");
  assert.match(renewed, /^192\.168\.9\./);
  assert.deepEqual(await mentions(router, address), []);
  assert.equal((await mentions(router, renewed)).length, KINDS);
});

Deno.test("an upstream resolver and an access test follow their device, and keep its address when it goes", async () => {
  await using router = await testRouter();
  const address = await lease(router, SERVER, "pihole");
  await put(router, "/dnsSettings", {
    UpstreamProviders: [
      { IPAddress: address, DisableTls: true, TLSHost: "" },
      { IPAddress: "9.9.9.9", DisableTls: false, TLSHost: "dns.quad9.net" },
    ],
  });
  await put(router, "/reach/tests", {
    Name: "resolver",
    From: "router",
    To: address,
    Protocol: "udp",
    Port: "53",
    Expect: "accept",
  });
  const named = () => {
    const { dns, reachTests } = router.engine.config;
    return [dns.UpstreamIPAddress, dns.UpstreamProviders[0]?.IPAddress, reachTests[0]?.To];
  };
  const path = `/device?identity=${SERVER}`;
  await put(router, path, { RecentIP: "192.168.2.70" });
  assert.deepEqual(named(), ["192.168.2.70", "192.168.2.70", "192.168.2.70"]);
  const { effects } = await router.json<Preview>("DELETE", `${path}&dryRun=true`);
  assert.deepEqual(effects.filter((one) => /deleted|moves/.test(one)), []);
  assert.ok(
    effects.includes(
      "Upstream DNS server 192.168.2.70 keeps the address of pihole, which no unknown device gets",
    ),
    effects.join(),
  );
  await (await router.ask("DELETE", `${path}&force=true`)).body?.cancel();
  assert.equal(router.engine.config.devices[SERVER], undefined);
  assert.deepEqual(named(), ["192.168.2.70", "192.168.2.70", "192.168.2.70"]);
  // A device that got this address would answer the DNS queries of all others.
  const { TinyNets } = router.engine.config.dhcp;
  const given = await Promise.all(
    Array.from(
      { length: 20 },
      (_, n) => lease(router, `02:00:00:00:00:${(0x20 + n).toString(16)}`, ""),
    ),
  );
  assert.equal(TinyNets.length, 1);
  assert.ok(!given.includes("192.168.2.70"), given.join());
});

Deno.test("web addresses of dynamic DNS follow their device, and no other device gets its credentials", async () => {
  await using router = await testRouter();
  const address = await lease(router, SERVER, "nas");
  const number = address.split(".").reduce((sum, part) => sum * 256 + Number(part), 0);
  await put(router, "/plugins/dyndns/config", {
    provider: "Custom",
    login_token: "a token",
    domains: [{ domain_name: "example.org", sub_domains: [] }],
    ip_urls: ["https://ip.example", `http://${address}:8080/ip?of=${address}`],
    update_url: `http://${number}/set?host={host}&ip={ip}&key={token}`,
  });
  const stored = () => router.engine.config.dyndns;
  const path = `/device?identity=${SERVER}`, to = "192.168.2.70";
  await put(router, path, { RecentIP: to });
  assert.deepEqual(stored().ip_urls, ["https://ip.example", `http://${to}:8080/ip?of=${address}`]);
  assert.equal(stored().update_url, `http://${to}/set?host={host}&ip={ip}&key={token}`);
  const preview = await router.json<Preview>("DELETE", `${path}&dryRun=true`);
  const page = `http://${to}:8080/ip?of=${address}`;
  for (const what of [`page ${page}`, "update address"]) {
    assert.ok(preview.effects.includes(`Dynamic DNS ${what} is deleted with nas`));
  }
  const gone = await router.ask("DELETE", path);
  await gone.body?.cancel();
  const { ip_urls, update_url, provider } = stored();
  assert.deepEqual([ip_urls, update_url, provider], [["https://ip.example"], "", ""]);
  await put(router, `/changes/${gone.headers.get("change-id")}/undo`, undefined);
  assert.equal(stored().update_url, `http://${to}/set?host={host}&ip={ip}&key={token}`);
  assert.notEqual(await lease(router, OTHER, "other"), to, "an address that is named");
});

Deno.test("a channel of alerts follows its server, and no other device is sent alerts or credentials", async () => {
  await using router = await testRouter();
  const address = await lease(router, SERVER, "nas");
  const channel = { localNetwork: true };
  const mail = { security: "none", from: "router@example.org", to: ["anna@example.org"] };
  await put(router, "/alerts/channels", {
    ...{ ...channel, name: "hook", kind: "webhook", url: `http://${address}:9000/alerts?key=1` },
    secret: "a key of a signature, long enough for that",
  });
  await put(router, "/alerts/channels", {
    ...{ ...channel, name: "mail", kind: "email", host: address },
    ...mail,
  });
  const places = () => router.engine.config.alertChannels.map(({ url, host }) => url || host);
  const path = `/device?identity=${SERVER}`, to = "192.168.2.70";
  await put(router, path, { RecentIP: to });
  assert.deepEqual(places(), [`http://${to}:9000/alerts?key=1`, to]);
  const preview = await router.json<Preview>("DELETE", `${path}&dryRun=true`);
  for (const name of ["hook", "mail"]) {
    assert.ok(preview.effects.includes(`Alert channel ${name} is deleted with nas`));
  }
  const gone = await router.ask("DELETE", path);
  await gone.body?.cancel();
  assert.deepEqual(places(), []);
  await put(router, `/changes/${gone.headers.get("change-id")}/undo`, undefined);
  assert.equal(places().length, 2);
});
