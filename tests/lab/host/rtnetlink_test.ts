import assert from "node:assert/strict";
import type { Facts } from "../../../system/core/kernel/facts.ts";
import type { Host } from "../../../system/core/kernel/host.ts";
import type { IpOp } from "../../../system/core/kernel/plan.ts";
import {
  parseAddresses,
  parseLinks,
  parseNeighbours,
  parsePolicyRoutes,
  parseRoutes,
  parseRules,
} from "../../kit/lab/ip_listing.ts";
import { ipLine } from "../../../system/host/netlink/route/ip_line.ts";
import { eventually } from "../../kit/eventually.ts";
import { INTERNET, type Lab } from "../../kit/lab/lab.ts";
import { inLabWithNetd } from "../../kit/lab/netd.ts";

/** Links, addresses, routes, rules and neighbours of many kinds, as lines of `ip -batch`. */
const MANY = `link add br0 type bridge
link add v0 type veth peer name v1
link set v1 master br0
link set v1 type bridge_slave isolated on
link add vx0 type vxlan id 7 dstport 4789 local 10.0.0.1 remote 10.0.0.9
link set br0 up
link set v0 up
link set v1 up
link property add dev v0 altname other
link set v1 group 7
address add 10.0.0.1/24 brd + dev br0
address add 10.0.0.2/24 dev br0
address add 10.9.9.1 peer 10.9.9.2 dev v0
address add 10.7.0.1/24 dev v0 metric 9
address add fd00::1/64 dev v0 valid_lft 4000 preferred_lft 2000 noprefixroute
address add fd00::77/64 dev v0 home nodad
address add ::ffff:1.2.3.4/128 dev v0
address add ::1.2.3.4/96 dev v0
tuntap add dev t0 mode tun
link set t0 up
address add 10.1.1.1/30 dev t0
link add x0 type veth peer name x1
link set x0 up
link set x0 address 02:00:00:00:00:99
route add 10.20.0.0/16 nexthop via 10.0.0.77 dev br0 nexthop via 10.7.0.9 dev v0
route add default via 10.7.0.254 dev v0 table 200 proto static
route add default via 10.7.0.254 proto static metric 77
route add 10.33.0.0/16 via inet6 fe80::1 dev v0
route add unreachable 240.0.0.0/8
route add 10.34.0.0/16 dev br0 proto 99
route add 10.35.0.0/16 dev br0 proto 77
route add fd09::/64 via fd00::99 dev v0
route add ::/0 via fd00::98 dev v0 metric 5
rule add pref 90 lookup main suppress_prefixlength 0
rule add pref 100 oif v0 lookup 200
rule add pref 100 from 10.7.0.1 lookup 200
rule add pref 101 fwmark 200 lookup 200
rule add pref 102 from 10.0.0.0/8 lookup 201
neighbour add 10.0.0.50 lladdr 02:00:00:00:00:01 dev br0 nud permanent
neighbour add fd00::50 lladdr 02:00:00:00:00:03 dev v0 nud stale
neighbour add proxy 10.0.0.52 dev br0
`;

const ip = (lab: Lab, ...args: readonly string[]): Promise<string> =>
  lab.must("router", "ip", args);

/** What the tool says of the router, as facts. */
async function byTool(lab: Lab): Promise<Partial<Facts>> {
  const four = await ip(
    lab,
    ...["-4", "-j", "-d", "route", "show", "table", "all", "type", "unicast"],
  );
  const six = await ip(
    lab,
    ...["-6", "-j", "-d", "route", "show", "table", "main", "type", "unicast"],
  );
  return {
    links: parseLinks(await ip(lab, "-j", "-d", "link", "show")),
    addresses: parseAddresses(await ip(lab, "-j", "address", "show")),
    routes: [...parseRoutes(four), ...parseRoutes(six)],
    policyRouting: {
      routes: parsePolicyRoutes(four),
      rules: parseRules(await ip(lab, "-4", "-j", "rule", "show")),
    },
    neighbours: parseNeighbours(await ip(lab, "-j", "neighbour", "show")),
  };
}

async function ipFacts(host: Host): Promise<Partial<Facts>> {
  const { links, addresses, routes, policyRouting, neighbours } = await host.facts();
  return { links, addresses, routes, policyRouting: policyRouting!, neighbours };
}

/** Life times go on between two looks. */
function timeless(text: string): unknown {
  return JSON.parse(text, (key, value) => key.endsWith("_life_time") ? value > 10_000 : value);
}

