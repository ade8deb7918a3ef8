import assert from "node:assert/strict";
import fc from "fast-check";
import { formatIpv4, parseIpv4, parseRange4, type Range4 } from "../../../system/core/net/net.ts";
import { dhcpDocument } from "../../../system/dhcp/document.ts";
import { freeAddress, hostName, lease } from "../../../system/dhcp/leases/lease_rules.ts";
import { RESERVATION_MS, Reservations } from "../../../system/dhcp/leases/reservations.ts";
import { leaseSeconds, Pool } from "../../../system/dhcp/schema.ts";
import { overlapping, setSubnets } from "../../../system/dhcp/subnet_rules.ts";
import {
  allocate,
  capacity,
  heldAddresses,
  isDeviceAddress,
  lanAddress,
  poolsOf,
  routeOf,
  routerOf,
} from "../../../system/dhcp/tiny_net.ts";
import { configWith, device, mac } from "../../kit/builders/device_config.ts";

/** A pool that the schema takes. */
const pool = fc.tuple(fc.integer({ min: 1, max: 223 }), fc.integer({ min: 8, max: 24 }), fc.nat())
  .filter(([first]) => first !== 127)
  .map(([first, prefix, rest]) => {
    const size = 2 ** (32 - prefix);
    const address = first * 2 ** 24 + rest % 2 ** 24;
    return `${formatIpv4(address - address % size)}/${prefix}`;
  });

Deno.test("a /30 holds route, router and device in this order", () => {
  const address = parseIpv4("192.168.2.6")!;
  assert.equal(formatIpv4(routerOf(address)), "192.168.2.5");
  assert.equal(routeOf(address), "192.168.2.4/30");
  const pools = poolsOf(["192.168.2.0/24"]);
  assert.equal(formatIpv4(lanAddress(pools)!), "192.168.2.1");
  assert.equal(capacity(pools[0]!), 64);
  assert.equal(capacity(parseRange4("10.0.0.0/16")!), 16384);
  assert.equal(isDeviceAddress(parseIpv4("192.168.2.254")!, pools), true);
  assert.equal(isDeviceAddress(parseIpv4("192.168.2.255")!, pools), false);
});

Deno.test("an allocated address is the lowest free one of a pool", () => {
  const uses = fc.array(fc.nat(200), { maxLength: 80 });
  fc.assert(fc.property(pool, uses, (net, blocks) => {
    const [range] = poolsOf([net]) as [Range4];
    const used = blocks.map((block) => range.first + block * 4 + 2);
    const address = allocate([range], used);
    const lowest = Array.from({ length: 201 }, (_, block) => range.first + block * 4 + 2)
      .find((candidate) => candidate <= range.last && !used.includes(candidate));
    assert.equal(address, lowest ?? null);
    if (address !== null) assert.ok(isDeviceAddress(address, [range]));
  }));
});

Deno.test("allocation continues in the next pool when one is full", () => {
  const pools = poolsOf(["192.168.2.0/24", "10.0.0.0/8"]);
  const used = Array.from({ length: 64 }, (_, block) => pools[0]!.first + block * 4 + 2);
  assert.equal(formatIpv4(allocate(pools, used)!), "10.0.0.2");
  assert.equal(allocate(pools.slice(0, 1), used), null);
  assert.equal(allocate([], []), null);
});

Deno.test("any address in use blocks the whole /30", () => {
  const pools = poolsOf(["192.168.2.0/24"]);
  assert.equal(formatIpv4(allocate(pools, [parseIpv4("192.168.2.3")!])!), "192.168.2.6");
});

Deno.test("accepted pools never overlap", () => {
  fc.assert(fc.property(fc.array(pool, { minLength: 1, maxLength: 6 }), (TinyNets) => {
    for (const net of TinyNets) assert.equal(Pool.parse(net), net);
    const clash = TinyNets.some((net, i) => overlapping(net, TinyNets.slice(0, i)) !== undefined);
    const set = () => setSubnets(configWith(), { TinyNets, LeaseTime: "1h0m0s" });
    if (clash) assert.throws(set, { status: 400 });
    else assert.deepEqual(set()[0].dhcp.TinyNets, TinyNets);
  }));
});

