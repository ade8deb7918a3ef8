import assert from "node:assert/strict";
import fc from "fast-check";
import { branchesOf, reachedBy, uplinksOf } from "../../../ui/pages/topology/branches.ts";
import type { Topology, TopologyNode } from "../../../ui/pages/topology/wire.ts";

const STYLE = { Icon: "", Color: "" };

function node(ID: string, Kind: TopologyNode["Kind"], more: Partial<TopologyNode> = {}) {
  return { ID, Kind, Name: ID.split(":").at(-1)!, Online: true, Style: STYLE, ...more };
}

const NODES = [
  node("router", "router"),
  node("iface:wan0", "uplink"),
  node("iface:lan0", "port"),
  node("iface:wlan0", "ap_radio", {
    SSID: "home",
    Radio: { Channel: 36, Freq: 5180, Stations: 1 },
  }),
];

function topology(devices: readonly TopologyNode[], Edges: Topology["Edges"]): Topology {
  return { GeneratedAt: "", Nodes: [...NODES, ...devices], Edges };
}

Deno.test("a device stands at its connection, an absent one where it was last, in every group", () => {
  const drawn = topology([
    node("dev:tv", "device", { Iface: "lan0", Groups: ["media", "kids"] }),
    node("dev:phone", "device", { Iface: "wlan0.4096" }),
    node("dev:away", "device", { Iface: "lan0.20", Online: false, Groups: ["kids"] }),
    node("dev:odd", "device", { Iface: "gone0", Online: false }),
    node("dev:box", "device", { Iface: "br0" }),
  ], [
    { From: "router", To: "iface:lan0", Layer: "l1", Kind: "wired" },
    { From: "dev:tv", To: "iface:lan0", Layer: "l1", Kind: "wired" },
    { From: "dev:phone", To: "iface:wlan0", Layer: "l1", Kind: "wifi" },
    { From: "dev:box", To: "router", Layer: "l1", Kind: "wired" },
  ]);
  const shown = (how: "interface" | "group") =>
    branchesOf(drawn, how, () => true)
      .map(({ name, devices }) => `${name}: ${devices.map(({ Name }) => Name).join(" ")}`);
  assert.deepEqual(shown("interface"), [
    "lan0: tv away",
    "wlan0: phone",
    "Other interfaces: box",
    "Not connected: odd",
  ]);
  assert.deepEqual(shown("group"), ["kids: tv away", "media: tv", "No group: box phone odd"]);
  assert.deepEqual(branchesOf(drawn, "interface", () => true)[1]!.note, "home, channel 36");
  const none = branchesOf(drawn, "interface", () => false).map(({ name }) => name);
  assert.deepEqual(none, ["lan0", "wlan0"]);
  assert.deepEqual(uplinksOf(drawn).map(({ Name }) => Name), ["wan0"]);
});

Deno.test("a group reaches the same whether its pairs are edges or not", () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 70 }), fc.nat({ max: 69 }), (size, at) => {
      const members = Array.from(
        { length: size },
        (_, index) => node(`dev:${index}`, "device", { Groups: ["all"] }),
      );
      const others = [
        node("dev:alone", "device"),
        node("dev:shut", "device", { Groups: ["all"], Isolated: true }),
      ];
      // As the router: 48 members at most are pairs.
      const pairs = size > 48
        ? []
        : members.flatMap(({ ID }, from) =>
          members.slice(from + 1).map((to) => ({
            From: ID,
            To: to.ID,
            ...{ Layer: "policy" as const, Kind: "group:all", Bidir: true },
          }))
        );
      const one = members[at % size]!;
      const { devices, internet } = reachedBy(topology([...members, ...others], pairs), one);
      const expected = members.filter(({ ID }) => ID !== one.ID).map(({ ID }) => ID);
      assert.deepEqual([...devices].toSorted(), expected.toSorted());
      assert.equal(internet, false);
    }),
  );
});

Deno.test("one-way access, the Internet and endpoints count for the one who has them", () => {
  const drawn = topology([
    node("dev:a", "device", { Policies: ["wan", "lan"] }),
    node("dev:b", "device"),
    node("endpoint:printer", "endpoint"),
  ], [
    { From: "dev:a", To: "dev:b", Layer: "policy", Kind: "policy:lan" },
    { From: "dev:a", To: "iface:wan0", Layer: "policy", Kind: "policy:wan" },
    { From: "dev:a", To: "endpoint:printer", Layer: "policy", Kind: "endpoint:printer" },
  ]);
  const of = (id: string) => {
    const { devices, internet, endpoints } = reachedBy(
      drawn,
      drawn.Nodes.find(({ ID }) => ID === id)!,
    );
    return [[...devices], internet, endpoints];
  };
  assert.deepEqual(of("dev:a"), [["dev:b"], true, 1]);
  assert.deepEqual(of("dev:b"), [[], false, 0]);
});
