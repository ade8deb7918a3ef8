import assert from "node:assert/strict";
import type { Config } from "../../../system/config.ts";
import type { Facts, LinkFact } from "../../../system/core/kernel/facts.ts";
import type { KernelPlan } from "../../../system/core/kernel/plan.ts";
import { leasingInterfaces } from "../../../system/dhcp/leasing_interfaces.ts";
import { Interface } from "../../../system/network/interfaces/schema.ts";
import { networkPlanner } from "../../../system/network/planner.ts";
import { linkFor, putLeaf, removeLeaf } from "../../../system/mesh/rules.ts";
import { type Mesh, meshAnswer, NO_MESH } from "../../../system/mesh/schema.ts";
import { kernel as kernelWith, network, seenOn } from "../../kit/builders/small_network.ts";

const MAC = "02:00:00:00:00:01";
const LINKS = ["wan0", "lan0", "wlan0", "wlan0.4096"];

function link(name: string, at: number): LinkFact {
  return { name, index: at + 2, mac: null, up: true, running: true, kind: null };
}

function kernel(more: Partial<Facts> = {}): Facts {
  return kernelWith([], { links: LINKS.map(link), ...more });
}

function router(mesh: Partial<Mesh>): Config {
  return network({ [MAC]: { ip: "192.168.2.26" } }, {
    mesh: { ...NO_MESH, ...mesh },
    interfaces: [
      { Name: "wan0", Type: "Uplink", Enabled: true, DisableDHCP: true, IP: "192.168.9.2/30" },
      { Name: "lan0", Type: "Downlink", Enabled: true },
      { Name: "wlan0", Type: "AP", Enabled: true },
    ].map((one) => Interface.parse(one)),
  });
}

const LEAF = router({
  LeafMode: true,
  ParentCredentials: {
    ...NO_MESH.ParentCredentials,
    ParentIP: "192.168.9.1",
    Link: { Kind: "vxlan", Number: 3 },
  },
});
const PLAIN = router({});

/** Of a link that is not encrypted. */
const LEAF_KEYS = { TunnelKey: "", PeerKey: "", KeyReplaced: false };

function parentOf(...addresses: readonly string[]): Config {
  const Kind = "vxlan";
  return addresses.reduce((config, IP) => {
    const Link = linkFor(config.mesh, IP, Kind);
    return putLeaf(config, { ...LEAF_KEYS, IP, APIToken: "t", TLSCA: "", Link })[0];
  }, PLAIN);
}

const planner = networkPlanner();
const desire = (config: Config, now = kernel()) => planner.desire(config, seenOn(), now);
const lines = (plan: KernelPlan) =>
  planner.describe(plan).filter((line) => line.startsWith("ip link") || line.startsWith("bridge"));

Deno.test("a leaf bridges its clients, isolated, to its parent, and has no LAN", () => {
  const leaf = desire(LEAF);
  assert.deepEqual(lines(planner.diff(desire(PLAIN), leaf)), [
    "ip link del sluice0",
    "ip link add mesh-bridge type bridge",
    "ip link add mesh-parent type vxlan id 3 remote 192.168.9.1 dstport 4789",
    "ip link set mesh-parent master mesh-bridge",
    "ip link set lan0 master mesh-bridge",
    "bridge link set dev lan0 isolated on",
    "ip link set wlan0.4096 master mesh-bridge",
    "bridge link set dev wlan0.4096 isolated on",
    "ip link set mesh-bridge up",
    "ip link set mesh-parent up",
    "ip link set wlan0.4096 up",
    "ip link set mesh-parent mtu 1500",
  ]);
  assert.deepEqual(leaf.addresses, [{ link: "wan0", address: "192.168.9.2/30" }]);
  assert.deepEqual([leaf.neighbours, leaf.forwarding], [[], false]);
});

interface Arrival {
  readonly iif?: string;
  readonly source?: string;
  readonly mac?: string;
  readonly protocol?: "tcp" | "udp";
  readonly dport?: number;
  readonly vni?: number;
}

function arrives(config: Config, now: Facts, packet: Arrival): string {
  return planner.trace(desire(config, now), {
    ...{ iif: "wan0", oif: null, mac: null, sport: 40000, protocol: "udp", dport: 4789 },
    ...{ source: "192.168.9.1", destination: "192.168.9.2" },
    ...packet,
  }).verdict;
}

