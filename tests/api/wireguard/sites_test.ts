import assert from "node:assert/strict";
import type * as z from "zod";
import { publicKeyOf } from "../../../system/wireguard/keys.ts";
import type { SiteAnswer, SiteOutcome } from "../../../system/wireguard/wire.ts";
import { KEY, OTHER_KEY } from "../../kit/builders/device_config.ts";
import { type TestRouter, testRouter } from "../../kit/router.ts";

const PATH = "/plugins/wireguard";
type Outcome = z.output<typeof SiteOutcome>;
type Site = z.output<typeof SiteAnswer>;

const set = (router: TestRouter, body: unknown) =>
  router.json<Outcome>("PUT", `${PATH}/site`, { body });

async function refused(router: TestRouter, body: unknown, path = "/site") {
  const answer = await router.ask("PUT", `${PATH}${path}`, { body });
  return { status: answer.status, text: await answer.text() };
}

Deno.test("a site opens its port, its routes and what its policies allow", async () => {
  await using router = await testRouter();
  const body = {
    Name: "Cabin",
    Networks: ["192.168.7.0/24"],
    Policies: ["lan"],
    Groups: ["family"],
  };
  const { Site, Config } = await set(router, body);
  assert.equal(Site.Interface, "site0");
  assert.equal(Site.ListenPort, 51281);
  assert.deepEqual([Site.PrivateKey, Site.PresharedKey], ["**", "**"]);
  assert.match(Config, /^AllowedIPs = 192\.168\.2\.0\/24$/m);
  assert.match(Config, /^Endpoint = 203\.0\.113\.2:51281$/m);
  const theirs = /^PrivateKey = (.+)$/m.exec(Config)![1]!;
  assert.equal(publicKeyOf(theirs), Site.PeerPublicKey);
  assert.ok(Config.includes(`PublicKey = ${Site.PublicKey}`));
  const tables = router.engine.desired.ruleset.tables;
  const filter = tables.find(({ name }) => name === "filter")!;
  const elements = (
    name: string,
  ) => [...filter.sets.find((one) => one.name === name)!.elements.keys()];
  assert.deepEqual(elements("custom_interfaces"), ["site0 . 192.168.7.0/24"]);
  assert.deepEqual(elements("fwd_iface_lan"), ["site0 . 192.168.7.0/24"]);
  assert.deepEqual(elements("vpn_udp_accept"), ["51281"]);
  const groups = await router.json<{ Name: string }[]>("GET", "/groups");
  assert.ok(groups.some(({ Name }) => Name === "family"));
});

Deno.test("the file of one router is taken by the other, and both tunnels fit", async () => {
  await using ours = await testRouter();
  await using theirs = await testRouter({
    files: { "base/dhcp.json": { TinyNets: ["192.168.7.0/24"], LeaseTime: "24h0m0s" } },
  });
  const pool = theirs.engine.config.dhcp.TinyNets[0]!;
  if (pool !== "192.168.7.0/24") {
    await theirs.json("PUT", "/subnetConfig", {
      body: { TinyNets: ["192.168.7.0/24"], LeaseTime: "24h0m0s" },
    });
  }
  const { Site, Config } = await set(ours, { Name: "Cabin", Networks: ["192.168.7.0/24"] });
  const taken = await theirs.json<Outcome>("PUT", `${PATH}/site/import`, {
    body: { Name: "Home", Config, Groups: ["family"] },
  });
  assert.equal(taken.Config, "");
  assert.equal(taken.Site.PublicKey, Site.PeerPublicKey);
  assert.equal(taken.Site.PeerPublicKey, Site.PublicKey);
  assert.equal(taken.Site.Endpoint, "203.0.113.2:51281");
  assert.equal(taken.Site.ListenPort, 0);
  assert.deepEqual(taken.Site.Networks, ["192.168.2.0/24"]);
  const [mine, other] = [ours, theirs].map(({ engine }) => engine.config.wireguard.Sites[0]!);
  assert.equal(mine!.PresharedKey, other!.PresharedKey);
});

