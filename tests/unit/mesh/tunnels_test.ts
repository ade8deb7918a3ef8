import assert from "node:assert/strict";
import type { Config } from "../../../system/config.ts";
import type { Facts, LinkFact } from "../../../system/core/kernel/facts.ts";
import type { Problem } from "../../../system/core/errors/problem.ts";
import { lintFirewall } from "../../../system/firewall/lint/lint.ts";
import { ForwardingRule } from "../../../system/firewall/rule_schema.ts";
import { putForward } from "../../../system/firewall/rules.ts";
import { meshEffects } from "../../../system/mesh/effects.ts";
import { hasMeshLinks } from "../../../system/mesh/network.ts";
import { leafTunnelKey, linkFor, putLeaf } from "../../../system/mesh/rules.ts";
import { type Mesh, NO_MESH, ParentCredentials } from "../../../system/mesh/schema.ts";
import { plannedMeshTunnels } from "../../../system/mesh/tunnels.ts";
import { Interface } from "../../../system/network/interfaces/schema.ts";
import { networkPlanner } from "../../../system/network/planner.ts";
import { reach } from "../../../system/reach/reach.ts";
import { vpnGuard } from "../../../system/wireguard/changes_elsewhere.ts";
import { privateKey, publicKeyOf } from "../../../system/wireguard/keys.ts";
import { plannedTunnels } from "../../../system/wireguard/tunnels/planned_tunnels.ts";
import { kernel as kernelWith, network, seenOn } from "../../kit/builders/small_network.ts";

const MAC = "02:00:00:00:00:01", ATTIC = "02:00:00:00:00:02";
const LINKS = ["wan0", "lan0", "mesh-leaf1", "mesh-wg1", "mesh-wg", "mesh-parent"];
const key = (n: number) => privateKey(new Uint8Array(32).fill(n));
const [OF_PARENT, OF_LEAF] = [key(1), key(2)];
const planner = networkPlanner();

function kernel(names: readonly string[] = LINKS): Facts {
  const links = names.map((name, at): LinkFact => ({
    ...{ name, index: at + 2, mac: null, up: true, running: true, kind: null },
  }));
  return kernelWith([], { links });
}

function router(mesh: Partial<Mesh>): Config {
  const config = network({
    [MAC]: { ip: "192.168.2.26" },
    [ATTIC]: { ip: "192.168.2.6" },
  }, {
    mesh: { ...NO_MESH, ...mesh },
    interfaces: [
      { Name: "wan0", Type: "Uplink", Enabled: true, DisableDHCP: true, IP: "192.168.9.2/30" },
      { Name: "lan0", Type: "Downlink", Enabled: true },
    ].map((one) => Interface.parse(one)),
  });
  const devices = { ...config.devices, [ATTIC]: { ...config.devices[ATTIC]!, Name: "Attic" } };
  return { ...config, devices };
}

const LEAF = router({
  LeafMode: true,
  ParentCredentials: ParentCredentials.parse({
    ...{ ParentIP: "192.168.9.1", Link: { Kind: "wireguard", Number: 1 } },
    ...{ TunnelKey: OF_LEAF, PeerKey: publicKeyOf(OF_PARENT) },
  }),
});
const PLAIN = router({});
const PARENT = putLeaf(PLAIN, {
  ...{ IP: "192.168.2.6", APIToken: "t", TLSCA: "" },
  Link: linkFor(PLAIN.mesh, "192.168.2.6", "wireguard"),
  ...{ TunnelKey: OF_PARENT, PeerKey: publicKeyOf(OF_LEAF), KeyReplaced: false },
})[0];
const SEEN = seenOn({ [ATTIC]: "lan0", [MAC]: "mesh-leaf1" });

Deno.test("both ends of an encrypted link have tunnels that fit each other", () => {
  const [parent] = plannedMeshTunnels(PARENT.mesh), [leaf] = plannedMeshTunnels(LEAF.mesh);
  assert.deepEqual([parent!.name, leaf!.name], ["mesh-wg1", "mesh-wg"]);
  assert.equal(parent!.listenPort, leaf!.listenPort);
  const [ofParent, ofLeaf] = [parent!.peers[0]!, leaf!.peers[0]!];
  assert.equal(ofParent.publicKey, publicKeyOf(leaf!.privateKey));
  assert.equal(ofLeaf.publicKey, publicKeyOf(parent!.privateKey));
  assert.equal(ofParent.endpoint, `192.168.2.6:${leaf!.listenPort}`);
  const own = (config: Config, link: string) =>
    planner.desire(config, SEEN, kernel()).addresses.find((one) => one.link === link)?.address;
  assert.deepEqual(ofLeaf.allowedIps, [own(PARENT, "mesh-wg1")!.replace("/31", "/32")]);
  assert.deepEqual(ofParent.allowedIps, [own(LEAF, "mesh-wg")!.replace("/31", "/32")]);
  assert.equal(plannedTunnels(PARENT), plannedTunnels({ ...PARENT }), "the same list again");
});