Deno.test("a leaf lets in its parent, on the link and on its web ports", () => {
  const verdict = (packet: Arrival) => arrives(LEAF, kernel(), packet);
  const web = { protocol: "tcp", dport: 443 } as const;
  assert.equal(verdict(web), "accept");
  assert.equal(verdict({ ...web, dport: 22 }), "drop");
  assert.equal(verdict({ ...web, iif: "lan0" }), "drop");
  assert.equal(verdict({ vni: 3 }), "accept");
  assert.equal(verdict({ vni: 4 }), "drop");
  assert.equal(verdict({}), "drop");
  assert.equal(verdict({ vni: 3, source: "192.168.9.9" }), "drop");
  assert.equal(verdict({ vni: 3, iif: "lan0" }), "drop");
});

Deno.test("the web ports of a leaf open toward its parent only, beside the admin's own rules", () => {
  const second = { ...{ Name: "wan1", Type: "Uplink", Enabled: true, DisableDHCP: true } };
  const leaf: Config = {
    ...LEAF,
    interfaces: [
      ...LEAF.interfaces,
      Interface.parse({ ...second, IP: "203.0.113.2/24" }),
    ],
    firewall: {
      ...LEAF.firewall,
      ServicePorts: [{ Protocol: "tcp", Port: "443", UpstreamEnabled: false, Description: "" }],
    },
  };
  const now = kernel({ links: [...LINKS, "wan1"].map(link) });
  const web = { protocol: "tcp", dport: 443 } as const;
  assert.equal(arrives(leaf, now, web), "accept");
  assert.equal(arrives(leaf, now, { ...web, iif: "wan1", source: "203.0.113.9" }), "drop");
  assert.equal(arrives(leaf, now, { ...web, iif: "wan1" }), "drop");
});

Deno.test("a leaf router sends into its own interface at the parent, from where it is connected", () => {
  const CARDS = ["02:00:00:00:00:01", "02:00:00:00:00:02"] as const;
  const both = parentOf("192.168.2.6", "192.168.2.10");
  const parent: Config = {
    ...both,
    devices: network({ [CARDS[0]]: { ip: "192.168.2.6" }, [CARDS[1]]: { ip: "192.168.2.10" } })
      .devices,
    interfaces: [
      ...both.interfaces,
      Interface.parse({ Name: "lan1", Type: "Downlink", Enabled: true }),
    ],
  };
  const now = kernel({ links: [...LINKS, "lan1", "mesh-leaf1", "mesh-leaf2"].map(link) });
  const seen = seenOn({ [CARDS[0]]: "lan0", [CARDS[1]]: "lan1" });
  const verdict = (n: 0 | 1, iif: string, vni: number, mac: string | null = CARDS[n]) =>
    planner.trace(planner.desire(parent, seen, now), {
      ...{ iif, oif: null, mac, sport: 40000, protocol: "udp", dport: 4789, vni },
      ...{ source: ["192.168.2.6", "192.168.2.10"][n]!, destination: "192.168.2.5" },
    }).verdict;
  assert.equal(verdict(0, "lan0", 1), "accept");
  assert.equal(verdict(1, "lan1", 2), "accept");
  assert.equal(verdict(0, "lan0", 2), "drop", "into the interface of another leaf");
  assert.equal(verdict(1, "lan0", 2), "drop", "with the address of another leaf");
  assert.equal(verdict(0, "wan0", 1, null), "drop", "from the WAN");
});

Deno.test("out of leaf mode the bridge goes, and with it its ports", () => {
  assert.deepEqual(lines(planner.diff(desire(LEAF), desire(PLAIN))).slice(0, 3), [
    "ip link del mesh-bridge",
    "ip link del mesh-parent",
    "ip link add sluice0 type dummy",
  ]);
});

