import assert from "node:assert/strict";
import fc from "fast-check";
import {
  type DestinationEntry,
  mergeDestinations,
  OTHER,
  readDestinations,
  writeDestinations,
} from "../../../system/traffic/insights/destination_list.ts";
import {
  mergeNetworks,
  readNetworks,
  writeNetworks,
} from "../../../system/traffic/insights/network_list.ts";
import { overviewOf } from "../../../system/traffic/insights/overview.ts";
import { localRanges, remoteTraffic } from "../../../system/traffic/insights/local_pairs.ts";

const bytes = fc.nat(2 ** 40);
const destination = fc.record({
  remote: fc.nat(30),
  name: fc.nat(3),
  in: bytes,
  out: bytes,
  seen: fc.integer({ min: 1_700_000_000, max: 1_700_003_599 }),
}, { noNullPrototype: true });
const START = 1_700_000_000;
const sum = (list: readonly { readonly in: number; readonly out: number }[]) =>
  list.reduce((all, one) => [all[0]! + one.in, all[1]! + one.out], [0, 0]);

Deno.test("destinations of several lists are one list that loses no byte and has no more than requested", () => {
  fc.assert(
    fc.property(fc.array(fc.array(destination)), fc.integer({ min: 1, max: 9 }), (lists, most) => {
      const merged = mergeDestinations(lists, most);
      assert.deepEqual(sum(merged), sum(lists.flat()));
      assert.ok(merged.filter(({ remote }) => remote !== OTHER).length <= most);
      assert.deepEqual(
        merged.map(({ remote }) => remote),
        [...new Set(merged.map(({ remote }) => remote))].sort((a, b) => a - b),
      );
      assert.deepEqual(readDestinations(writeDestinations(merged, START), START), merged);
      // In whatever parts they come.
      const parts = lists.map((list) => mergeDestinations([list], 99));
      assert.deepEqual(
        mergeDestinations(parts, 99).map(plain),
        mergeDestinations(lists, 99).map(plain),
      );
    }),
  );
});

/** Names of one second may come in any order. */
function plain({ name: _, ...rest }: DestinationEntry) {
  return rest;
}

Deno.test("networks of several lists are one list that is written and read back", () => {
  const entry = fc.record(
    { network: fc.nat(9), device: fc.nat(9), in: bytes, out: bytes },
    { noNullPrototype: true },
  );
  fc.assert(fc.property(fc.array(fc.array(entry)), (lists) => {
    const merged = mergeNetworks(lists);
    assert.deepEqual(sum(merged), sum(lists.flat()));
    assert.deepEqual(readNetworks(writeNetworks(merged)), merged);
    const keys = merged.map(({ network, device }) => network * 100 + device);
    assert.deepEqual(keys, [...new Set(keys)].sort((a, b) => a - b));
  }));
  for (const cut of [1, 4, 12]) {
    const whole = writeNetworks([{ network: 1, device: 2, in: 2 ** 40, out: 3 }]);
    assert.throws(() => readNetworks(whole.subarray(0, whole.length - cut)), RangeError);
  }
  assert.throws(() => writeNetworks([{ network: 1, device: 2, in: -1, out: 3 }]), RangeError);
});

Deno.test("an overview is what a naive sum of all entries is, whatever countries a network is in", () => {
  const networks = Array.from({ length: 70 }, (_, at) => ({
    id: at + 1,
    // Some systems are in several countries, and one is not known.
    asn: at % 60,
    country: ["DE", "US", ""][at % 3]!,
    name: `Net ${at % 60}`,
  }));
  const devices = new Map([[1, "192.168.2.6"], [2, "192.168.2.10"], [5, "192.168.2.14"]]);
  const entry = fc.record({
    network: fc.integer({ min: 1, max: 70 }),
    device: fc.constantFrom(...devices.keys()),
    in: bytes,
    out: bytes,
  }, { noNullPrototype: true });
  fc.assert(fc.property(fc.array(fc.array(entry)), (lists) => {
    const found = overviewOf({
      lists: lists.map((list) => writeNetworks(mergeNetworks([list]))),
      networks,
      devices,
      ...{ start: "", end: "" },
    });
    const all = lists.flat();
    const rowOf = (id: number) => networks[id - 1]!;
    const naive = (fits: (one: (typeof all)[number]) => boolean) => sum(all.filter(fits));
    assert.deepEqual([found.TotalIn, found.TotalOut], sum(all));
    for (const { Country, BytesIn, BytesOut, Devices, ASNs } of found.Countries) {
      const isIn = (network: number) => rowOf(network).country === Country;
      assert.deepEqual([BytesIn, BytesOut], naive(({ network }) => isIn(network)));
      for (const { IP, ...own } of Devices) {
        assert.deepEqual(
          [own.BytesIn, own.BytesOut],
          naive((one) => isIn(one.network) && devices.get(one.device) === IP),
        );
      }
      assert.ok(ASNs.length <= 10);
    }
    const systems = new Set(
      all.filter((one) => one.in + one.out > 0).map(({ network }) => rowOf(network).asn)
        .filter((asn) => asn !== 0),
    );
    assert.equal(found.ASNs.length, Math.min(50, systems.size));
    for (const { ASN, BytesIn, BytesOut, Devices = [] } of found.ASNs) {
      assert.deepEqual([BytesIn, BytesOut], naive(({ network }) => rowOf(network).asn === ASN));
      assert.deepEqual(
        [BytesIn, BytesOut],
        sum(Devices.map((one) => ({ in: one.BytesIn, out: one.BytesOut }))),
      );
    }
  }));
});

Deno.test("traffic is a device's where exactly one end is local, whichever began it", () => {
  const local = localRanges(["192.168.2.0/24", "172.17.0.0/16", "not a network"]);
  const found = remoteTraffic([
    ["192.168.2.6", "198.51.100.7", "203.0.113.2", 1, 10, 1, 500],
    ["192.168.2.6", "198.51.100.7", "203.0.113.3", 1, 1, 1, 2],
    // A port forward: the outside began it.
    ["198.51.100.9", "192.168.2.10", "203.0.113.2", 1, 70, 1, 30],
    ["192.168.2.6", "192.168.2.10", "", 1, 1000, 1, 1000],
    ["192.168.2.6", "172.17.0.2", "", 1, 1000, 1, 1000],
    ["172.17.0.2", "198.51.100.7", "", 1, 5, 1, 6],
    // The router's own, and what goes to nobody.
    ["203.0.113.2", "198.51.100.53", "", 1, 1000, 1, 1000],
    ["192.168.2.6", "239.255.255.250", "", 1, 1000, 0, 0],
    ["192.168.2.6", "255.255.255.255", "", 1, 1000, 0, 0],
    ["192.168.2.6", "169.254.1.1", "", 1, 1000, 0, 0],
  ], local);
  assert.deepEqual(found, [
    { device: "192.168.2.6", remote: "198.51.100.7", in: 502, out: 11 },
    { device: "192.168.2.10", remote: "198.51.100.9", in: 70, out: 30 },
    { device: "172.17.0.2", remote: "198.51.100.7", in: 6, out: 5 },
  ]);
});
