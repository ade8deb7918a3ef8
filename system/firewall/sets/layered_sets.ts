import type { Element, KeyType, NftSet, Verdict } from "../../core/kernel/ruleset.ts";
import { type Box, netText, portsText } from "./boxes.ts";

/** Name of a layer's set: the first has the base name. */
export function layerName(base: string, layer: number): string {
  return layer === 0 ? base : `${base}_${layer + 1}`;
}

/** The name without the number of its layer. */
export function baseName(name: string): string {
  return name.replace(/_\d+$/, "");
}

/** How boxes become the elements of sets. */
export interface LayeredShape<T> {
  readonly name: string;
  readonly key: readonly KeyType[];
  readonly value: NonNullable<NftSet["value"]>;
  readonly elements: (box: Box<T>) => readonly Element[];
}

/** One interval set for each layer; at least one, so that the first name is always there. */
export function layeredSets<T>(
  layers: readonly (readonly Box<T>[])[],
  shape: LayeredShape<T>,
): readonly NftSet[] {
  const all = layers.length > 0 ? layers : [[]];
  return all.map((boxes, layer): NftSet => ({
    name: layerName(shape.name, layer),
    key: shape.key,
    value: shape.value,
    interval: true,
    counter: true,
    elements: new Map(
      boxes.flatMap((box) => shape.elements(box).map((one) => [one.key.join(" . "), one])),
    ),
  }));
}

/** The key of a box: its networks, what else it says, its ports. */
export function boxKey(box: Box<unknown>, ports: boolean): readonly string[] {
  return [
    ...box.nets.map(netText),
    ...(box.other === "" ? [] : [box.other]),
    ...(ports ? [portsText(box.ports)] : []),
  ];
}

/** An element that gives the verdict to everything in the box. */
export function verdictElement(verdict: Verdict, ports: boolean): (box: Box<unknown>) => Element[] {
  // Rules that stay give the same boxes again, and these the same elements.
  const made = new WeakMap<Box<unknown>, Element[]>();
  return (box) => {
    let list = made.get(box);
    if (!list) made.set(box, list = [{ key: boxKey(box, ports), value: verdict }]);
    return list;
  };
}