Deno.test("a kernel that has what a leaf wants needs nothing; one that lacks it gets it", () => {
  const port = { master: "mesh-bridge", isolated: true } as const;
  const links: readonly LinkFact[] = [
    ...LINKS.map((name, at) => ({
      ...link(name, at),
      ...(name === "lan0" || name === "wlan0.4096" ? port : {}),
    })),
    { ...link("mesh-bridge", 8), kind: "bridge" },
    {
      ...link("mesh-parent", 9),
      ...{ kind: "vxlan", master: "mesh-bridge", mtu: 1500 },
      vxlan: { id: 3, remote: "192.168.9.1" },
    },
  ];
  const changed = (change: (link: LinkFact) => LinkFact | null) => {
    const now = kernel({ links: links.flatMap((one) => change(one) ?? []) });
    return lines(planner.reconcile(desire(LEAF, now), now));
  };
  assert.deepEqual(changed((one) => one), []);
  const open = ({ isolated: _, ...one }: LinkFact): LinkFact => one;
  assert.deepEqual(changed((one) => one.name === "lan0" ? open(one) : one), [
    "bridge link set dev lan0 isolated on",
  ]);
  const elsewhere = { id: 3, remote: "192.168.9.9" };
  assert.deepEqual(changed((one) => one.vxlan ? { ...one, vxlan: elsewhere } : one), [
    "ip link del mesh-parent",
    "ip link add mesh-parent type vxlan id 3 remote 192.168.9.1 dstport 4789",
    "ip link set mesh-parent master mesh-bridge",
    "ip link set mesh-parent up",
  ]);
  const now = kernel({ links });
  assert.deepEqual(lines(planner.reconcile(desire(PLAIN, now), now)).slice(0, 2), [
    "ip link del mesh-bridge",
    "ip link del mesh-parent",
  ]);
  assert.deepEqual(lines(planner.release(PLAIN, now)), [
    "ip link del mesh-bridge",
    "ip link del mesh-parent",
  ]);
});

Deno.test("without VXLAN in the kernel there is no link of a mesh, and a leaf has its LAN", () => {
  const { capabilities } = kernel();
  const now = kernel({ capabilities: { ...capabilities, vxlan: false } });
  for (const config of [LEAF, parentOf("192.168.2.6")]) {
    assert.deepEqual(desire(config, now).links.filter(({ name }) => /^mesh-/.test(name)), []);
    assert.equal(arrives(config, now, { vni: 3 }), "drop");
  }
  const leaf = desire(LEAF, now), plain = desire(PLAIN, now);
  assert.deepEqual(leaf.addresses, plain.addresses);
  assert.deepEqual([leaf.links, leaf.forwarding], [plain.links, true]);
  const engine = (desired: typeof leaf) => ({
    ...{
      config: LEAF,
      desired,
      observed: seenOn(),
      network: { state: "applied" as const, detail: null },
    },
  } as const);
  assert.deepEqual(leasingInterfaces(engine(leaf)).lan, ["lan0"]);
  assert.deepEqual(leasingInterfaces(engine(desire(LEAF))).lan, []);
  assert.equal(meshAnswer(LEAF.mesh, { vxlan: false, networks: [] }).ParentCredentials.Link, null);
  assert.equal(
    meshAnswer(LEAF.mesh, { vxlan: true, networks: [] }).ParentCredentials.Link?.Number,
    3,
  );
  // So that its parent learns of it.
  assert.equal(arrives(LEAF, now, { protocol: "tcp", dport: 443 }), "accept");
});

Deno.test("a parent has a LAN interface for each leaf, which keeps its number", () => {
  const both = parentOf("192.168.2.6", "192.168.2.10");
  const named = (config: Config) =>
    desire(config).links.flatMap(({ name, vxlan }) => vxlan ? [`${name} ${vxlan.remote}`] : []);
  assert.deepEqual(named(both), ["mesh-leaf1 192.168.2.6", "mesh-leaf2 192.168.2.10"]);
  const [second] = removeLeaf(both, "192.168.2.6");
  assert.deepEqual(named(second), ["mesh-leaf2 192.168.2.10"]);
  assert.equal(linkFor(second.mesh, "192.168.2.10", "vxlan").Number, 2);
  assert.equal(
    linkFor(second.mesh, "192.168.2.14", "wireguard").Number,
    1,
    "the first that is free",
  );
});

Deno.test("a device at a leaf is on the interface of that leaf, and moves with its reports", () => {
  const config = parentOf("192.168.2.6", "192.168.2.10");
  const links = [...LINKS, "mesh-leaf1", "mesh-leaf2"].map(link);
  const at = (name: string) => planner.desire(config, seenOn({ [MAC]: name }), kernel({ links }));
  const one = at("mesh-leaf1"), two = at("mesh-leaf2");
  assert.deepEqual(one.neighbours.map(({ link }) => link), ["mesh-leaf1"]);
  assert.deepEqual(two.neighbours.map(({ link }) => link), ["mesh-leaf2"]);
});