Deno.test("the VPN and a link refuse each other a UDP port", () => {
  const { listenPort } = plannedMeshTunnels(PARENT.mesh)[0]!;
  const at = (ListenPort: number) => ({ ...PLAIN.wireguard, Enabled: true, ListenPort });
  const before = { ...PLAIN, wireguard: at(listenPort) };
  assert.match(
    vpnGuard(before, { ...before, mesh: PARENT.mesh })?.message ?? "",
    /The encrypted link to 192\.168\.2\.6 listens on UDP port 51401, as does: The VPN/,
  );
  const other = { ...PLAIN, wireguard: at(51_280) };
  assert.equal(vpnGuard(other, { ...other, mesh: PARENT.mesh }), null);
  assert.notEqual(vpnGuard(PARENT, { ...PARENT, wireguard: at(listenPort) }), null);
});

Deno.test("no forward leads a port of the mesh away, whichever comes first", () => {
  const { Link: _, ...parent } = LEAF.mesh.ParentCredentials;
  const open = {
    ...LEAF.mesh,
    ParentCredentials: { ...parent, Link: { Kind: "vxlan" as const, Number: 1 } },
  };
  for (
    const [config, Protocol, SrcPort, words] of [
      [PARENT, "udp", "51401", /encrypted link to 192\.168\.2\.6 listens on UDP port 51401/],
      [PARENT, "udp", "51000-52000", /UDP port 51401/],
      [LEAF, "udp", "51401", /encrypted link to 192\.168\.9\.1 listens on UDP port 51401/],
      [LEAF, "tcp", "443", /parent manages this leaf router, listens on TCP port 443/],
      [{ ...LEAF, mesh: open }, "udp", "4789", /link to 192\.168\.9\.1 listens on UDP port 4789/],
    ] as const
  ) {
    const rule = ForwardingRule.parse({
      ...{ Protocol, SrcPort, DstIP: "192.168.2.26", DstPort: "any" },
    });
    assert.throws(() => putForward(config, rule), (error: Problem) => {
      assert.deepEqual([error.status, error.errors[0]?.pointer], [409, "/SrcPort"]);
      return words.test(error.message);
    });
    const alone = { ...config, mesh: NO_MESH };
    const [forwarded] = putForward(alone, rule);
    assert.match(vpnGuard(forwarded, { ...forwarded, mesh: config.mesh })?.message ?? "", words);
    const clash = { ...forwarded, mesh: config.mesh };
    assert.equal(vpnGuard(clash, { ...clash, mesh: { ...config.mesh } }), null, "it stood before");
    const linted = (of: Config) =>
      lintFirewall({ config: of, links: null }).filter(({ kind }) => kind === "contradiction");
    assert.deepEqual(linted(forwarded), []);
    assert.match(linted(clash)[0]!.text, words);
  }
  const every = ForwardingRule.parse({
    ...{ Protocol: "udp", SrcPort: "any", DstIP: "192.168.2.26", DstPort: "any" },
  });
  assert.equal(putForward(PARENT, every)[0].firewall.ForwardingRules.length, 1);
});

Deno.test("no tunnel is made until both keys are known", () => {
  const unknown = { ...PARENT.mesh.LeafRouters[0]!, PeerKey: "" };
  assert.deepEqual(plannedMeshTunnels({ ...PARENT.mesh, LeafRouters: [unknown] }), []);
});

Deno.test("frames of clients are sent into the tunnel, and their packets fit it", () => {
  const vxlan = (config: Config) =>
    planner.desire(config, SEEN, kernel()).links.flatMap(({ name, vxlan, mtu }) =>
      vxlan ? [`${name} ${vxlan.remote} ${mtu}`] : []
    );
  assert.deepEqual(vxlan(PARENT), ["mesh-leaf1 169.254.240.3 1390"]);
  assert.deepEqual(vxlan(LEAF), ["mesh-parent 169.254.240.2 1500"]);
  const tunnel = planner.desire(PARENT, SEEN, kernel()).links
    .find(({ name }) => name === "mesh-wg1");
  assert.deepEqual([tunnel?.create, tunnel?.mtu, tunnel?.up], [null, 1440, true]);
  const without = planner.desire(PARENT, SEEN, kernel(["wan0", "lan0"]));
  assert.deepEqual(without.addresses.filter(({ link }) => link === "mesh-wg1"), []);
});

