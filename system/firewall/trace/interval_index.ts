import { parseRange4 } from "../../core/net/net.ts";
import type { Element, KeyType, NftSet } from "../../core/kernel/ruleset.ts";
import { keyInterval } from "./key_interval.ts";

/** A key to look up: its parts and their canonical text. */
export interface Key {
  readonly parts: readonly string[];
  readonly text: string;
  /** Its addresses and ports for the types that it was last looked up with: many sets have the same. */
  parsed?: {
    readonly types: readonly KeyType[];
    readonly numbers: readonly (number | undefined)[];
  };
}

/** Elements that share networks and names and differ in ports. */
interface Cell {
  readonly element: Element;
  readonly ports: readonly [number, number];
}

/** Elements of one shape: the prefix length of each address, null for a name or port. */
interface Shape {
  readonly prefixes: readonly (number | null)[];
  readonly cells: Map<string, Cell[]>;
}

/** An interval set made ready for look-ups: one hash look-up for each mix of prefix lengths. */
export interface IntervalIndex {
  readonly shapes: readonly Shape[];
  /** Elements with address ranges that are no networks. */
  readonly ranges: readonly Element[];
}

const EVERY: readonly [number, number] = [0, 65535];

function network(address: number, prefix: number): string {
  return String(address - address % 2 ** (32 - prefix));
}

/** Builds the index of a set. */
export function indexIntervals(set: NftSet): IntervalIndex {
  const shapes = new Map<string, Shape>();
  const odd: Element[] = [];
  for (const element of set.elements.values()) {
    const prefixes: (number | null)[] = [];
    const parts: string[] = [];
    let ports = EVERY;
    let isOdd = false;
    element.key.forEach((part, i) => {
      const type = set.key[i];
      const range = type === "ipv4_addr" ? parseRange4(part) : null;
      prefixes.push(range?.prefix ?? null);
      if (range) parts.push(String(range.first));
      else if (type === "ipv4_addr") isOdd = true;
      else if (type === "inet_service") ports = keyInterval(type, part) ?? [1, 0];
      else parts.push(part);
    });
    if (isOdd) {
      odd.push(element);
      continue;
    }
    const name = prefixes.join(".");
    let shape = shapes.get(name);
    if (!shape) shapes.set(name, shape = { prefixes, cells: new Map() });
    const key = parts.join(" ");
    const cells = shape.cells.get(key);
    if (cells) cells.push({ element, ports });
    else shape.cells.set(key, [{ element, ports }]);
  }
  return { shapes: [...shapes.values()], ranges: odd };
}

function isNumber(type: KeyType): boolean {
  return type === "ipv4_addr" || type === "inet_service";
}

/** The numbers of a key's addresses and ports. */
function numbersOf(key: Key, types: readonly KeyType[]): readonly (number | undefined)[] {
  if (key.parsed?.types === types) return key.parsed.numbers;
  const numbers = key.parts.map((part, i) => keyInterval(types[i]!, part)?.[0]);
  key.parsed = { types, numbers };
  return numbers;
}

/** The element that holds the key, or undefined. */
export function findInIntervals(
  set: NftSet,
  index: IntervalIndex,
  key: Key,
): Element | undefined {
  const { parts } = key;
  if (parts.length !== set.key.length) return undefined;
  const numbers = numbersOf(key, set.key);
  const isKnown = set.key.every((type, i) => !isNumber(type) || numbers[i] !== undefined);
  if (index.shapes.length > 0 && !isKnown) return undefined;
  const port = numbers[set.key.lastIndexOf("inet_service")] ?? 0;
  for (const { prefixes, cells } of index.shapes) {
    let text: string | null = null;
    for (let i = 0; i < parts.length; i++) {
      const type = set.key[i];
      if (type === "inet_service") continue;
      const part = type === "ipv4_addr" ? network(numbers[i]!, prefixes[i]!) : parts[i]!;
      text = text === null ? part : `${text} ${part}`;
    }
    const found = cells.get(text ?? "")?.find(({ ports }) => port >= ports[0] && port <= ports[1]);
    if (found) return found.element;
  }
  return index.ranges.find((element) =>
    element.key.every((part, i) => {
      const range = keyInterval(set.key[i]!, part), number = numbers[i];
      if (range === null) return part === parts[i];
      return number !== undefined && number >= range[0] && number <= range[1];
    })
  );
}
