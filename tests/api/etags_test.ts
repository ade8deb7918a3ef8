import assert from "node:assert/strict";
import { digest } from "../../system/core/json.ts";
import { type TestRouter, testRouter } from "../kit/router.ts";

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

Deno.test("of two admins who decide at once on what both have seen, one passes and one is told", async () => {
  await using router = await testRouter();
  const settings = await router.json<Record<string, unknown>>("GET", "/dnsSettings");
  const account = { Iface: "wan0", Username: "me", Secret: "of the line", Enabled: true };
  const cases: readonly (readonly [string, string, string, readonly [unknown, unknown]])[] = [
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
  for (const [seen, path, part, bodies] of cases) {
    const tag = await tagOf(router, "GET", seen);
    assert.notEqual(tag, "", seen);
    const asked = (body: unknown, query = "") =>
      router.ask("PUT", `${path}${query}`, {
        ...(body === undefined ? {} : { body }),
        headers: { "if-match": tag },
      });
    const preview = await asked(bodies[1], "?dryRun=true");
    assert.equal(preview.status, 200, `${path}: ${await preview.text()}`);
    const answers = await Promise.all(bodies.map((body) => asked(body)));
    const texts = await Promise.all(answers.map((answer) => answer.text()));
    assert.deepEqual(
      answers.map(({ status }) => status).toSorted(),
      [200, 412],
      `${path}: ${texts.join(" ")}`,
    );
    const stale = await asked(bodies[1], "?dryRun=true");
    assert.equal(stale.status, 412, `${path}: ${part}: ${await stale.text()}`);
    const won = answers.find(({ status }) => status === 200)!;
    assert.equal(won.headers.get("etag"), await tagOf(router, "GET", seen), path);
  }
});