/**
 * Compares what both say, again and again for as long as links and their own addresses still come up,
 * and neighbours come and go, by themselves. Answers what both said.
 */
async function same(
  ours: () => Promise<unknown>,
  tools: () => Promise<unknown>,
): Promise<unknown> {
  return await eventually("both say the same", async () => {
    const [a, b] = [await ours(), await tools()];
    assert.deepEqual(a, b);
    assert.doesNotMatch(JSON.stringify(b), /"tentative"/);
    return b;
  });
}

Deno.test("rtnetlink facts equal the output of ip", () =>
  inLabWithNetd(async (lab, { host }) => {
    await lab.must("router", "ip", ["-batch", "-"], MANY);
    await same(
      async () => timeless(JSON.stringify(await host.inspect({ kind: "addresses" }))),
      async () => timeless(await ip(lab, "-j", "address", "show")),
    );
    await same(
      () => host.inspect({ kind: "neighbours" }),
      async () => JSON.parse(await ip(lab, "-j", "neighbour", "show")),
    );
    await same(() => ipFacts(host), () => byTool(lab));
    const { policyRouting, routes } = await host.facts();
    assert.deepEqual([
      policyRouting?.rules.length,
      policyRouting?.routes.length,
      routes.length > 10,
    ], [4, 2, true]);
    for (const address of [INTERNET, "127.0.0.1", "10.0.0.9", "10.7.0.1", "fd00::9", "::1"]) {
      const route = JSON.parse(await ip(lab, "-j", "route", "get", address))[0];
      assert.equal(await host.routeTo(address), route.dev, address);
    }
    assert.equal(await host.routeTo("240.0.0.1"), null);
    await same(
      () => host.linkBytes(),
      async () => {
        const links: { ifname: string; stats64: Record<"rx" | "tx", { bytes: number }> }[] = JSON
          .parse(await ip(lab, "-s", "-j", "link", "show"));
        return Object.fromEntries(
          links.map(({ ifname, stats64: { rx, tx } }) => [
            ifname,
            { received: rx.bytes, sent: tx.bytes },
          ]),
        );
      },
    );
  }));

Deno.test("a dump larger than one part is read completely", () =>
  inLabWithNetd(async (lab, { host }) => {
    const lines = Array.from({ length: 1500 }, (_, i) => {
      const at = `10.64.${i >> 6}.${(i & 63) * 4}`;
      return `address add ${at.replace(/\d+$/, (n) => `${Number(n) + 1}`)}/30 dev cl-a\n` +
        `neighbour add ${at.replace(/\d+$/, (n) => `${Number(n) + 2}`)} ` +
        `lladdr 02:00:00:00:00:01 dev cl-a nud permanent\n`;
    });
    await lab.must("router", "ip", ["-batch", "-"], lines.join(""));
    await same(() => ipFacts(host), () => byTool(lab));
    const { addresses, neighbours } = await host.facts();
    assert.ok(addresses.length > 1500 && neighbours.length >= 1500);
  }));

const OPS: readonly IpOp[] = [
  { op: "add-link", name: "br1", kind: "bridge" },
  { op: "set-mac", name: "br1", mac: "02:00:00:00:00:77" },
  { op: "set-link", name: "br1", up: true },
  { op: "set-mtu", name: "br1", mtu: 1400 },
  { op: "add-address", link: "br1", address: "10.0.0.1/24" },
  { op: "add-address", link: "br1", address: "10.0.0.1/24", mayBeThere: true },
  { op: "add-address", link: "br1", address: "fd00::1/64" },
  { op: "add-address", link: "br1", address: "10.0.9.1/30" },
  { op: "delete-address", link: "br1", address: "10.0.9.1/30" },
  { op: "replace-route", route: { destination: "10.20.0.0/16", via: "10.0.0.9", link: "br1" } },
  { op: "replace-route", route: { destination: "10.21.0.0/16", via: null, link: "br1" } },
  { op: "replace-route", route: { destination: "fd09::/64", via: "fd00::9", link: "br1" } },
  { op: "replace-route", route: { destination: "10.22.0.0/16", via: null, link: "br1" } },
  { op: "delete-route", route: { destination: "10.22.0.0/16", via: null, link: "br1" } },
  {
    op: "replace-policy-route",
    policyRoute: { table: 201, metric: 0, via: "10.0.0.9", link: "br1" },
  },
  {
    op: "replace-policy-route",
    policyRoute: { table: "main", metric: 50, via: "10.0.0.9", link: "br1" },
  },
  { op: "replace-policy-route", policyRoute: { table: 202, metric: 0, via: null, link: "br1" } },
  { op: "delete-policy-route", policyRoute: { table: 202, metric: 0, via: null, link: "br1" } },
  { op: "add-rule", rule: { kind: "local" } },
  { op: "add-rule", rule: { kind: "link", link: "br1", table: 201 } },
  { op: "add-rule", rule: { kind: "source", address: "10.0.0.1", table: 201 } },
  { op: "add-rule", rule: { kind: "mark", table: 201 } },
  { op: "add-rule", rule: { kind: "mark", table: 202 } },
  { op: "delete-rule", rule: { kind: "mark", table: 202 } },
  {
    op: "replace-neighbour",
    neighbour: { address: "10.0.0.50", link: "br1", mac: "02:00:00:00:00:01" },
  },
  {
    op: "replace-neighbour",
    neighbour: { address: "10.0.0.51", link: "br1", mac: "02:00:00:00:00:02" },
  },
  { op: "delete-neighbour", address: "10.0.0.51", link: "br1" },
  { op: "add-link", name: "br2", kind: "bridge" },
  { op: "delete-link", name: "br2" },
];

