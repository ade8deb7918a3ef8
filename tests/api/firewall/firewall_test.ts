import assert from "node:assert/strict";
import { type TestRouter, testRouter } from "../../kit/router.ts";

const FORWARD = {
  Protocol: "tcp",
  SrcIP: "0.0.0.0/0",
  SrcPort: "8080",
  DstIP: "192.168.2.10",
  DstPort: "443",
};
const BLOCK = { Protocol: "tcp", SrcIP: "192.168.2.6", DstIP: "8.8.8.8" };
const CUSTOM = {
  Interface: "docker0",
  SrcIP: "172.17.0.2",
  Policies: ["wan", "dns"],
  Groups: ["Lab"],
};
const ENDPOINT = { RuleName: "nas", Protocol: "tcp", IP: "10.99.0.1", Port: "443", Tags: ["NAS"] };

/** Every kind of rule: its path, a good body, the list that shows it, and the map that it fills. */
const KINDS: readonly (readonly [string, Record<string, unknown>, string, string])[] = [
  ["forward", FORWARD, "ForwardingRules", "nat tcpfwd"],
  ["block", BLOCK, "BlockRules", "nat block"],
  ["block_forward", { ...BLOCK, DstPort: "443" }, "ForwardingBlockRules", "filter fwd_block"],
  ["block_output", { ...BLOCK, DstPort: "443" }, "OutputBlockRules", "filter output_block"],
  ["service_port", { Protocol: "tcp", Port: "5201" }, "ServicePorts", "filter lan_tcp_accept"],
  ["multicast", { Port: "5353" }, "MulticastPorts", "filter multicast_lan_udp_accept"],
  ["custom_interface", CUSTOM, "CustomInterfaceRules", "filter fwd_iface_wan"],
];

function size(router: TestRouter, name: string): number {
  const [table, set] = name.split(" ");
  return router.engine.desired.ruleset.tables.find((one) => one.name === table)!
    .sets.find((one) => one.name === set)!.elements.size;
}

Deno.test("every kind of rule is added once, shown, in force, and deleted without a trace", async () => {
  await using router = await testRouter();
  for (const [path, body, list, map] of KINDS) {
    const before = size(router, map);
    const shown = await router.json<Record<string, unknown[]>>("GET", "/firewall/config");
    const put = await router.ask("PUT", `/firewall/${path}`, { body });
    assert.equal(put.status, 200, `${path}: ${await put.text()}`);
    assert.equal(put.headers.get("content-type"), null);
    assert.ok(put.headers.get("change-id"), path);
    assert.equal(size(router, map), before + 1, path);
    const again = await router.ask("PUT", `/firewall/${path}`, { body });
    assert.equal(again.status, 200, path);
    assert.equal(again.headers.get("change-id"), null, `${path}: nothing changed`);
    const now = await router.json<Record<string, unknown[]>>("GET", "/firewall/config");
    assert.equal(now[list]!.length, shown[list]!.length + 1, path);
    const stored = now[list]!.at(-1);
    const gone = await router.ask("DELETE", `/firewall/${path}`, { body: stored });
    assert.equal(gone.status, 200, `${path}: ${await gone.text()}`);
    assert.equal(size(router, map), before, path);
    assert.deepEqual(await router.json("GET", "/firewall/config"), shown);
    const twice = await router.ask("DELETE", `/firewall/${path}`, { body });
    assert.equal(twice.status, 404, path);
  }
});

