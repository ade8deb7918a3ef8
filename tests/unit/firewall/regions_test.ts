import assert from "node:assert/strict";
import fc from "fast-check";
import {
  type HeaderRegion,
  layers,
  mergePorts,
  net,
  orderedLayers,
  PortSet,
} from "../../../system/firewall/sets/regions.ts";
import { mergeNetworks } from "../../../system/core/net/net.ts";

/** A small world, so that random regions meet often: four addresses in nested networks, ten ports. */
const NETS = ["0.0.0.0/0", "10.0.0.0/30", "10.0.0.0/31", "10.0.0.2/31", "10.0.0.1", "10.0.0.2"];
const ADDRESSES = ["10.0.0.0", "10.0.0.1", "10.0.0.2", "10.0.0.3", "10.0.0.4"].map((text) =>
  net(text).first
);
const PORTS = Array.from({ length: 11 }, (_, i) => i);

const anyPorts = fc.tuple(fc.integer({ min: 0, max: 10 }), fc.integer({ min: 0, max: 10 }))
  .map(([a, b]): [number, number] => [Math.min(a, b), Math.max(a, b)]);

const anyBoxes = fc.array(
  fc.record({
    nets: fc.tuple(fc.constantFrom(...NETS), fc.constantFrom(...NETS)),
    other: fc.constantFrom("tcp", "udp"),
    ports: anyPorts,
  }),
  { maxLength: 14 },
).map((list) =>
  list.map((one, i): HeaderRegion<number> => ({ ...one, nets: one.nets.map(net), data: i }))
);

interface Point {
  readonly addresses: readonly [number, number];
  readonly other: string;
  readonly port: number;
}

function* points(): Iterable<Point> {
  for (const a of ADDRESSES) {
    for (const b of ADDRESSES) {
      for (const other of ["tcp", "udp"]) {
        for (const port of PORTS) yield { addresses: [a, b], other, port };
      }
    }
  }
}

function holds(region: HeaderRegion<unknown>, point: Point): boolean {
  return region.other === point.other && point.port >= region.ports[0] &&
    point.port <= region.ports[1] &&
    region.nets.every((one, i) =>
      point.addresses[i]! >= one.first && point.addresses[i]! <= one.last
    );
}

function overlaps(a: HeaderRegion<unknown>, b: HeaderRegion<unknown>): boolean {
  return a.other === b.other && a.ports[0] <= b.ports[1] && b.ports[0] <= a.ports[1] &&
    a.nets.every((one, i) => one.first <= b.nets[i]!.last && b.nets[i]!.first <= one.last);
}

function assertApart(all: readonly (readonly HeaderRegion<unknown>[])[]): void {
  for (const layer of all) {
    layer.forEach((a, i) => {
      for (const b of layer.slice(i + 1)) assert.ok(!overlaps(a, b), JSON.stringify([a, b]));
    });
  }
}

Deno.test("merged ports cover every point that the regions covered, and no other", () => {
  fc.assert(fc.property(anyBoxes, (regions) => {
    const merged = mergePorts(regions);
    for (const point of points()) {
      assert.equal(
        merged.some((region) => holds(region, point)),
        regions.some((region) => holds(region, point)),
      );
    }
  }));
});

Deno.test("layers cover every point that the regions covered, and in none do two overlap", () => {
  fc.assert(fc.property(anyBoxes, (regions) => {
    const all = layers(regions);
    assertApart(all);
    for (const point of points()) {
      assert.equal(
        all.flat().some((region) => holds(region, point)),
        regions.some((region) => holds(region, point)),
      );
    }
  }));
});

Deno.test("ordered layers find the most special region first, then the earliest", () => {
  fc.assert(fc.property(anyBoxes, (regions) => {
    const all = orderedLayers(regions);
    assertApart(all);
    const length = (region: HeaderRegion<number>): number =>
      region.nets[0]!.prefix + region.nets[1]!.prefix;
    for (const point of points()) {
      const holding = regions.filter((region) => holds(region, point));
      const found = all.map((layer) => layer.find((region) => holds(region, point)))
        .find((region) => region !== undefined);
      assert.equal(found === undefined, holding.length === 0);
      if (!found) continue;
      const best = Math.max(...holding.map(length));
      assert.equal(length(found), best);
      const equals = holding.filter((region) =>
        JSON.stringify(region.nets) === JSON.stringify(found.nets)
      );
      assert.equal(found.data, equals[0]!.data, "of equal networks the earliest");
    }
  }));
});

Deno.test("a region inside a broader one adds nothing", () => {
  const region = (a: string, b: string, ports: [number, number]): HeaderRegion<null> => ({
    nets: [net(a), net(b)],
    other: "tcp",
    ports,
    data: null,
  });
  const broad = region("10.0.0.1", "0.0.0.0/0", [0, 65535]);
  assert.deepEqual(layers([broad, region("10.0.0.1", "8.8.8.8", [443, 443])]), [[broad]]);
});

Deno.test("crossing regions of thousands of rules need two layers and no pieces", () => {
  const regions = Array.from({ length: 4000 }, (_, i): HeaderRegion<null> => {
    const host = net(`10.${i % 2}.${i >> 8}.${i & 255}`);
    const all = net("0.0.0.0/0");
    return { nets: i % 2 ? [host, all] : [all, host], other: "tcp", ports: [0, 65535], data: null };
  });
  assert.deepEqual(layers(regions).map((layer) => layer.length), [2000, 2000]);
});

Deno.test("spans take in ranges and answer what was new", () => {
  fc.assert(fc.property(fc.array(anyPorts), (ranges) => {
    const spans = new PortSet();
    const seen = new Set<number>();
    for (const [low, high] of ranges) {
      const fresh = new Set<number>();
      for (let port = low; port <= high; port++) if (!seen.has(port)) fresh.add(port);
      const before = PORTS.filter((port) => seen.has(port));
      assert.equal(spans.overlaps([low, high]), before.some((p) => p >= low && p <= high));
      assert.equal(spans.covers([low, high]), fresh.size === 0);
      const added = spans.add([low, high])
        .flatMap(([a, b]) => Array.from({ length: b - a + 1 }, (_, i) => a + i));
      assert.deepEqual(added, [...fresh]);
      for (const port of fresh) seen.add(port);
    }
    const listed = spans.list.flatMap(([a, b]) =>
      Array.from({ length: b - a + 1 }, (_, i) => a + i)
    );
    assert.deepEqual(listed, [...seen].sort((a, b) => a - b));
  }));
});

Deno.test("merged networks hold the same addresses and none lies in another", () => {
  const anyNets = fc.array(fc.constantFrom(...NETS, "10.0.0.0/30", "10.0.1.0/24"));
  fc.assert(fc.property(anyNets, (list) => {
    const merged = mergeNetworks(list).map(net);
    for (const address of [...ADDRESSES, net("10.0.1.7").first]) {
      const inside = (one: { first: number; last: number }): boolean =>
        address >= one.first && address <= one.last;
      assert.equal(merged.some(inside), list.map(net).some(inside));
      assert.ok(merged.filter(inside).length <= 1);
    }
  }));
});
