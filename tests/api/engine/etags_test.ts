import assert from "node:assert/strict";
import { digest } from "../../../system/core/config/json.ts";
import { type TestRouter, testRouter } from "../../kit/router.ts";

const CARD = "02:00:00:00:0a:01";

async function tagOf(router: TestRouter, method: string, path: string): Promise<string> {
  const answer = await router.ask(method, path);
  await answer.body?.cancel();
  return answer.headers.get("etag") ?? "";
}

Deno.test("an entity tag of the devices lets nobody try passwords offline", async () => {
  await using router = await testRouter();
  await router.json("PUT", `/device?identity=${CARD}`, {
    body: { PSKEntry: { Type: "sae", Psk: "a guessable one" } },
  });
  const tag = await tagOf(router, "GET", "/devices");
  assert.notEqual(tag, "");
  // What a reader without the second factor can compute of a right guess.
  assert.ok(!tag.includes(digest(router.engine.config.devices).slice(0, 22)));
});

Deno.test("entity tags stay over a restart", async () => {
  const before = await testRouter();
  await before.json("PUT", `/device?identity=${CARD}`, { body: { Name: "card" } });
  const tags = [
    await tagOf(before, "GET", "/devices"),
    await tagOf(before, "HEAD", `/device?identity=${CARD}`),
  ];
  await using after = await before.reopen();
  assert.equal(await tagOf(after, "GET", "/devices"), tags[0]);
  assert.equal(await tagOf(after, "HEAD", `/device?identity=${CARD}`), tags[1]);
});

Deno.test("a write that shares its transaction with others answers the tag of its own state", async () => {
  await using router = await testRouter();
  const names = ["one", "two", "three", "four"];
  const answers = await Promise.all(
    names.map((Name) => router.ask("PUT", "/groups", { body: { Name } })),
  );
  for (const answer of answers) await answer.body?.cancel();
  const tags = answers.map((answer) => answer.headers.get("etag"));
  assert.equal(new Set(tags).size, names.length);
  // Only who wrote last has seen everything: the tags of the others are of the past.
  const current = await tagOf(router, "GET", "/groups");
  assert.equal(tags.filter((tag) => tag === current).length, 1);
  const stale = tags.find((tag) => tag !== current)!;
  const lost = await router.ask("PUT", "/groups", {
    body: { Name: "one", Disabled: true },
    headers: { "if-match": stale },
  });
  await lost.body?.cancel();
  assert.equal(lost.status, 412);
});

Deno.test("of fifty writes on the same tag one passes", async () => {
  await using router = await testRouter();
  await router.ask("PUT", "/groups", { body: { Name: "contested" } });
  const tag = await tagOf(router, "GET", "/groups");
  const answers = await Promise.all(
    Array.from({ length: 50 }, (_, index) =>
      router.ask("PUT", "/groups", {
        body: { Name: `group ${index}` },
        headers: { "if-match": tag },
      })),
  );
  for (const answer of answers) await answer.body?.cancel();
  const statuses = answers.map(({ status }) => status);
  assert.equal(statuses.filter((status) => status === 200).length, 1);
  assert.equal(statuses.filter((status) => status === 412).length, 49);
  assert.equal(router.engine.config.groups.length, 2);
});

const BLOCK = "/plugins/dns/block", LOG = "/plugins/dns/log";

/** Where it is read, where it is set, its document, and what two admins make of it. */
type Case = readonly [string, string, string, readonly [unknown, unknown]];

/** Documents that are lists, or hold some. */
const LISTS: readonly Case[] = [
  ["/multicastSettings", "/multicastSettings", "multicast", [
    { Addresses: [{ Address: "239.1.1.1:4000" }] },
    { Addresses: [{ Address: "239.1.1.2:4000" }], Disabled: true },
  ]],
  [`${BLOCK}/config`, `${BLOCK}/override`, "dnsBlock", [
    { Type: "block", Domain: "ads.example." },
    { Type: "permit", Domain: "shop.example." },
  ]],
  [`${BLOCK}/config`, `${BLOCK}/blocklists`, "dnsBlock", [
    { URI: "https://lists.example/a.txt", Enabled: false },
    { URI: "https://lists.example/b.txt", Enabled: false },
  ]],
  [`${LOG}/host_privacy_list`, `${LOG}/host_privacy_list`, "dnsLog", [
    ["192.168.2.6"],
    ["192.168.2.10"],
  ]],
  ["/groups", "/groups", "groups", [{ Name: "kids" }, { Name: "guests" }]],
  ["/firewall/config", "/firewall/forward", "firewall", [
    {
      ...{ SrcIP: "0.0.0.0/0", SrcPort: "8080", DstIP: "192.168.2.6", DstPort: "80" },
      Protocol: "tcp",
    },
    {
      ...{ SrcIP: "0.0.0.0/0", SrcPort: "8443", DstIP: "192.168.2.6", DstPort: "443" },
      Protocol: "tcp",
    },
  ]],
];