Deno.test("no frame of a client has a way past a tunnel that is not there yet", () => {
  for (
    const [config, own, peer, outer] of [
      [PARENT, "mesh-leaf1", "169.254.240.3", "192.168.2.6"],
      [LEAF, "mesh-parent", "169.254.240.2", "192.168.9.1"],
    ] as const
  ) {
    const there = planner.desire(config, SEEN, kernel());
    const withLink = (remote: string) => {
      const now = kernel(["wan0", "lan0", own]);
      const links = now.links.map((one) =>
        one.name === own ? { ...one, vxlan: { id: 1, remote } } : one
      );
      return planner.desire(config, SEEN, { ...now, links });
    };
    const absent = planner.desire(config, SEEN, kernel(["wan0", "lan0"]));
    const has = ({ links }: typeof there) => links.some(({ name }) => name === own);
    assert.deepEqual([has(there), has(absent)], [true, false]);
    assert.ok(has(withLink(peer)), "it stays while the tunnel gets another key");
    assert.ok(!has(withLink(outer)), "the one in clear that it was before goes");
    // The rule that refuses its frames any other way is older than the link itself.
    const output = absent.ruleset.tables.flatMap(({ chains }) => chains)
      .find(({ name, hook }) => name === "OUTPUT" && hook?.hook === "output")!;
    assert.ok(output.rules.some(({ comment }) => /outside its tunnel/.test(comment)));
  }
  const waiting = planner.desire(LEAF, SEEN, kernel(["wan0", "lan0"]));
  assert.ok(hasMeshLinks({ config: LEAF, desired: waiting }), "a leaf has no LAN meanwhile");
  assert.ok(!hasMeshLinks({ config: PLAIN, desired: waiting }));
  const [open] = putLeaf(PARENT, {
    ...PARENT.mesh.LeafRouters[0]!,
    ...{ Link: { Kind: "vxlan", Number: 1 }, TunnelKey: "", PeerKey: "" },
  });
  const links = planner.desire(open, SEEN, kernel(["wan0", "lan0"])).links;
  assert.ok(links.some(({ name }) => name === "mesh-leaf1"));
});

interface Sent {
  readonly iif?: string | null;
  readonly oif?: string | null;
  readonly source?: string;
  readonly destination?: string;
  readonly dport?: number;
  readonly vni?: number;
  readonly mac?: string | null;
  readonly state?: "new" | "established";
}

function verdict(config: Config, packet: Sent): string {
  return planner.trace(planner.desire(config, SEEN, kernel()), {
    ...{ iif: "mesh-wg", oif: null, mac: null, sport: 40000, protocol: "udp", dport: 4789 },
    ...{ source: "169.254.240.2", destination: "169.254.240.3", vni: 1 },
    ...packet,
  }).verdict;
}

Deno.test("frames are taken from the tunnel alone, and the tunnel from the other router alone", () => {
  assert.equal(verdict(LEAF, {}), "accept");
  const plain = { source: "192.168.9.1", destination: "192.168.9.2", iif: "wan0" };
  assert.equal(verdict(LEAF, plain), "drop", "frames in clear");
  const forged = { iif: "wan0", state: "established" } as const;
  assert.equal(verdict(LEAF, forged), "drop", "an address of the tunnel from the wire");
  assert.equal(verdict(LEAF, { vni: 2 }), "drop");
  assert.equal(verdict(LEAF, { dport: 53 }), "drop");
  const outer = { ...plain, dport: 51_401 };
  assert.equal(verdict(LEAF, outer), "accept");
  assert.equal(verdict(LEAF, { ...outer, source: "192.168.9.9" }), "drop");
  const fromLeaf = { iif: "lan0", source: "192.168.2.6", destination: "192.168.2.5", mac: ATTIC };
  assert.equal(verdict(PARENT, { ...fromLeaf, dport: 51_401 }), "accept");
  assert.equal(verdict(PARENT, fromLeaf), "drop", "frames in clear");
  const inside = { iif: "mesh-wg1", source: "169.254.240.3", destination: "169.254.240.2" };
  assert.equal(verdict(PARENT, inside), "accept");
});

