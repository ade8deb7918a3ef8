import assert from "node:assert/strict";
import type { Config } from "../../../system/config.ts";
import type { Observations, UplinkObservation } from "../../../system/core/engine/change.ts";
import { networkPlanner } from "../../../system/network/planner.ts";
import { DEFAULT_UPLINK_SETTINGS } from "../../../system/uplink/schema.ts";
import { facts, LEASED, rulesOf, seen, two } from "../../kit/lab/leased_uplinks.ts";
import { link, network } from "../../kit/builders/small_network.ts";

const planner = networkPlanner();

function weighed(Balance: Config["wan"]["Balance"], ...shares: readonly [string, number][]) {
  const Uplinks = shares.map(([Iface, Weight]) => ({ Iface, Weight }));
  return two({ wan: { ...DEFAULT_UPLINK_SETTINGS, Balance, Uplinks } });
}

Deno.test("uplinks get new connections by weight, in the configured order", () => {
  const spread = (config: Config, observed = seen()) =>
    /ct mark set (.*) comment/.exec(rulesOf(config, observed)[2]!)![1];
  const three = weighed("pair", ["eth2", 3]);
  assert.equal(
    spread(three),
    "jhash ip saddr . ip daddr mod 4 map { 0-2 : 201, 3 : 200 }",
  );
  const desired = planner.desire(three, seen(), facts());
  assert.deepEqual(desired.routes, [{ destination: "default", via: "100.64.5.1", link: "eth2" }]);
  assert.deepEqual(
    desired.policyRouting?.routes.map(({ table, link }) => [table, link]).toSorted(),
    [[200, "eth0"], [201, "eth2"]],
    "a table stays an uplink's own, so that what is open goes on",
  );
  assert.equal(
    spread(weighed("source", ["eth0", 100], ["eth2", 99])),
    "jhash ip saddr mod 199 map { 0-99 : 200, 100-198 : 201 }",
  );
  assert.equal(
    spread(weighed("connection", ["eth0", 2], ["eth2", 1])),
    "numgen random mod 3 map { 0-1 : 200, 2 : 201 }",
  );
  assert.equal(spread(weighed("off", ["eth2", 1], ["eth0", 9])), "201");
});

Deno.test("a standby gets connections only while no other uplink is up", () => {
  const config = weighed("pair", ["eth2", 0]);
  const first = (observed: Observations) =>
    planner.desire(config, observed, facts()).routes[0]!.link;
  assert.match(rulesOf(config)[2]!, / ct mark set 200 /);
  assert.equal(first(seen()), "eth0", "the router itself does not use it either");
  const dead = seen({ eth0: { lease: null, down: true }, ...LEASED });
  assert.match(rulesOf(config, dead)[2]!, / ct mark set 201 /);
  assert.equal(first(dead), "eth2");
  const spares = weighed("pair", ["eth2", 0], ["eth0", 0]);
  assert.match(rulesOf(spares)[2]!, / ct mark set 201 /, "of spares alone the first");
});

Deno.test("an interface gets its own MTU back once no lease sets one", () => {
  const size = (
    type: "Uplink" | "Downlink",
    observed: UplinkObservation,
    AcceptSmallMTU = false,
  ) => {
    const config = network({}, {
      interfaces: [link("eth2", type), link("eth1", "Downlink")],
      wan: { ...DEFAULT_UPLINK_SETTINGS, AcceptSmallMTU },
    });
    const desired = planner.desire(config, seen({ eth2: observed }), facts());
    return desired.links.find(({ name }) => name === "eth2")?.mtu;
  };
  const { eth2 } = LEASED;
  assert.equal(size("Uplink", { ...eth2, ownMtu: 9000 }), 1400);
  assert.equal(size("Uplink", { lease: null, down: false, ownMtu: 9000 }), 9000);
  assert.equal(
    size("Uplink", { lease: null, down: false }),
    undefined,
    "nobody requested anything",
  );
  const none = { ...eth2.lease!, mtu: null };
  assert.equal(size("Uplink", { ...eth2, lease: none, ownMtu: 1500 }), 1500);
  for (const mtu of [575, 576, 1279, 1501, 65535]) {
    const small = { ...eth2, lease: { ...none, mtu }, ownMtu: 1500 };
    assert.equal(size("Uplink", small), 1500, String(mtu));
    assert.equal(size("Uplink", small, true), mtu >= 576 && mtu < 1500 ? mtu : 1500, "if wanted");
  }
  assert.equal(size("Uplink", { ...eth2, lease: { ...none, mtu: 1280 }, ownMtu: 1500 }), 1280);
  assert.equal(size("Downlink", { ...eth2, ownMtu: 1500 }), 1500, "it is no uplink any more");
});

Deno.test("classless routes of a lease use its uplink, except for LAN and connected networks", () => {
  const leased = (routes: readonly (readonly [string, string | null])[]) =>
    seen({
      eth2: {
        down: false,
        lease: {
          ...LEASED.eth2.lease!,
          routes: routes.map(([destination, via]) => ({ destination, via })),
        },
      },
    });
  const routes = (given: Parameters<typeof leased>[0], from = facts()) =>
    planner.desire(two(), leased(given), from).routes.slice(1)
      .map(({ destination, via, link }) => `${destination} ${via} ${link}`);
  assert.deepEqual(
    routes([["172.16.9.1/12", "100.64.5.1"], ["198.18.0.7/32", null], [
      "172.16.0.0/12",
      "100.64.5.2",
    ]]),
    ["172.16.0.0/12 100.64.5.1 eth2", "198.18.0.7/32 null eth2"],
  );
  assert.deepEqual(
    routes([
      ["0.0.0.0/1", "100.64.5.1"],
      ["128.0.0.0/7", "100.64.5.1"],
      ["192.168.2.0/24", "100.64.5.1"],
      ["192.168.0.0/16", "100.64.5.1"],
      ["192.168.2.6/32", "100.64.5.1"],
      ["100.64.5.0/24", "100.64.5.1"],
      ["172.16.0.0/12", "203.0.113.1"],
    ]),
    [],
  );
  const connected = { ...facts(), addresses: [{ link: "eth0", address: "203.0.113.2/24" }] };
  assert.deepEqual(routes([["203.0.113.0/24", "100.64.5.1"]], connected), []);
  assert.deepEqual(
    routes([["203.0.0.0/16", "100.64.5.1"]], connected),
    ["203.0.0.0/16 100.64.5.1 eth2"],
    "a wider one takes nothing from it",
  );
  const unplugged = facts((name) => name === "eth2" ? { running: false } : {});
  assert.deepEqual(routes([["172.16.0.0/12", "100.64.5.1"]], unplugged), []);
});
