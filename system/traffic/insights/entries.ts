import { VarintReader, VarintWriter } from "../../core/data/varint.ts";

/*
 * What a bucket of time holds, as lists and as the bytes of them. Addresses, networks and names are
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

/** Bytes between a device and a network. */
export interface NetworkEntry {
  readonly network: number;
  readonly device: number;
  readonly in: number;
  readonly out: number;
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

/** One list of the entries of several, each network of a device once, in the order of both. */
export function mergeNetworks(
  lists: readonly (readonly NetworkEntry[])[],
): readonly NetworkEntry[] {
  const merged = new Map<string, NetworkEntry>();
  for (const entry of lists.flat()) {
    const key = `${entry.network} ${entry.device}`;
    const before = merged.get(key);
    merged.set(
      key,
      before === undefined
        ? entry
        : { ...entry, in: before.in + entry.in, out: before.out + entry.out },
    );
  }
  return [...merged.values()].sort((a, b) => a.network - b.network || a.device - b.device);
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
  const reader = new VarintReader(bytes);
  const entries: DestinationEntry[] = [];
  let remote = 0;
  while (!reader.isDone) {
    remote += reader.next();
    entries.push({
      remote,
      name: reader.next(),
      in: reader.next(),
      out: reader.next(),
      seen: start + reader.next(),
    });
  }
  return entries;
}

/** Networks in the order of networks and devices as bytes. */
export function writeNetworks(entries: readonly NetworkEntry[]): Uint8Array<ArrayBuffer> {
  const writer = new VarintWriter();
  let network = 0, device = 0;
  for (const entry of entries) {
    writer.put(entry.network - network);
    if (entry.network !== network) device = 0;
    writer.put(entry.device - device);
    writer.put(entry.in);
    writer.put(entry.out);
    ({ network, device } = entry);
  }
  return writer.bytes();
}

/** Passes what {@link writeNetworks} wrote to `take`: a million entries without an object for each. */
export function eachNetwork(
  bytes: Uint8Array,
  take: (network: number, device: number, received: number, sent: number) => void,
): void {
  const reader = new VarintReader(bytes);
  let network = 0, device = 0;
  while (!reader.isDone) {
    const step = reader.next();
    if (step !== 0) device = 0;
    network += step;
    device += reader.next();
    take(network, device, reader.next(), reader.next());
  }
}

/** Reads what {@link writeNetworks} wrote. */
export function readNetworks(bytes: Uint8Array): readonly NetworkEntry[] {
  const entries: NetworkEntry[] = [];
  eachNetwork(bytes, (network, device, received, out) => {
    entries.push({ network, device, in: received, out });
  });
  return entries;
}