Deno.test("what belongs into the tunnel never leaves by another interface", () => {
  const { ruleset } = planner.desire(PARENT, SEEN, kernel());
  const output = ruleset.tables.flatMap(({ chains }) => chains)
    .find(({ name, hook }) => name === "OUTPUT" && hook?.hook === "output")!;
  const at = output.rules.findIndex(({ comment }) => /outside its tunnel/.test(comment));
  const established = output.rules.findIndex(({ comment }) => /established/.test(comment));
  assert.ok(at >= 0 && at < established);
  assert.deepEqual(output.rules[at]!.matches, [
    { kind: "is", field: "oifname", values: ["mesh-wg1"], not: true },
    { kind: "is", field: "ip daddr", values: ["169.254.240.3"] },
  ]);
});

Deno.test("a key that was replaced opens nothing until its tunnel has the new one", () => {
  const tunnels = { "mesh-wg": { peers: {}, revoked: ["*"] } };
  const desired = planner.desire(LEAF, { ...SEEN, tunnels }, kernel());
  const packet = {
    ...{ iif: "mesh-wg", oif: null, mac: null, sport: 1, dport: 4789, vni: 1 },
    ...{ source: "169.254.240.2", destination: "169.254.240.3" },
    protocol: "udp",
  } as const;
  assert.equal(planner.trace(desired, packet).verdict, "drop");
});

Deno.test("a leaf keeps its key for the key of its parent, and draws another for another", () => {
  const { ParentCredentials: before } = LEAF.mesh;
  const { Link, PeerKey } = before;
  assert.equal(leafTunnelKey(before, { Link, PeerKey }, key(9)), OF_LEAF);
  assert.equal(leafTunnelKey(before, { Link, PeerKey: publicKeyOf(key(5)) }, key(9)), key(9));
  assert.equal(leafTunnelKey(NO_MESH.ParentCredentials, { Link, PeerKey }, key(9)), key(9));
  const open = { Kind: "vxlan", Number: 1 } as const;
  assert.equal(leafTunnelKey(before, { Link: open, PeerKey }, key(9)), "");
});

Deno.test("previews name the leaf router, its clients and how they are linked", () => {
  const effects = (before: Config, after: Config) =>
    meshEffects({ before, after, observed: SEEN, patch: [] });
  assert.deepEqual(effects(PLAIN, PARENT), [
    "Clients of the leaf router Attic are on this network, by an encrypted link",
  ]);
  const [open] = putLeaf(PARENT, {
    ...PARENT.mesh.LeafRouters[0]!,
    ...{ Link: { Kind: "vxlan", Number: 1 }, TunnelKey: "", PeerKey: "" },
  });
  assert.deepEqual(effects(PARENT, open), [
    "Clients of the leaf router Attic are on this network, by a link that is not encrypted",
  ]);
  const [renewed] = putLeaf(PARENT, { ...PARENT.mesh.LeafRouters[0]!, TunnelKey: key(7) });
  assert.match(effects(PARENT, renewed)[0]!, /interrupted until both have new keys/);
  assert.match(effects(PARENT, PLAIN).join("\n"), /no connection by this network for .*:01/);
  const without = (Plain?: boolean) =>
    effects(
      PLAIN,
      putLeaf(PLAIN, {
        ...PARENT.mesh.LeafRouters[0]!,
        ...{ Link: null, TunnelKey: "", PeerKey: "" },
        ...(Plain === undefined ? {} : { Plain }),
      })[0],
    );
  assert.deepEqual(without(true), [
    "Clients of the leaf router Attic come to this network by the cable, not encrypted",
  ]);
  assert.deepEqual(without(false), [
    "Clients of the leaf router Attic stay on a network of its own",
  ]);
  assert.match(without()[0]!, /network of its own, or where it bridges them/);
  const devices = { ...PARENT.devices, [MAC]: { ...PARENT.devices[MAC]!, Name: "Phone" } };
  assert.deepEqual(effects(PARENT, { ...PARENT, devices }), ["At the leaf router Attic: Phone"]);
});

Deno.test("an access test names the leaf router on the path of a device", () => {
  const desired = planner.desire(PARENT, SEEN, kernel());
  const query = { from: MAC, to: "internet", protocol: "tcp", port: "443" } as const;
  const answer = reach(query, { config: PARENT, desired }, planner);
  assert.deepEqual([answer.from.link, answer.from.leaf], ["mesh-leaf1", "Attic"]);
  assert.equal(answer.to.leaf, null);
  const back = reach({ ...query, to: ATTIC }, { config: PARENT, desired }, planner);
  assert.equal(back.to.leaf, null, "the leaf router itself is at this router");
});
