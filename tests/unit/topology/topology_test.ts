import assert from "node:assert/strict";
import fc from "fast-check";
import type { Config } from "../../../system/config.ts";
import { Interface } from "../../../system/network/interfaces/schema.ts";
import { devicePart } from "../../../system/topology/device_nodes.ts";
import type { TopologyEdge, TopologyNode } from "../../../system/topology/schema.ts";
import { TopologyDrawing, type TopologySources } from "../../../system/topology/topology.ts";
import { configWith, device, KEY, mac } from "../../kit/builders/device_config.ts";
import { endpoint, firewallWith } from "../../kit/builders/firewall_rules.ts";

const INTERFACES = [
  ["wan0", "Uplink"],
  ["lan0", "Downlink"],
  ["wlan0", "AP"],
  ["spare0", "Other"],
].map(([Name, Type]) => Interface.parse({ Name, Type, Enabled: true }));

const TV = mac(1);
const LAPTOP = mac(2);
const PHONE = mac(3);

function sources(config: Partial<Config>, more: Partial<TopologySources> = {}): TopologySources {
  return {
    config: configWith({ interfaces: INTERFACES, ...config }),
    observed: { devices: {}, uplinks: {} },
    stations: new Map(),
    radios: new Map(),
    isTunnelled: () => false,
    name: "router",
    ...more,
  } as TopologySources;
}

function seen(link: string, online = true) {
  return { firstSeen: 1000, lastSeen: 2000, link, online };
}

function lines(edges: readonly TopologyEdge[], layer: string): readonly string[] {
  return edges.filter(({ Layer }) => Layer === layer)
    .map(({ From, To, Kind, Bidir }) => `${Kind}: ${From} ${Bidir ? "<>" : ">"} ${To}`);
}

function byId(nodes: readonly TopologyNode[], id: string): TopologyNode {
  const found = nodes.find(({ ID }) => ID === id);
  assert.ok(found, id);
  return found;
}

Deno.test("a device is where its station, its tunnel or its lease is, in this order", () => {
  const drawn = new TopologyDrawing().draw(sources({
    devices: {
      [TV]: device(TV, { Name: "TV", RecentIP: "192.168.2.6" }),
      [LAPTOP]: device(LAPTOP, { WGPubKey: KEY }),
      [PHONE]: device(PHONE),
      [mac(4)]: device(mac(4)),
      [mac(5)]: device(mac(5)),
      pending: device("pending"),
    },
  }, {
    observed: {
      devices: {
        [TV]: seen("lan0.20"),
        [LAPTOP]: seen("lan0"),
        [PHONE]: seen("lan0"),
        [mac(4)]: seen("lan0", false),
        [mac(5)]: seen("br-containers"),
      },
      uplinks: {},
    } as unknown as TopologySources["observed"],
    stations: new Map([[PHONE, {
      network: "wlan0.ap0",
      lines: { signal: "-61", tx_rate_info: "8667 vhtmcs 9", flags: "[AUTHORIZED][HT][VHT]" },
    }]]),
    radios: new Map([["wlan0", {
      "ssid[0]": "home",
      channel: "36",
      freq: "5180",
      ieee80211n: "1",
      ieee80211ac: "1",
      ieee80211ax: "0",
      "num_sta[0]": "1",
    }]]),
    isTunnelled: ({ WGPubKey }) => WGPubKey === KEY,
  }));
  assert.deepEqual(lines(drawn.Edges, "l1"), [
    "uplink: router > iface:wan0",
    `wg: dev:${LAPTOP} > iface:wg0`,
    "wg: router > iface:wg0",
    `wifi: dev:${PHONE} > iface:wlan0`,
    "wifi: router > iface:wlan0",
    `wired: dev:${TV} > iface:lan0`,
    `wired: dev:${mac(5)} > router`,
    "wired: router > iface:lan0",
  ]);
  const { Name, TinyNet, ConnType, Iface, DHCPFirstTime } = byId(drawn.Nodes, `dev:${TV}`);
  assert.deepEqual({ Name, TinyNet, ConnType, Iface, DHCPFirstTime }, {
    Name: "TV",
    TinyNet: "192.168.2.4/30",
    ConnType: "wired",
    Iface: "lan0.20",
    DHCPFirstTime: "1970-01-01 00:00:01.000 +0000 UTC",
  });
  const phone = byId(drawn.Nodes, `dev:${PHONE}`);
  assert.deepEqual([phone.ConnType, phone.Iface, phone.Signal], ["wifi", "wlan0.ap0", {
    RSSI: -61,
    TxRate: 8667,
    RxRate: 0,
    Caps: ["HT", "VHT"],
  }]);
  assert.equal(drawn.Edges.find(({ From }) => From === `dev:${PHONE}`)?.Metric, -61);
  const offline = byId(drawn.Nodes, `dev:${mac(4)}`);
  assert.deepEqual([offline.ConnType, offline.Online, offline.Iface], ["offline", false, "lan0"]);
  const radio = byId(drawn.Nodes, "iface:wlan0");
  assert.equal(radio.SSID, "home");
  assert.deepEqual(radio.Radio, { Channel: 36, Freq: 5180, Modes: ["n", "ac"], Stations: 1 });
  assert.equal(
    drawn.Nodes.some(({ ID }) => ID.includes("pending") || ID === "iface:spare0"),
    false,
  );
});

