import assert from "node:assert/strict";
import fc from "fast-check";
import type { IpOp } from "../../../system/core/kernel/plan.ts";
import { deleteLine, parseFlow, parseFlows } from "../../../system/host/netlink/conntrack/tool.ts";
import { deletionMessage, flushResult } from "../../../system/host/netlink/conntrack/flush.ts";
import { generationOf, GenerationWatch } from "../../../system/host/nft/generation.ts";
import { ipLine } from "../../../system/host/netlink/route/ip_line.ts";
import {
  parseAddresses,
  parseLinks,
  parseNeighbours,
  parseRoutes,
} from "../../kit/lab/ip_listing.ts";
import { parseListing } from "../../../system/host/nft/listing.ts";
import { isGone, linkOf } from "../../../system/host/kernel/link_events.ts";

// Outputs below are iproute2 6.1's, nft 1.0.6's and conntrack 1.4.7's own, shortened by members that
// are not read.

Deno.test("links are read with kind, MAC address and carrier", () => {
  const text =
    `[{"ifindex":1,"ifname":"lo","flags":["LOOPBACK","UP","LOWER_UP"],"link_type":"loopback",
    "address":"00:00:00:00:00:00"},
    {"ifindex":2,"link":"wan0","ifname":"p0","flags":["BROADCAST","MULTICAST","UP","LOWER_UP"],
    "operstate":"UP","link_type":"ether","address":"ee:d3:05:3c:5f:38","linkinfo":{"info_kind":"veth"}},
    {"ifindex":3,"ifname":"eth0","flags":["NO-CARRIER","BROADCAST","MULTICAST","UP"],
    "link_type":"ether","address":"02:00:00:00:00:03"},
    {"ifindex":5,"ifname":"tun0","flags":["POINTOPOINT","MULTICAST","NOARP"],"link_type":"none",
    "linkinfo":{"info_kind":"tun","info_data":{"type":"tun"}}}]`;
  assert.deepEqual(parseLinks(text), [
    { name: "lo", index: 1, mac: null, up: true, running: true, kind: null },
    { name: "p0", index: 2, mac: "ee:d3:05:3c:5f:38", up: true, running: true, kind: "veth" },
    { name: "eth0", index: 3, mac: "02:00:00:00:00:03", up: true, running: false, kind: null },
    { name: "tun0", index: 5, mac: null, up: false, running: false, kind: "tun" },
  ]);
});

Deno.test("addresses are read with their prefix, in both families", () => {
  const text = `[{"ifindex":2,"ifname":"p0","addr_info":[{"family":"inet","local":"192.168.2.5",
    "prefixlen":30},{"family":"inet6","local":"fe80::ecd3:5ff:fe3c:5f38","prefixlen":64}]},
    {"ifindex":4,"ifname":"br0","addr_info":[]}]`;
  assert.deepEqual(parseAddresses(text), [
    { link: "p0", address: "192.168.2.5/30" },
    { link: "p0", address: "fe80::ecd3:5ff:fe3c:5f38/64" },
  ]);
});

Deno.test("routes are read with explicit host prefixes and one fact per next hop", () => {
  const text = `[{"type":"unicast","dst":"default","gateway":"203.0.113.1","dev":"wan0",
    "protocol":"boot","flags":[]},
    {"dst":"10.9.0.0/24","flags":[],"nexthops":[{"gateway":"203.0.113.5","dev":"wan0","weight":1,
    "flags":[]},{"gateway":"192.168.2.6","dev":"p0","weight":1,"flags":[]}]},
    {"dst":"10.1.2.3","via":{"family":"inet6","host":"fe80::1"},"dev":"wan0","protocol":"static"},
    {"dst":"192.168.2.4/30","dev":"p0","protocol":"kernel","scope":"link","prefsrc":"192.168.2.5"}]`;
  assert.deepEqual(parseRoutes(text), [
    { destination: "default", via: "203.0.113.1", link: "wan0", protocol: "boot" },
    { destination: "10.9.0.0/24", via: "203.0.113.5", link: "wan0", protocol: "boot" },
    { destination: "10.9.0.0/24", via: "192.168.2.6", link: "p0", protocol: "boot" },
    { destination: "10.1.2.3/32", via: "fe80::1", link: "wan0", protocol: "static" },
    { destination: "192.168.2.4/30", via: null, link: "p0", protocol: "kernel" },
  ]);
});