/** What a lab's router has, its drawn cards and numbers aside. */
async function inBridges(lab: Lab): Promise<unknown> {
  const { links, addresses, routes, neighbours, ...rest } = await byTool(lab);
  return {
    ...rest,
    // Those of the kernel stand in the order in which the links of a lab came up.
    routes: routes!.toSorted((a, b) => JSON.stringify(a) < JSON.stringify(b) ? -1 : 1),
    // The kernel looks for others by itself.
    neighbours: neighbours!.filter(({ permanent }) => permanent),
    links: links!.filter(({ name }) => name.startsWith("br")).map(({ index: _, ...one }) => one),
    addresses: addresses!.filter(({ link, address }) =>
      link.startsWith("br") && !address.startsWith("fe80")
    ),
  };
}

Deno.test("every operation has the same effect as ip", () =>
  inLabWithNetd(async (ours, { host }) => {
    await host.apply({ kind: "ip", ops: OPS });
    await inLabWithNetd(async (tools) => {
      const lines = OPS.map((op) => `${ipLine(op)}\n`).join("");
      await tools.must("router", "ip", ["-batch", "-"], lines);
      const both = await same(() => inBridges(ours), () => inBridges(tools));
      assert.match(JSON.stringify(both), /"kind":"mark","table":201/);
    });
  }));

Deno.test("a refused operation has the kernel's error, as ip prints it", () =>
  inLabWithNetd(async (lab, { host }) => {
    const refused: readonly IpOp[] = [
      { op: "add-address", link: "cl-a", address: "192.168.2.5/30" },
      { op: "delete-address", link: "cl-a", address: "10.99.0.1/30" },
      { op: "delete-neighbour", link: "cl-a", address: "10.99.0.2" },
      { op: "replace-route", route: { destination: "default", via: "10.99.0.1", link: "cl-a" } },
      { op: "delete-route", route: { destination: "10.98.0.0/16", via: null, link: "cl-a" } },
      { op: "add-link", name: "cl-a", kind: "bridge" },
      { op: "delete-rule", rule: { kind: "mark", table: 239 } },
      { op: "set-link", name: "nowhere", up: true },
    ];
    const reported: string[] = [];
    for (const op of refused) {
      const step = { kind: "ip", ops: [op] } as const;
      reported.push(await host.apply(step).then(() => "done", (error: Error) => error.message));
      const { ok, stderr } = await lab.exec("router", "ip", ipLine(op).split(" "));
      assert.ok(!ok, ipLine(op));
      const [text = ""] = stderr.split("\n");
      const kernels = text.replace(/^(?:Error|RTNETLINK answers): /, "").replace(/\.$/, "");
      assert.equal(reported.at(-1), `The kernel refused "${ipLine(op)}": ${kernels}`);
    }
    assert.equal(
      reported[0],
      'The kernel refused "address add 192.168.2.5/30 dev cl-a": ipv4: Address already assigned',
    );
    assert.equal(
      reported[7],
      'The kernel refused "link set dev nowhere up": Cannot find device "nowhere"',
    );
  }));