Deno.test("policies, groups and endpoints are edges, and who is isolated has none", () => {
  const groups = [
    { Name: "media", Disabled: false, GroupTags: [], ServiceDestinations: [] },
    { Name: "off", Disabled: true, GroupTags: [], ServiceDestinations: [] },
    { Name: "service", Disabled: false, GroupTags: [], ServiceDestinations: ["192.0.2.1"] },
  ];
  const member = { Groups: ["media", "off", "service"] };
  const drawn = new TopologyDrawing().draw(sources({
    groups,
    devices: {
      [TV]: device(TV, { ...member, Policies: ["wan", "lan"] }),
      [LAPTOP]: device(LAPTOP, { ...member, Policies: ["lan"], DeviceTags: ["printing"] }),
      [PHONE]: device(PHONE),
      [mac(4)]: device(mac(4), { ...member, Policies: ["wan", "lan", "quarantine"] }),
      [mac(5)]: device(mac(5), {
        ...member,
        Policies: ["wan", "disabled"],
        DeviceDisabled: true,
        DeviceTags: ["printing"],
      }),
    },
    firewall: firewallWith({
      Endpoints: [
        endpoint("printer", "192.0.2.9", "631", ["printing"]),
        endpoint("nobody", "192.0.2.9", "80", []),
      ],
    }),
  }));
  assert.deepEqual(lines(drawn.Edges, "policy"), [
    `endpoint:printer: dev:${LAPTOP} > endpoint:printer`,
    `group:media: dev:${TV} <> dev:${LAPTOP}`,
    `policy:lan: dev:${TV} <> dev:${LAPTOP}`,
    `policy:lan: dev:${TV} > dev:${PHONE}`,
    `policy:lan: dev:${LAPTOP} > dev:${PHONE}`,
    `policy:wan: dev:${TV} > iface:wan0`,
  ]);
  assert.equal(byId(drawn.Nodes, "endpoint:printer").IP, "192.0.2.9:631");
  assert.deepEqual([mac(4), mac(5)].map((id) => byId(drawn.Nodes, `dev:${id}`).Isolated), [
    true,
    true,
  ]);
});

Deno.test("a group of more than 48 members is no edges, one of 48 is every pair", () => {
  for (const [count, pairs] of [[48, 48 * 47 / 2], [49, 0]] as const) {
    const ids = Array.from({ length: count }, (_, at) => mac(at + 1));
    const drawn = new TopologyDrawing().draw(sources({
      groups: [{ Name: "all", Disabled: false, GroupTags: [], ServiceDestinations: [] }],
      devices: Object.fromEntries(ids.map((id) => [id, device(id, { Groups: ["all"] })])),
    }));
    assert.equal(lines(drawn.Edges, "policy").length, pairs);
  }
});

const anyDevice = fc.record({
  link: fc.constantFrom("lan0", "wlan0", "wlan0.4096", "gone0", "wg0", ""),
  online: fc.boolean(),
  station: fc.constantFrom("", "wlan0", "wlan0.ap0", "wlan9"),
  tunnelled: fc.boolean(),
  Policies: fc.subarray(["wan", "lan", "quarantine"] as const),
  Groups: fc.subarray(["media", "work", "unknown"]),
  DeviceTags: fc.subarray(["printing"]),
  WGPubKey: fc.constantFrom("", KEY),
});

Deno.test("every edge is between nodes that are there, and drawing again changes nothing", () => {
  fc.assert(
    fc.property(
      fc.array(anyDevice, { maxLength: 8 }),
      fc.subarray(INTERFACES),
      (list, interfaces) => {
        const entries = list.map((one, at) => [mac(at + 1), one] as const);
        const stations = new Map(
          entries.filter(([, one]) => one.station !== "")
            .map(([id, one]) => [id, { network: one.station, lines: { signal: "-50" } }]),
        );
        const of = sources({
          interfaces,
          groups: ["media", "work"].map((Name) => ({
            ...{ Name, Disabled: false, GroupTags: [], ServiceDestinations: [] },
          })),
          devices: Object.fromEntries(
            entries.map(([id, { Policies, Groups, DeviceTags, WGPubKey }]) => [
              id,
              device(id, { Policies, Groups, DeviceTags, WGPubKey }),
            ]),
          ),
          firewall: firewallWith({
            Endpoints: [endpoint("printer", "192.0.2.9", "631", ["printing"])],
          }),
        }, {
          stations,
          isTunnelled: () => true,
          observed: {
            devices: Object.fromEntries(
              entries.filter(([, { link }]) => link !== "")
                .map(([id, { link, online }]) => [id, seen(link, online)]),
            ),
            uplinks: {},
          } as unknown as TopologySources["observed"],
        });
        const drawing = new TopologyDrawing();
        const drawn = drawing.draw(of);
        const ids = new Set(drawn.Nodes.map(({ ID }) => ID));
        assert.equal(ids.size, drawn.Nodes.length);
        for (const { From, To } of drawn.Edges) assert.ok(ids.has(From) && ids.has(To), From + To);
        const order = drawn.Nodes.map(({ ID }) => ID);
        assert.deepEqual(order, order.toSorted());
        assert.deepEqual(drawing.draw(of), new TopologyDrawing().draw(of));
      },
    ),
  );
});

Deno.test("a station whose access point is off is drawn by its lease", () => {
  const { node, edge } = devicePart({
    identity: TV,
    device: device(TV),
    seen: seen("wlan9.4096", false),
    station: { network: "wlan9", lines: {} },
    tunnelled: false,
  }, { radios: new Set(["wlan0"]), ports: new Set() });
  assert.deepEqual([node.ConnType, node.Online, edge], ["offline", false, undefined]);
});
