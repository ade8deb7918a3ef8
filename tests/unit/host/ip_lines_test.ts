import assert from "node:assert/strict";
import fc from "fast-check";
import { ipLine } from "../../../system/host/netlink/route/ip_line.ts";
import {
  parseLinks,
  parsePolicyRoutes,
  parseRoutes,
  parseRules,
} from "../../kit/lab/ip_listing.ts";
import { WireStep } from "../../../system/host/kernel/netd_wire.ts";

// As iproute2 6.1 prints it.
const RULES = `[{"priority":0,"src":"all","table":"local"},
{"priority":90,"src":"all","table":"main","suppress_prefixlen":0},
{"priority":100,"src":"all","oif":"wan0","table":"200"},
{"priority":100,"src":"203.0.113.2","table":"200"},
{"priority":101,"src":"all","fwmark":"0xc8","table":"200"},
{"priority":102,"src":"10.0.0.0","srclen":8,"table":"201"},
{"priority":5000,"src":"all","fwmark":"0xca6c","table":"51820"},
{"priority":32766,"src":"all","table":"main"}]`;
const ROUTES = `[
{"type":"unicast","dst":"default","gateway":"203.0.113.1","dev":"wan0","table":"200","protocol":"static"},
{"type":"unicast","dst":"10.1.0.0/16","dev":"wan0","table":"200","protocol":"static"},
{"type":"unicast","dst":"default","dev":"ppp0","table":"201","protocol":"static"},
{"type":"unicast","dst":"default","gateway":"203.0.113.1","dev":"wan0","table":"main","protocol":"static"},
{"type":"unicast","dst":"default","gateway":"203.0.113.9","dev":"wan0","table":"main","protocol":"static","metric":100},
{"type":"unicast","dst":"default","gateway":"203.0.113.1","dev":"eth9","table":"main","protocol":"dhcp","metric":100},
{"type":"unicast","dst":"default","gateway":"198.18.0.1","dev":"wg0","table":"51820","protocol":"boot"}]`;

Deno.test("rules and routes of single uplinks are distinguished from everyone else's", () => {
  assert.deepEqual(parseRules(RULES), [
    { kind: "local" },
    { kind: "link", link: "wan0", table: 200 },
    { kind: "source", address: "203.0.113.2", table: 200 },
    { kind: "mark", table: 200 },
  ]);
  assert.deepEqual(parsePolicyRoutes(ROUTES), [
    { table: 200, metric: 0, via: "203.0.113.1", link: "wan0" },
    { table: 201, metric: 0, via: null, link: "ppp0" },
    { table: "main", metric: 100, via: "203.0.113.9", link: "wan0" },
  ]);
  assert.deepEqual(parseRoutes(ROUTES).map(({ link, via }) => [link, via]), [
    ["wan0", "203.0.113.1"],
    ["eth9", "203.0.113.1"],
  ]);
});

Deno.test("the permanent MAC address of an interface is read where it shows another", () => {
  const link = { ifname: "eth0", ifindex: 2, flags: ["UP"], link_type: "ether", mtu: 1500 };
  const text = JSON.stringify([{
    ...link,
    address: "02:00:00:00:0a:01",
    permaddr: "00:1b:21:00:00:07",
  }]);
  assert.deepEqual(parseLinks(text), [{
    ...{ name: "eth0", index: 2, mac: "02:00:00:00:0a:01", up: true, running: false, kind: null },
    ...{ mtu: 1500, permanentMac: "00:1b:21:00:00:07" },
  }]);
});

/** Values of a field of an operation: valid ones, and others that must not reach a line of ip. */
const evil = fc.oneof(fc.string(), fc.constantFrom("-x", "eth0 up", "$(id)", "\n", "eth0\n"));
const name = fc.oneof(fc.constantFrom("eth0", "wan0", "wlan0.5"), evil);
const address = fc.oneof(fc.constantFrom("203.0.113.1", "192.168.2.1/30"), evil);
const mac = fc.oneof(fc.constant("02:00:00:00:0a:01"), evil);
const number = fc.oneof(
  fc.constantFrom(0, 100, 200, 1500, "main"),
  fc.integer(),
  fc.constantFrom(NaN, 1e9),
);
const via = fc.option(address);
const op = fc.record({
  op: fc.constantFrom(
    ...["add-link", "add-vlan", "set-mac", "set-mtu", "replace-policy-route"],
    ...["delete-policy-route", "add-rule", "delete-rule", "set-loose-rp-filter", "delete-link"],
    ...["set-link", "add-address", "delete-address", "replace-route", "delete-route"],
    ...["replace-neighbour", "delete-neighbour", "add-vxlan", "set-bridge", "set-isolated"],
  ),
  kind: fc.oneof(fc.constantFrom("dummy", "bridge"), evil),
  ...{ name, link: name, address, mac, mtu: number, up: fc.boolean() },
  vlan: fc.record({ parent: name, tag: number }),
  vxlan: fc.record({ id: number, remote: address }),
  bridge: fc.option(name),
  isolated: fc.boolean(),
  policyRoute: fc.record({ table: number, metric: number, via, link: name }),
  route: fc.record({
    destination: fc.oneof(fc.constantFrom("default", "192.168.2.4/30"), evil),
    via,
    link: name,
  }),
  neighbour: fc.record({ address, link: name, mac }),
  rule: fc.record({
    kind: fc.constantFrom("local", "link", "source", "mark"),
    ...{ link: name, address, table: number },
  }),
});

Deno.test("no route, rule or interface brings a blank or an option into a line of ip, nor past netd's reader", () => {
  const accepted = new Set<string>();
  fc.assert(
    fc.property(op, (value) => {
      const read = WireStep.safeParse({ kind: "ip", ops: [value] });
      if (!read.success || read.data.kind !== "ip") return;
      const [first] = read.data.ops;
      accepted.add(first!.op);
      if (first!.op === "set-loose-rp-filter") return;
      const text = ipLine(first!);
      assert.match(text, /^[A-Za-z0-9:./_ -]+$/);
      assert.doesNotMatch(text, / -/);
      assert.ok(text.split(" ").length <= 13, text);
    }),
    { numRuns: 20_000 },
  );
  assert.equal(accepted.size, 20, `only ${[...accepted]} were ever accepted`);
});