Deno.test("neighbours are read with whether they are permanent", () => {
  const text =
    `[{"dst":"192.168.2.6","dev":"p0","lladdr":"02:00:00:00:0a:01","state":["PERMANENT"]},
    {"dst":"203.0.113.9","dev":"wan0","state":["FAILED"]}]`;
  assert.deepEqual(parseNeighbours(text), [
    { address: "192.168.2.6", link: "p0", mac: "02:00:00:00:0a:01", permanent: true },
    { address: "203.0.113.9", link: "wan0", mac: null, permanent: false },
  ]);
});

Deno.test("a table's comment is distinguished from those of its sets and chains", () => {
  const text = `table ip t {
\tchain p {
\t\ttype nat hook prerouting priority dstnat; policy accept;
\t}
}
table inet filter {
\tcomment "sluice"
\tmap m {
\t\ttype ipv4_addr . ifname : verdict
\t\tcomment "not the table's"
\t}
}
`;
  const tables = parseListing(text);
  assert.deepEqual(tables.map(({ family, name, comment }) => ({ family, name, comment })), [
    { family: "ip", name: "t", comment: null },
    { family: "inet", name: "filter", comment: "sluice" },
  ]);
});

const FLOWS =
  `ipv4     2 tcp      6 431999 ESTABLISHED src=203.0.113.2 dst=10.99.0.1 sport=35766 dport=8000 ` +
  `src=127.0.0.1 dst=203.0.113.2 sport=8000 dport=35766 [ASSURED] mark=0 use=1
ipv4     2 icmp     1 29 src=192.168.2.5 dst=192.168.2.6 type=8 code=0 id=7384 src=192.168.2.6 dst=192.168.2.5 type=0 code=0 id=7384 mark=0 use=1
ipv4     2 udp      17 29 src=192.168.2.6 dst=198.51.100.7 sport=44139 dport=53 [UNREPLIED] src=198.51.100.7 dst=203.0.113.2 sport=53 dport=44139 mark=0 use=1
ipv4     2 tcp      6 431999 ESTABLISHED src=192.168.2.6 dst=198.51.100.7 sport=1 dport=2 packets=3 bytes=4 src=198.51.100.7 dst=203.0.113.2 sport=2 dport=1 packets=5 bytes=6 [ASSURED] mark=0 use=1
ipv4     2 gre      47 29 src=192.168.2.6 dst=198.51.100.7 srckey=0x0 dstkey=0x0 src=198.51.100.7 dst=192.168.2.6 srckey=0x0 dstkey=0x0 mark=0 use=1
`;

Deno.test("conntrack entries are read with both tuples", () => {
  assert.deepEqual(parseFlows(FLOWS, ["10.99.0.1"]), [{
    protocol: "tcp",
    source: "203.0.113.2",
    destination: "10.99.0.1",
    replySource: "127.0.0.1",
    replyDestination: "203.0.113.2",
    sport: 35766,
    dport: 8000,
    replySport: 8000,
    replyDport: 35766,
  }]);
  const protocols = (address: string): readonly string[] =>
    parseFlows(FLOWS, [address]).map((flow) => flow.protocol);
  assert.deepEqual(protocols("192.168.2.6"), ["icmp", "udp", "tcp"]);
  assert.deepEqual(protocols("192.168.2.5"), ["icmp"]);
  assert.deepEqual(protocols("203.0.113.2"), ["tcp", "udp", "tcp"]);
  assert.deepEqual(protocols("192.168.2.66"), []);
});

Deno.test("an invalid conntrack line is skipped", () => {
  fc.assert(fc.property(fc.string(), (line) => {
    assert.equal(parseFlow(line), null);
  }));
});

Deno.test("what is no list of connections is an error, since none of them would be ended", () => {
  const cut = FLOWS.split("\n")[0]!.split(" dst=")[0]!;
  for (const text of ["garbage", "tcp 6 431999 ESTABLISHED src=10.99.0.1", cut]) {
    assert.throws(() => parseFlows(`${FLOWS}${text}\n`, ["10.99.0.1"]), { status: 502 });
  }
  const other = "ipv4     2 sctp     132 10 src=10.99.0.1 dst=10.99.0.2";
  assert.equal(parseFlows(`${FLOWS}${other}\n`, ["10.99.0.1"]).length, 1);
});

