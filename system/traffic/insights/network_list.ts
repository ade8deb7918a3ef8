/*
 * What a bucket of time holds of all devices, as entries and as the bytes of them. Networks and devices
 * are numbers of the store's tables. An overview of 90 days and 500 devices adds up a million entries:
 * their bytes are columns of words of 32 bits, little-endian, which are read where they lie.
 *
 *   word 0      number of networks N
 *   word 1      number of entries E
 *   word 2      number of sums of 4 GiB and more H
 *   N words     the networks, ascending
 *   N words     the entry with which each network ends
 *   E words     devices, ascending in each network
 *   E words     bytes that each received, modulo 2³²
 *   E words     bytes that each sent, modulo 2³²
 *   2 × H words twice the entry, one more for what was sent; what is above 2³² of it
 */

/** Bytes between a device and a network. */
export interface NetworkEntry {
  readonly network: number;
  readonly device: number;
  readonly in: number;
  readonly out: number;
}

/** Entries by network, as columns. */
export interface NetworkList {
  readonly networks: Uint32Array;
  /** For each network the position after its last entry. */
  readonly ends: Uint32Array;
  readonly devices: Uint32Array;
  /** Bytes that each device received from the network, and sent there. */
  readonly received: Uint32Array | Float64Array;
  readonly sent: Uint32Array | Float64Array;
}

const HEAD = 3;
const WORD = 2 ** 32;

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

/** Entries in the order of networks and devices as bytes. Throws RangeError for what is no such number. */
export function writeNetworks(entries: readonly NetworkEntry[]): Uint8Array<ArrayBuffer> {
  const networks: number[] = [], ends: number[] = [], large: number[] = [];
  const columns = [entries.map(({ device }) => device)];
  for (const [column, field] of (["in", "out"] as const).entries()) {
    columns.push(entries.map((entry, at) => {
      const value = entry[field];
      if (!Number.isSafeInteger(value) || value < 0) throw new RangeError(`Cannot write ${value}`);
      const above = Math.floor(value / WORD);
      if (above > 0) large.push(2 * at + column, above);
      return value % WORD;
    }));
  }
  for (const [at, { network }] of entries.entries()) {
    if (networks.at(-1) !== network) {
      networks.push(network);
      ends.push(at);
    }
    ends[ends.length - 1] = at + 1;
  }
  const head = [networks.length, entries.length, large.length / 2];
  const parts = [head, networks, ends, ...columns, large];
  const words = new Uint32Array(parts.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const part of parts) {
    words.set(part, at);
    at += part.length;
  }
  return new Uint8Array(words.buffer);
}

/** The columns of what {@link writeNetworks} wrote. Throws RangeError for other bytes. */
export function readNetworkList(bytes: Uint8Array): NetworkList {
  const whole = bytes.byteOffset % 4 === 0 ? bytes : bytes.slice();
  if (whole.length % 4 !== 0) throw malformed();
  const words = new Uint32Array(whole.buffer, whole.byteOffset, whole.length / 4);
  const [networks = 0, entries = 0, large = 0] = words;
  if (words.length !== HEAD + 2 * networks + 3 * entries + 2 * large) throw malformed();
  let at = HEAD;
  const next = (count: number): Uint32Array => words.subarray(at, at += count);
  const list = {
    networks: next(networks),
    ends: next(networks),
    devices: next(entries),
    received: next(entries),
    sent: next(entries),
  };
  if ((list.ends.at(-1) ?? 0) !== entries) throw malformed();
  if (large === 0) return list;
  const sums = [Float64Array.from(list.received), Float64Array.from(list.sent)] as const;
  for (let more = at; more < words.length; more += 2) {
    sums[words[more]! & 1]![words[more]! >>> 1]! += words[more + 1]! * WORD;
  }
  return { ...list, received: sums[0], sent: sums[1] };
}

/** The entries of what {@link writeNetworks} wrote. Throws RangeError for other bytes. */
export function readNetworks(bytes: Uint8Array): readonly NetworkEntry[] {
  const { networks, ends, devices, received, sent } = readNetworkList(bytes);
  const entries: NetworkEntry[] = [];
  for (const [at, network] of networks.entries()) {
    for (let one = ends[at - 1] ?? 0; one < ends[at]!; one++) {
      entries.push({ network, device: devices[one]!, in: received[one]!, out: sent[one]! });
    }
  }
  return entries;
}

function malformed(): RangeError {
  return new RangeError("These bytes are no list of networks");
}