Deno.test("of two admins who decide at once on what both have seen, one passes and one is refused", async () => {
  await using router = await testRouter();
  const settings = await router.json<Record<string, unknown>>("GET", "/dnsSettings");
  const account = { Iface: "wan0", Username: "me", Secret: "of the line", Enabled: true };
  const cases: readonly Case[] = [
    ["/interfacesConfiguration", "/link/config", "interfaces", [
      { Name: "lan0", Type: "Downlink", Enabled: true, MACRandomize: true },
      { Name: "lan1", Type: "Downlink", Enabled: false },
    ]],
    ["/interfacesConfiguration", "/uplink/ip", "interfaces", [
      { Name: "wan0", DisableDHCP: true, IP: "203.0.113.7/24", Router: "203.0.113.1" },
      { Name: "wan0", DisableDHCP: true, IP: "203.0.113.8/24", Router: "203.0.113.1" },
    ]],
    ["/interfacesConfiguration", "/link/vlan/lan1/enable", "interfaces", [undefined, undefined]],
    ["/wan/config", "/wan/config", "wan", [
      { Uplinks: [{ Iface: "wan0", Weight: 2 }] },
      { Uplinks: [{ Iface: "wan0", Weight: 5 }] },
    ]],
    ["/uplink/ppp", "/uplink/ppp", "ppp", [account, { ...account, Username: "you" }]],
    ["/subnetConfig", "/subnetConfig", "dhcp", [
      { TinyNets: ["192.168.2.0/24"], LeaseTime: "2h0m0s" },
      { TinyNets: ["192.168.2.0/24"], LeaseTime: "3h0m0s" },
    ]],
    ["/dnsSettings", "/dnsSettings", "dns", [
      { ...settings, UpstreamIPAddress: "9.9.9.9" },
      { ...settings, UpstreamIPAddress: "8.8.8.8" },
    ]],
  ];
  for (const [seen, path, part, bodies] of [...cases, ...LISTS]) {
    const tag = await tagOf(router, "GET", seen);
    assert.notEqual(tag, "", seen);
    const write = (body: unknown, query = "") =>
      router.ask("PUT", `${path}${query}`, {
        ...(body === undefined ? {} : { body }),
        headers: { "if-match": tag },
      });
    const preview = await write(bodies[1], "?dryRun=true");
    assert.equal(preview.status, 200, `${path}: ${await preview.text()}`);
    const answers = await Promise.all(bodies.map((body) => write(body)));
    const texts = await Promise.all(answers.map((answer) => answer.text()));
    assert.deepEqual(
      answers.map(({ status }) => status).toSorted(),
      [200, 412],
      `${path}: ${texts.join(" ")}`,
    );
    const stale = await write(bodies[1], "?dryRun=true");
    assert.equal(stale.status, 412, `${path}: ${part}: ${await stale.text()}`);
    const won = answers.find(({ status }) => status === 200)!;
    assert.equal(won.headers.get("etag"), await tagOf(router, "GET", seen), path);
  }
});

Deno.test("while one admin's change waits, another's is refused and named it; then it is known to be late", async () => {
  await using router = await testRouter();
  for (const [seen, path, , bodies] of LISTS) {
    const tag = await tagOf(router, "GET", seen);
    const write = (body: unknown, headers: Readonly<Record<string, string>>, query = "") =>
      router.ask("PUT", `${path}${query}`, { body, headers: { "if-match": tag, ...headers } });
    const both = await Promise.all(
      bodies.map(async (body) => (await write(body, {}, "?dryRun=true")).json()),
    );
    assert.ok(
      both.every(({ config, refusals }) => config.length > 0 && refusals.length === 0),
      path,
    );
    const first = await write(bodies[0], { "confirm-within": "60" });
    await first.body?.cancel();
    assert.equal(first.status, 200, path);
    const id = first.headers.get("change-id")!;
    const waits = await write(bodies[1], {});
    const problem = await waits.json();
    assert.deepEqual([waits.status, problem.change], [409, id], path);
    const confirmed = await router.ask("PUT", `/changes/${id}/confirm`);
    assert.equal(confirmed.status, 200, await confirmed.text());
    const late = await write(bodies[1], {});
    await late.body?.cancel();
    assert.equal(late.status, 412, path);
  }
});

Deno.test("what another admin changed again is not undone, in multicast and lists as well", async () => {
  await using router = await testRouter();
  const put = async (path: string, body: unknown): Promise<string> => {
    const answer = await router.ask("PUT", path, { body });
    assert.equal(answer.status, 200, `${path}: ${await answer.text()}`);
    return answer.headers.get("change-id")!;
  };
  const group = (Disabled: boolean) => ({ Addresses: [{ Address: "239.1.1.1:4000", Disabled }] });
  const hosts = `${LOG}/host_privacy_list`;
  const list = (Enabled: boolean) => ({ URI: "https://lists.example/a.txt", Enabled });
  for (
    const [path, one, other] of [
      ["/multicastSettings", group(false), group(true)],
      ["/groups", { Name: "kids" }, { Name: "kids", Disabled: true }],
      [`${BLOCK}/blocklists`, list(false), list(true)],
      [hosts, ["192.168.2.6"], []],
    ] as const
  ) {
    const first = await put(path, one);
    const second = await put(path, other);
    const refused = await router.ask("PUT", `/changes/${first}/undo`);
    const problem = await refused.json();
    assert.deepEqual([refused.status, problem.change], [409, second], path);
    const undone = await router.ask("PUT", `/changes/${second}/undo`);
    assert.equal(undone.status, 200, `${path}: ${await undone.text()}`);
  }
});