Deno.test("GET /firewall/config of a new router has every list and an entity tag", async () => {
  await using router = await testRouter();
  const answer = await router.ask("GET", "/firewall/config");
  assert.match(answer.headers.get("etag") ?? "", /^"/);
  const config = await answer.json();
  for (
    const list of [
      ...["ForwardingRules", "BlockRules", "OutputBlockRules", "ForwardingBlockRules"],
      ...["CustomInterfaceRules", "Endpoints", "MulticastPorts"],
    ]
  ) assert.deepEqual(config[list], [], list);
  assert.deepEqual(config.ServicePorts.map((one: { Port: string }) => one.Port), [
    "22",
    "80",
    "443",
  ]);
  assert.deepEqual([config.PingLan, config.PingWan], [true, false]);
});

Deno.test("an endpoint is set by its name and opens itself to a device with its tag", async () => {
  await using router = await testRouter();
  const lease = await router.inside("dhcp", "PUT", "/dhcpRequest", {
    MAC: "02:00:00:00:00:0a",
    Iface: "lan0",
    Name: "a",
  });
  assert.equal(lease.status, 200);
  await router.ask("PUT", "/firewall/endpoint", { body: ENDPOINT });
  assert.equal(size(router, "filter ept_tcpfwd"), 0, "no device shares its tag");
  const identity = "/device?identity=02:00:00:00:00:0a";
  await router.ask("PUT", identity, { body: { DeviceTags: ["nas"] } });
  assert.equal(size(router, "filter ept_tcpfwd"), 1);
  await router.ask("PUT", "/firewall/endpoint", { body: { ...ENDPOINT, Disabled: true } });
  assert.equal(size(router, "filter ept_tcpfwd"), 0, "disabled");
  await router.ask("PUT", "/firewall/endpoint", { body: { ...ENDPOINT, Port: "any" } });
  assert.equal(size(router, "filter ept_tcpfwd"), 1);
  const config = await router.json<{ Endpoints: unknown[] }>("GET", "/firewall/config");
  assert.deepEqual(config.Endpoints, [{
    ...ENDPOINT,
    Port: "any",
    Tags: ["nas"],
    Domain: "",
    Description: "",
    Disabled: false,
  }]);
  const gone = await router.ask("DELETE", "/firewall/endpoint", { body: { RuleName: "nas" } });
  assert.equal(gone.status, 200);
  assert.equal(size(router, "filter ept_tcpfwd"), 0);
});

Deno.test("a custom interface makes the groups that it names", async () => {
  await using router = await testRouter();
  await router.ask("PUT", "/firewall/custom_interface", { body: CUSTOM });
  const groups = await router.json<{ Name: string }[]>("GET", "/groups");
  assert.deepEqual(groups.map((one) => one.Name), ["lab"]);
  assert.equal(size(router, "filter lab_src_access"), 1);
});

Deno.test("PUT /firewall/icmp needs both fields and moves the ping rules", async () => {
  await using router = await testRouter();
  for (
    const body of [{}, { PingLan: true }, { PingLan: "yes", PingWan: true }, { PingWan: null }]
  ) {
    assert.equal((await router.ask("PUT", "/firewall/icmp", { body })).status, 400);
  }
  const before = size(router, "filter ping_rules");
  const put = await router.ask("PUT", "/firewall/icmp", { body: { pinglan: true, pingwan: true } });
  assert.equal(put.status, 200);
  assert.equal(size(router, "filter ping_rules"), before + 1);
});

/** A path, what is wrong with its good body, and where and how that is said. */
const BAD: readonly (readonly [string, Record<string, unknown>, string, RegExp])[] = [
  ["forward", { SrcPort: "080" }, "/SrcPort", /port from 1 to 65535/],
  ["forward", { SrcPort: "0" }, "/SrcPort", /port from 1 to 65535/],
  ["forward", { DstPort: "70000" }, "/DstPort", /port from 1 to 65535/],
  ["forward", { SrcPort: "5-1" }, "/SrcPort", /write 1-5/],
  ["forward", { SrcPort: "1-2-3" }, "/SrcPort", /range such as/],
  ["forward", { SrcPort: "any " }, "/SrcPort", /or any/],
  ["forward", { SrcPort: 80 }, "/SrcPort", /port from 1 to 65535/],
  ["forward", { SrcIP: "203.0.113.5/24" }, "/SrcIP", /203\.0\.113\.0\/24/],
  ["forward", { SrcIP: "0.0.0.0" }, "/SrcIP", /write 0\.0\.0\.0\/0/],
  ["forward", { DstIP: "2001:db8::1" }, "/DstIP", /IPv4 only/],
  ["forward", { DstIP: "192.168.2.0/24" }, "/DstIP", /one address/],
  ["forward", { DstIP: "nas.lan" }, "/DstIP", /IPv4 address/],
  ["forward", { From: ["10.0.0.1/8"] }, "/From/0", /10\.0\.0\.0\/8/],
  ["forward", { Protocol: "icmp" }, "/Protocol", /tcp or udp/],
  ["block", { DstIP: "8.8.8.0/33" }, "/DstIP", /IPv4 address or network/],
  ["block", { SrcIP: "0.0.0.0" }, "/SrcIP", /write 0\.0\.0\.0\/0/],
  ["block", { SrcIP: "::/0" }, "/SrcIP", /IPv4 only/],
  ["block_forward", { DstPort: "1-70000" }, "/DstPort", /port from 1/],
  ["block_output", { DstPort: "x" }, "/DstPort", /port from 1/],
  ["service_port", { Protocol: "udp" }, "/Protocol", /tcp only/],
  ["service_port", { Port: "1-5" }, "/Port", /one port/],
  ["service_port", { Description: "a\nb" }, "/Description", /line breaks/],
  ["multicast", { Port: "0" }, "/Port", /one port/],
  ["custom_interface", { Interface: "eth0;reboot" }, "/Interface", /interface name/],
  ["custom_interface", { Interface: "$(id)" }, "/Interface", /interface name/],
  ["custom_interface", { Interface: "-x" }, "/Interface", /interface name/],
  ["custom_interface", { Interface: "a234567890123456" }, "/Interface", /15/],
  ["custom_interface", { Interface: "wan0" }, "/Interface", /uplink/],
  ["custom_interface", { Policies: ["admin"] }, "/Policies/0", /policy/],
  ["custom_interface", { RouteDst: "fe80::1" }, "/RouteDst", /IPv4/],
];

Deno.test("bad rules are refused with the place and what would be right, and nothing moves", async () => {
  await using router = await testRouter();
  const before = router.engine.desired;
  const good = new Map(KINDS.map(([path, body]) => [path, body]));
  for (const [path, wrong, pointer, message] of BAD) {
    const body = { ...good.get(path), ...wrong };
    const answer = await router.ask("PUT", `/firewall/${path}`, { body });
    const problem = await answer.json();
    assert.equal(
      answer.status,
      400,
      `${path} ${JSON.stringify(wrong)}: ${JSON.stringify(problem)}`,
    );
    assert.equal(problem.errors[0].pointer, pointer, JSON.stringify(problem));
    assert.match(problem.errors[0].message, message, JSON.stringify(wrong));
  }
  assert.equal(router.engine.desired, before);
});

Deno.test("names that are nft's own words are names like any other", async () => {
  await using router = await testRouter();
  for (const word of ["accept", "table", "drop", "map", "iif"]) {
    const body = { ...CUSTOM, Interface: word, Groups: [word] };
    const answer = await router.ask("PUT", "/firewall/custom_interface", { body });
    assert.equal(answer.status, 200, await answer.text());
  }
  assert.equal(router.engine.network.state, "model");
});

Deno.test("a contradicting forward is 409 and names the other one", async () => {
  await using router = await testRouter();
  await router.ask("PUT", "/firewall/forward", { body: { ...FORWARD, RuleName: "web" } });
  const other = { ...FORWARD, DstIP: "192.168.2.6" };
  const answer = await router.ask("PUT", "/firewall/forward", { body: other });
  assert.equal(answer.status, 409);
  const problem = await answer.json();
  assert.match(problem.detail, /192\.168\.2\.10.*web/);
  assert.equal(problem.rule.RuleName, "web");
});

Deno.test("If-Match, dryRun and undo hold for rules", async () => {
  await using router = await testRouter();
  const etag = (await router.ask("GET", "/firewall/config")).headers.get("etag")!;
  const dry = await router.json<{ config: unknown[]; system: string[] }>(
    "PUT",
    "/firewall/forward?dryRun=true",
    { body: FORWARD },
  );
  assert.ok(dry.system.some((line) => /tcpfwd.*8080/.test(line)), JSON.stringify(dry.system));
  assert.equal(dry.config.length, 1);
  const headers = { "if-match": etag };
  const put = await router.ask("PUT", "/firewall/forward", { body: FORWARD, headers });
  assert.equal(put.status, 200);
  const late = await router.ask("PUT", "/firewall/block", { body: BLOCK, headers });
  assert.equal(late.status, 412);
  const undo = await router.ask("PUT", `/changes/${put.headers.get("change-id")}/undo`);
  assert.equal(undo.status, 200, await undo.text());
  assert.equal(size(router, "nat tcpfwd"), 0);
});

Deno.test("thousands of rules come from a file, stay over a restart, and one more is taken", async () => {
  const rules = Array.from({ length: 4999 }, (_, i) => ({
    ...BLOCK,
    SrcIP: i % 2 ? "0.0.0.0/0" : `10.${i >> 8}.${i & 255}.0/24`,
    DstIP: i % 2 ? `198.51.${i >> 8}.${i & 255}` : "0.0.0.0/0",
    DstPort: "any",
  }));
  const files = { "base/firewall.json": { ForwardingBlockRules: rules, Unknown: { kept: true } } };
  const router = await testRouter({ files });
  assert.equal(size(router, "filter fwd_block") + size(router, "filter fwd_block_2"), 4999);
  const body = { ...BLOCK, DstPort: "1-100" };
  assert.equal((await router.ask("PUT", "/firewall/block_forward", { body })).status, 200);
  const full = await router.ask("PUT", "/firewall/block_forward", { body: BLOCK });
  assert.equal(full.status, 409);
  await using again = await router.reopen();
  const config = await again.json<{ ForwardingBlockRules: unknown[] }>("GET", "/firewall/config");
  assert.equal(config.ForwardingBlockRules.length, 5000);
  const file = JSON.parse(await Deno.readTextFile(`${again.home}/configs/base/firewall.json`));
  assert.deepEqual(file.Unknown, { kept: true });
});