Deno.test("leases in any order are all different and inside the pools", () => {
  fc.assert(
    fc.property(fc.array(fc.nat(120), { maxLength: 120 }), (clients) => {
      let config = configWith({
        dhcp: { TinyNets: ["192.168.2.0/24", "10.0.0.0/24"], LeaseTime: "1h0m0s" },
      });
      const given = new Map<number, string>();
      for (const client of clients) {
        const candidate = freeAddress(config, []);
        const [next, { address }] = lease(config, {
          mac: mac(client),
          link: "lan0",
          name: "",
          candidate,
        });
        if (given.has(client)) assert.equal(address, given.get(client));
        given.set(client, address);
        config = next;
      }
      assert.equal(new Set(given.values()).size, given.size);
      const pools = poolsOf(config.dhcp.TinyNets);
      assert.ok(heldAddresses(config.devices).every((address) => isDeviceAddress(address, pools)));
    }),
    { numRuns: 30 },
  );
});

Deno.test("a candidate that was leased meanwhile is not leased twice", () => {
  const candidate = parseIpv4("192.168.2.2");
  const config = configWith({
    devices: { [mac(1)]: device(mac(1), { RecentIP: "192.168.2.2" }) },
  });
  const request = { mac: mac(2), link: "lan0", name: "", candidate };
  assert.throws(() => lease(config, request), { name: "CandidateTaken" });
});

Deno.test("an address is reserved for one identifier at a time and for a limited time", () => {
  const reservations = new Reservations();
  reservations.reserve("a", 2, 0);
  assert.throws(() => reservations.reserve("b", 2, 0));
  assert.deepEqual(reservations.reservedByOthers("b", 0), [2]);
  assert.deepEqual(reservations.reservedByOthers("a", 0), []);
  assert.equal(reservations.get("a", RESERVATION_MS - 1), 2);
  assert.equal(reservations.get("a", RESERVATION_MS), null);
  reservations.reserve("b", 2, RESERVATION_MS);
  reservations.release("b");
  assert.deepEqual(reservations.reservedByOthers("a", RESERVATION_MS), []);
  for (let n = 0; n < 3000; n++) reservations.reserve(`p${n}`, n, RESERVATION_MS);
  assert.equal(reservations.reservedByOthers("", RESERVATION_MS).length, 1024);
});

Deno.test("a lease time is read in seconds", () => {
  assert.equal(leaseSeconds("24h0m0s"), 86400);
  assert.equal(leaseSeconds("1h2m3s"), 3723);
});

Deno.test("a host name becomes one line of at most 63 characters", () => {
  assert.equal(hostName("DefaultMissingName"), "");
  assert.equal(hostName(" a\0b\r\nc\u2028 "), "abc");
  assert.equal(hostName("<b>x</b>"), "<b>x</b>");
  assert.equal(hostName("\u202eＴ\u200bＶ\ufeff"), "TV", "in the one form of names");
  assert.equal(hostName(`${"x".repeat(62)}📺`), "x".repeat(62));
  assert.equal(hostName("x".repeat(300)).length, 63);
});

Deno.test("a pool file is read with host bits dropped and overlaps rejected", () => {
  const { value, rejected } = dhcpDocument.read({
    TinyNets: ["192.168.2.5/24", "192.168.2.0/24", "x", "10.0.0.0/16"],
  });
  assert.deepEqual(value, { TinyNets: ["192.168.2.0/24", "10.0.0.0/16"], LeaseTime: "24h0m0s" });
  assert.deepEqual(rejected.map(({ pointer }) => pointer), ["/TinyNets/1", "/TinyNets/2"]);
  for (
    const raw of [{ TinyNets: [] }, {}, [], null, { TinyNets: ["10.0.0.0/8"], LeaseTime: "x" }]
  ) {
    assert.throws(() => dhcpDocument.read(raw), { status: 400 });
  }
});

Deno.test("an address that is not the device's of a /30 is given up at the next request", () => {
  const config = configWith({
    devices: { [mac(1)]: device(mac(1), { RecentIP: "192.168.2.7" }) },
  });
  const candidate = freeAddress(config, []);
  const [, { address }] = lease(config, { mac: mac(1), link: "lan0", name: "", candidate });
  assert.equal(address, "192.168.2.2");
});
