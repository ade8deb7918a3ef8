import { VarintReader, VarintWriter } from "../../core/data/varint.ts";

/*
 * What a bucket of time holds of a device, as lists and as the bytes of them. Addresses and names are
 * numbers of the store's tables.
 */

/** Bytes between a device and an address, or with `remote` 0 all further ones. */
export interface DestinationEntry {
  readonly remote: number;
  /** The name by which the device knew the address last; 0 for none. */
  readonly name: number;
  /** Bytes that the device received and sent. */
  readonly in: number;
  readonly out: number;
  /** Unix seconds of the last traffic. */
  readonly seen: number;
}

/** The number of the entry that stands for all further addresses. */
export const OTHER = 0;

/**
 * One list of the entries of several, each address once, in the order of addresses. At most `most`
 * addresses, those with the most bytes; the rest is in the entry {@link OTHER}, so that no byte is lost.
 */
export function mergeDestinations(
  lists: readonly (readonly DestinationEntry[])[],
  most: number,
): readonly DestinationEntry[] {
  const merged = new Map<number, DestinationEntry>();
  for (const entry of lists.flat()) {
    const before = merged.get(entry.remote);
    merged.set(entry.remote, before === undefined ? entry : addDestinations(before, entry));
  }
  const other = merged.get(OTHER);
  merged.delete(OTHER);
  let kept = [...merged.values()];
  let rest = other;
  if (kept.length > most) {
    kept.sort((a, b) => b.in + b.out - a.in - a.out || a.remote - b.remote);
    for (const { in: received, out, seen } of kept.slice(most)) {
      const more = { remote: OTHER, name: 0, in: received, out, seen };
      rest = rest === undefined ? more : addDestinations(rest, more);
    }
    kept = kept.slice(0, most);
  }
  kept.sort((a, b) => a.remote - b.remote);
  return rest === undefined ? kept : [rest, ...kept];
}

/** The later name stands, unless there is none. */
function addDestinations(a: DestinationEntry, b: DestinationEntry): DestinationEntry {
  const [early, late] = a.seen <= b.seen ? [a, b] : [b, a];
  return {
    remote: a.remote,
    name: late.name === 0 ? early.name : late.name,
    in: a.in + b.in,
    out: a.out + b.out,
    seen: late.seen,
  };
}

/** Destinations in the order of addresses as bytes; `start`: unix seconds that none was seen before. */
export function writeDestinations(
  entries: readonly DestinationEntry[],
  start: number,
): Uint8Array<ArrayBuffer> {
  const writer = new VarintWriter();
  let last = 0;
  for (const { remote, name, in: received, out, seen } of entries) {
    writer.put(remote - last);
    writer.put(name);
    writer.put(received);
    writer.put(out);
    writer.put(Math.max(0, seen - start));
    last = remote;
  }
  return writer.bytes();
}

/** Reads what {@link writeDestinations} wrote. */
export function readDestinations(bytes: Uint8Array, start: number): readonly DestinationEntry[] {
  const entries: DestinationEntry[] = [];
  eachDestination(bytes, (remote, name, received, out, after) => {
    entries.push({ remote, name, in: received, out, seen: start + after });
  });
  return entries;
}

/** Passes what {@link writeDestinations} wrote to `take`, `after` its start: without an object for each. */
export function eachDestination(
  bytes: Uint8Array,
  take: (remote: number, name: number, received: number, sent: number, after: number) => void,
): void {
  const reader = new VarintReader(bytes);
  let remote = 0;
  while (!reader.isDone) {
    remote += reader.next();
    take(remote, reader.next(), reader.next(), reader.next(), reader.next());
  }
}
