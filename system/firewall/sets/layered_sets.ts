import { onceEach } from "../../core/config/memo.ts";
import type { Element, KeyType, NftSet, Verdict } from "../../core/kernel/ruleset.ts";
import { type HeaderRegion, netText, portsText } from "./regions.ts";

/** Name of a layer's set: the first has the base name. */
export function layerName(base: string, layer: number): string {
  return layer === 0 ? base : `${base}_${layer + 1}`;
}

/** The name without the number of its layer. */
export function baseName(name: string): string {
  return name.replace(/_\d+$/, "");
}

/** How regions become the elements of sets. */
export interface LayeredShape<T> {
  readonly name: string;
  readonly key: readonly KeyType[];
  readonly value: NonNullable<NftSet["value"]>;
  readonly elements: (region: HeaderRegion<T>) => readonly Element[];
}

/** One interval set for each layer; at least one, so that the first name is always there. */
export function layeredSets<T>(
  layers: readonly (readonly HeaderRegion<T>[])[],
  shape: LayeredShape<T>,
): readonly NftSet[] {
  const all = layers.length > 0 ? layers : [[]];
  return all.map((regions, layer): NftSet => ({
    name: layerName(shape.name, layer),
    key: shape.key,
    value: shape.value,
    interval: true,
    counter: true,
    elements: new Map(
      regions.flatMap((region) => shape.elements(region).map((one) => [one.key.join(" . "), one])),
    ),
  }));
}

/** The key of a region: its networks, what else it says, its ports. */
export function regionKey(region: HeaderRegion<unknown>, ports: boolean): readonly string[] {
  return [
    ...region.nets.map(netText),
    ...(region.other === "" ? [] : [region.other]),
    ...(ports ? [portsText(region.ports)] : []),
  ];
}

/** An element that gives the verdict to everything in the region. */
export function verdictElement(
  verdict: Verdict,
  ports: boolean,
): (region: HeaderRegion<unknown>) => Element[] {
  // Rules that stay give the same regions again, and these the same elements.
  return onceEach((region) => [{ key: regionKey(region, ports), value: verdict }]);
}