Deno.test("a conntrack entry is deleted by its full tuple", () => {
  const [flow] = parseFlows(FLOWS, ["10.99.0.1"]);
  assert.equal(
    deleteLine(flow!),
    "-D -f ipv4 -s 203.0.113.2 -d 10.99.0.1 -r 127.0.0.1 -q 203.0.113.2 -p tcp " +
      "--sport 35766 --dport 8000 --reply-port-src 8000 --reply-port-dst 35766",
  );
  assert.throws(() => deleteLine({ ...flow!, source: "1.2.3.4 -F" }), { status: 400 });
  assert.throws(() => deleteLine({ ...flow!, sport: 70000 }), { status: 400 });
});

Deno.test("a deletion message holds the original tuple in the kernel's layout", () => {
  const [flow] = parseFlows(FLOWS, ["10.99.0.1"]);
  const hex = [...deletionMessage(flow!, 7)].map((b) => b.toString(16).padStart(2, "0")).join("");
  assert.equal(
    hex,
    // Length, type, flags, sequence, port; family.
    "48000000" + "0201" + "0500" + "07000000" + "00000000" + "02000000" +
      // The original tuple: its addresses, then protocol and ports.
      "34000180" + "14000180" + "08000100cb007102" + "080002000a630001" +
      "1c000280" + "0500010006000000" + "060002008bb60000" + "060003001f400000",
  );
  assert.throws(() => deletionMessage({ ...flow!, source: "fd00::1" }, 1), { status: 400 });
  assert.throws(() => deletionMessage({ ...flow!, dport: -1 }, 1), { status: 400 });
});

Deno.test("deleting a conntrack entry that is gone already succeeds", () => {
  const answer = (sequence: number, error: number): Uint8Array => {
    const view = new DataView(new ArrayBuffer(36));
    view.setUint16(4, 2, true);
    view.setUint32(8, sequence, true);
    view.setInt32(16, -error, true);
    return new Uint8Array(view.buffer);
  };
  assert.equal(flushResult(answer(7, 0), 7), 0);
  assert.equal(flushResult(answer(7, 2), 7), 0);
  assert.equal(flushResult(answer(7, 1), 7), 1);
  assert.equal(flushResult(answer(6, 0), 7), null);
  assert.equal(flushResult(new Uint8Array(3), 7), null);
});

Deno.test("operations become the equivalent lines of ip", () => {
  const route = { destination: "default", via: "203.0.113.1", link: "wan0" };
  assert.equal(
    [
      { op: "add-link", name: "sluice0", kind: "bridge" },
      { op: "set-link", name: "sluice0", up: true },
      { op: "add-address", link: "sluice0", address: "192.168.2.1/24" },
      { op: "replace-route", route },
      { op: "delete-route", route: { destination: "10.0.0.0/8", via: null, link: "wan0" } },
      {
        op: "replace-neighbour",
        neighbour: { address: "192.168.2.6", link: "cl-a", mac: "02:00:00:00:0a:01" },
      },
      { op: "delete-neighbour", address: "192.168.2.6", link: "cl-a" },
      { op: "delete-address", link: "cl-a", address: "192.168.2.5/30" },
      { op: "delete-link", name: "sluice0" },
    ].map((op) => `${ipLine(op as IpOp)}\n`).join(""),
    `link add name sluice0 type bridge
link set dev sluice0 up
address add 192.168.2.1/24 dev sluice0
route replace default via 203.0.113.1 dev wan0 proto static
route delete 10.0.0.0/8 dev wan0 proto static
neighbour replace 192.168.2.6 lladdr 02:00:00:00:0a:01 dev cl-a nud permanent
neighbour delete 192.168.2.6 dev cl-a
address delete 192.168.2.5/30 dev cl-a
link delete dev sluice0
`,
  );
});

Deno.test("no argument can inject a blank, a line break or an option into a line of ip", () => {
  const evil = fc.oneof(
    fc.string(),
    fc.constantFrom("eth0", "192.168.2.5/30", "10.0.0.1", "02:00:00:00:0a:01", "bridge"),
    fc.constantFrom("eth0 up", "eth0\nlink delete dev eth0", "-force", "1.2.3.4/24 dev x", "all"),
    fc.tuple(fc.constantFrom("eth0", "192.168.2.5/30", "02:00:00:00:0a:01"), fc.string())
      .map(([a, b]) => a + b),
  );
  const op = fc.record({
    op: fc.constantFrom(
      ...["add-link", "delete-link", "set-link", "add-address", "delete-address"],
      ...["replace-route", "delete-route", "replace-neighbour", "delete-neighbour"],
    ),
    name: evil,
    kind: evil,
    link: evil,
    address: evil,
    up: fc.boolean(),
    route: fc.record({ destination: evil, via: fc.option(evil), link: evil }),
    neighbour: fc.record({ address: evil, link: evil, mac: evil }),
  });
  const label = { "add-link": 6, "delete-link": 4, "set-link": 5, "delete-neighbour": 5 };
  fc.assert(
    fc.property(op, (value) => {
      let text: string;
      try {
        text = ipLine(value as IpOp);
      } catch (error) {
        assert.equal((error as Error).name, "Problem");
        return;
      }
      assert.match(text, /^[A-Za-z0-9:./_ -]+$/);
      const count = text.split(" ").length;
      assert.ok(count <= 9, text);
      const exact = label[value.op as keyof typeof label];
      if (exact !== undefined) assert.equal(count, exact, text);
    }),
    { numRuns: 2000 },
  );
});

