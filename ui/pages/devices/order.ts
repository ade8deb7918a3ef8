import { parseWhen } from "../../time.ts";
import { isWaiting, nameOf, policyChips } from "../../words.ts";
import type { Device } from "../../wire.ts";

export type Column = "name" | "access" | "groups" | "address" | "link" | "seen";

export interface Sort {
  readonly column: Column;
  readonly down: boolean;
}

export type Entry = readonly [identity: string, device: Device];

const collator = new Intl.Collator("en", { numeric: true, sensitivity: "base" });

/** Reads what {@link sortText} wrote; anything else is by name. */
export function parseSort(text: string | null): Sort {
  const match = /^(-?)(name|access|groups|address|link|seen)$/.exec(text ?? "");
  if (match === null) return { column: "name", down: false };
  return { column: match[2] as Column, down: match[1] === "-" };
}

export function sortText({ column, down }: Sort): string {
  return `${down ? "-" : ""}${column}`;
}

function keyOf(column: Column, [identity, device]: Entry): string {
  switch (column) {
    case "name":
      return nameOf(identity, device);
    case "access":
      return policyChips(device).map((chip) => chip.text).join(" ");
    case "groups":
      return device.Groups.join(" ");
    case "address":
      return device.RecentIP;
    case "link":
      return device.DHCPLastInterface;
    case "seen":
      return "";
  }
}

/** Moment a device was last seen, unix milliseconds; 0 never, endless while it is online. */
export function lastSeen(device: Device): number {
  return device.Online ? Infinity : parseWhen(device.DHCPLastTime) ?? 0;
}

/** An entry with what it is sorted by, worked out once rather than at every comparison. */
interface Keyed {
  readonly entry: Entry;
  readonly waits: boolean;
  readonly name: string;
  readonly key: string | number;
}

function keyed(column: Column, entry: Entry): Keyed {
  return {
    entry,
    waits: isWaiting(entry[1]),
    name: nameOf(...entry),
    key: column === "seen" ? lastSeen(entry[1]) : keyOf(column, entry),
  };
}

function compare({ key: x }: Keyed, { key: y }: Keyed): number {
  if (typeof x === "number" || typeof y === "number") return x === y ? 0 : y > x ? 1 : -1;
  if ((x === "") !== (y === "")) return x === "" ? 1 : -1;
  return collator.compare(x, y);
}

/** Sorts; who waits for a person stays on top, equal rows go by name, then identity. */
export function sortEntries(entries: readonly Entry[], sort: Sort): readonly Entry[] {
  const sign = sort.down ? -1 : 1;
  return entries.map((entry) => keyed(sort.column, entry)).sort((a, b) =>
    Number(b.waits) - Number(a.waits) ||
    sign * compare(a, b) ||
    collator.compare(a.name, b.name) ||
    (a.entry[0] < b.entry[0] ? -1 : 1)
  ).map(({ entry }) => entry);
}

/**
 * The order to show while the world changes: rows stay where they are, new ones come last, and
 * `moved` tells how many would go elsewhere if it were sorted again.
 */
export function steady(
  shown: readonly string[],
  wanted: readonly string[],
): { readonly order: readonly string[]; readonly moved: number } {
  const exists = new Set(wanted);
  const kept = shown.filter((identity) => exists.has(identity));
  const known = new Set(kept);
  const order = [...kept, ...wanted.filter((identity) => !known.has(identity))];
  const moved = order.filter((identity, index) => wanted[index] !== identity).length;
  return { order, moved };
}
