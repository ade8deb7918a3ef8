import assert from "node:assert/strict";
import {
  interfaceRules,
  openPorts,
  siteRoutes,
  tunnelLinks,
  tunnelMtu,
} from "../../../system/wireguard/plan.ts";
import { DEFAULT_WIREGUARD, Site } from "../../../system/wireguard/schema.ts";
import { configWith, device, KEY, OTHER_KEY } from "../../kit/builders/device_config.ts";
import { desire } from "../../../system/network/plan.ts";
import { memoryHost } from "../../../system/host/memory/host.ts";

const PRIVATE = "dwdtCnMYpX08FsFyUbJmRd9ML4frwJkqXAf7pCXalCo=";

function site(fields: Partial<Site> = {}): Site {
  return Site.parse({
    Name: "Cabin",
    Interface: "site0",
    PrivateKey: PRIVATE,
    ListenPort: 51281,
    PeerPublicKey: OTHER_KEY,
    Networks: ["192.168.7.0/24"],
    ...fields,
  });
}

const facts = await memoryHost().facts();
const link = (name: string) => ({
  ...facts.links[0],
  ...{ name, index: 90, mac: null, up: true, running: true, kind: null },
});

Deno.test("the MTU fits the smallest uplink, is never below what IPv6 needs, and can be chosen", () => {
  assert.equal(tunnelMtu(0, []), 1420);
  assert.equal(tunnelMtu(0, [{ mtu: null, linkMtu: 1500 }, { mtu: 1492, linkMtu: 1500 }]), 1412);
  assert.equal(tunnelMtu(0, [{ mtu: 1300, linkMtu: 1500 }]), 1280);
  assert.equal(tunnelMtu(0, [{ mtu: null, linkMtu: 9000 }]), 1420);
  assert.equal(tunnelMtu(1380, [{ mtu: 1300, linkMtu: 1500 }]), 1380);
});

Deno.test("a peer is bound to the tunnel by its address, without a MAC address", () => {
  const peer = { PublicKey: KEY, PresharedKey: "", PersistentKeepalive: 0 };
  const config = configWith({
    devices: { [KEY]: device(KEY, { RecentIP: "192.168.2.14", Policies: ["wan"] }) },
    wireguard: { ...DEFAULT_WIREGUARD, Enabled: true, PrivateKey: PRIVATE, Peers: [peer] },
  });
  const present = { ...facts, links: [...facts.links, link("wg0")] };
  const { ruleset, addresses, neighbours, links } = desire(config, { devices: {} }, present);
  const set = (name: string) => [
    ...ruleset.tables.find((table) => table.name === "filter")!.sets
      .find((one) => one.name === name)!.elements.keys(),
  ];
  assert.deepEqual(set("wireguard_filter"), ["192.168.2.14 . wg0"]);
  assert.deepEqual(set("internet_access"), ["192.168.2.14 . wg0"]);
  assert.deepEqual(set("ethernet_filter"), []);
  assert.deepEqual(set("lan_interfaces"), ["lan0", "wg0"]);
  assert.ok(addresses.some((one) => one.link === "wg0" && one.address === "192.168.2.13/30"));
  assert.deepEqual(neighbours, []);
  assert.deepEqual(links.find(({ name }) => name === "wg0"), {
    name: "wg0",
    create: null,
    mtu: 1420,
    up: true,
  });
  const absent = desire(config, { devices: {} }, facts);
  assert.ok(!absent.links.some(({ name }) => name === "wg0"), "the tunnel is made elsewhere");
});

Deno.test("a site that is off, or whose network the router is in by now, has no route", () => {
  const wireguard = { ...DEFAULT_WIREGUARD, Sites: [site()] };
  const present = { ...facts, links: [...facts.links, link("site0")], addresses: [] };
  assert.deepEqual(siteRoutes({ wireguard }, present), [
    { destination: "192.168.7.0/24", via: null, link: "site0" },
  ]);
  assert.deepEqual(siteRoutes({ wireguard }, { ...present, links: [] }), []);
  const leased = { ...present, addresses: [{ link: "wan0", address: "192.168.7.9/24" }] };
  assert.deepEqual(siteRoutes({ wireguard }, leased), []);
  const off = { ...DEFAULT_WIREGUARD, Sites: [site({ Enabled: false })] };
  assert.deepEqual(siteRoutes({ wireguard: off }, present), []);
  assert.deepEqual(tunnelLinks({ wireguard: off }, present, []), []);
  assert.deepEqual(openPorts(off), []);
  assert.deepEqual(interfaceRules(configWith({ wireguard: off })), []);
});