Deno.test("link events of `ip monitor` are parsed to the name of the link", () => {
  assert.equal(linkOf("3: cl-a@if2: <BROADCAST,MULTICAST,UP> mtu 1500 state UP"), "cl-a");
  assert.equal(linkOf("Deleted 4: sluice0: <BROADCAST> mtu 1500"), "sluice0");
  assert.equal(linkOf("    link/ether 02:00:00:00:00:01"), null);
});

Deno.test("a deleted link is distinguished from its deleted addresses and routes", () => {
  assert.ok(isGone("Deleted 9: wlan1.4097: <BROADCAST,MULTICAST> mtu 1500 qdisc noop state DOWN"));
  assert.ok(isGone("Deleted 4: cl-a@if2: <BROADCAST> mtu 1500"));
  for (
    const line of [
      "9: wlan1.4097: <BROADCAST,MULTICAST> mtu 1500",
      "Deleted 9: wlan1.4097    inet 192.168.2.5/30 scope global wlan1.4097",
      "Deleted 9: wlan1.4097    inet6 fe80::ff:fe00:100/64 scope link",
      "Deleted 192.168.2.6 dev wlan1.4097 lladdr 02:00:00:00:03:00 PERMANENT",
    ]
  ) assert.equal(isGone(line), false, line);
});

Deno.test("address, route and permanent neighbour events of `ip monitor` are parsed to their link", () => {
  for (
    const line of [
      "2: br0    inet 192.168.2.5/30 scope global br0\\       valid_lft forever",
      "Deleted 2: br0    inet 192.168.2.5/30 scope global br0",
      "192.168.2.6 dev br0 lladdr 02:00:00:00:00:01 PERMANENT ",
      "Deleted default via 192.168.2.6 dev br0 proto static ",
    ]
  ) assert.equal(linkOf(line), "br0", line);
  for (
    const line of [
      "192.168.2.6 dev br0 lladdr 02:00:00:00:00:01 REACHABLE",
      "Deleted 192.168.2.6 dev br0 FAILED ",
      "local 192.168.2.5 dev br0 table local proto kernel scope host src 192.168.2.5 ",
      "multicast ff00::/8 dev br0 table local proto kernel metric 256 pref medium",
    ]
  ) assert.equal(linkOf(line), null, line);
});

Deno.test("the nftables generation is read from the matching response only", () => {
  const hex = "28000000" + "0f0a" + "0000" + "07000000" + "00000000" + "00000003" +
    "0800010000000102" + "0800020000001e5d";
  const answer = Uint8Array.from(hex.match(/../g)!, (pair) => parseInt(pair, 16));
  assert.equal(generationOf(answer, 7), 258);
  assert.equal(generationOf(answer, 8), null);
  assert.equal(generationOf(answer.subarray(0, 12), 7), null);
});

Deno.test("a generation that we did not cause is reported as foreign", async () => {
  let generation = 4294967294;
  let foreign = 0;
  const raise = (by: number): Promise<void> => {
    generation = (generation + by) >>> 0;
    return Promise.resolve();
  };
  const watch = new GenerationWatch(() => generation, () => foreign++);
  await Promise.all([watch.during(() => raise(1)), watch.during(() => raise(1))]);
  await watch.during(() => raise(0));
  watch.check();
  assert.equal(foreign, 0);
  await watch.during(() => raise(2));
  assert.equal(foreign, 1);
  await raise(1);
  watch.check();
  assert.equal(foreign, 2);
  await raise(1);
  await assert.rejects(watch.during(() => Promise.reject(new Error("refused"))));
  assert.equal(foreign, 3);
  watch.close();
});