Deno.test("networks that overlap are refused before anything is applied, with both named", async () => {
  await using router = await testRouter();
  await set(router, { Name: "Cabin", Networks: ["192.168.7.0/24"] });
  const bad: readonly (readonly [string, RegExp])[] = [
    ["192.168.2.0/24", /192\.168\.2\.0\/24, which is a LAN subnet/],
    ["192.168.0.0/16", /192\.168\.2\.0\/24/],
    ["203.0.113.128/25", /the uplink wan0/],
    ["192.168.7.128/25", /behind the site Cabin/],
  ];
  for (const [network, label] of bad) {
    const { status, text } = await refused(router, { Name: "Shop", Networks: [network] });
    assert.equal(status, 409, text);
    assert.match(text, label);
    assert.match(text, /\/Networks\/0/);
  }
  for (
    const network of ["0.0.0.0/0", "10.0.0.0/7", "192.168.9.1/24", "224.0.0.0/8", "fd00::/8", ""]
  ) {
    const { status, text } = await refused(router, { Name: "Shop", Networks: [network] });
    assert.equal(status, 400, `${network} ${text}`);
  }
  const inside = await refused(router, {
    Name: "Shop",
    Networks: ["10.7.0.0/16"],
    Endpoint: "10.7.0.1:51280",
  });
  assert.match(inside.text, /behind the tunnel itself/);
  const twice = ["10.7.0.0/16", "10.7.9.0/24"];
  assert.equal((await refused(router, { Name: "Shop", Networks: twice })).status, 400);
  const pools = await router.ask("PUT", "/subnetConfig", {
    body: { TinyNets: ["192.168.7.0/24"], LeaseTime: "24h0m0s" },
  });
  assert.equal(pools.status, 409);
  assert.match(await pools.text(), /overlaps 192\.168\.7\.0\/24/);
});

Deno.test("keys and ports of sites keep clear of each other's and of the peers'", async () => {
  await using router = await testRouter();
  await router.json("PUT", `${PATH}/peer`, { body: { PublicKey: KEY } });
  const { Site } = await set(router, { Name: "Cabin", Networks: ["10.7.0.0/16"] });
  const more = { Name: "Shop", Networks: ["10.8.0.0/16"] };
  const bad: readonly (readonly [unknown, number, RegExp])[] = [
    [{ ...more, PeerPublicKey: KEY }, 409, /key of a VPN peer/],
    [{ ...more, PeerPublicKey: Site.PeerPublicKey }, 409, /key of the site Cabin/],
    [{ ...more, PeerPublicKey: Site.PublicKey }, 400, /a key of this router/],
    [{ ...more, ListenPort: 51280 }, 400, /VPN of this router/],
    [{ ...more, ListenPort: Site.ListenPort }, 400, /The site Cabin/],
    [{ ...more, ListenPort: 65536 }, 400, /\/ListenPort/],
    [{ ...more, Endpoint: "cabin.example" }, 400, /\/Endpoint.*port/],
    [{ ...more, ListenPort: 0 }, 400, /must be reachable/],
    [{ Name: "Shop" }, 400, /\/Networks/],
    [{ ...more, Policies: ["quarantine"] }, 400, /\/Policies/],
  ];
  for (const [body, status, text] of bad) {
    const answer = await refused(router, body);
    assert.equal(answer.status, status, `${JSON.stringify(body)} ${answer.text}`);
    assert.match(answer.text, text);
  }
  const peer = await router.ask("PUT", `${PATH}/peer`, {
    body: { PublicKey: Site.PeerPublicKey },
  });
  assert.equal(peer.status, 409);
  assert.match(await peer.text(), /key of the site Cabin/);
  const port = await router.ask("PUT", `${PATH}/settings`, {
    body: { ListenPort: Site.ListenPort },
  });
  assert.match(await port.text(), /The site Cabin uses port/);
});

Deno.test("a site is changed by its name, keeps its keys, and goes with its tunnel", async () => {
  await using router = await testRouter();
  await set(router, { Name: "Cabin", Networks: ["10.7.0.0/16"], PeerPublicKey: OTHER_KEY });
  const before = router.engine.config.wireguard.Sites[0]!;
  const { Config } = await set(router, { Name: "Cabin", Endpoint: "cabin.example:4500" });
  assert.equal(Config, "", "the other router has its own key");
  const after = router.engine.config.wireguard.Sites[0]!;
  assert.deepEqual(after, { ...before, Endpoint: "cabin.example:4500" });
  await set(router, { Name: "Cabin", Enabled: false });
  const [listed] = await router.json<Site[]>("GET", `${PATH}/sites`);
  assert.equal(listed!.Enabled, false);
  const gone = await router.ask("DELETE", `${PATH}/site`, { body: { Name: "Cabin" } });
  assert.equal(await gone.json(), true);
  assert.deepEqual(await router.json("GET", `${PATH}/sites`), []);
});
