import type { NameUsage } from "../schema.ts";
import { eachDestination, OTHER } from "./destination_list.ts";

/** Names of an answer, and devices of each. */
const MAX_NAMES = 500, MAX_DEVICES = 50;

/** Destinations of a device as the store keeps them, by numbers. */
export interface DeviceDestinations {
  readonly device: number;
  readonly data: Uint8Array;
}

interface Sum {
  in: number;
  out: number;
}

/** Traffic with a name, or with an address that no device knew by a name. */
export interface NameSum extends Readonly<Sum> {
  /** Numbers of the name, 0 for none, and of the address with the most traffic. */
  readonly name: number;
  readonly remote: number;
  /** Bytes by the device's number. */
  readonly devices: ReadonlyMap<number, Readonly<Sum>>;
}

/**
 * Sums by name, or by address where there is none, those with the most bytes first. Lists are gone
 * through twice, so that only these need their devices and addresses.
 */
export function sumsByName(lists: readonly DeviceDestinations[]): readonly NameSum[] {
  const all = new Map<number, Sum>();
  for (const { data } of lists) {
    eachDestination(data, (remote, name, received, sent) => {
      if (remote !== OTHER) add(all, keyOf(remote, name), received, sent);
    });
  }
  const top = new Map(
    [...all].sort(([, a], [, b]) => b.in + b.out - a.in - a.out).slice(0, MAX_NAMES)
      .map((
        [key, sum],
      ) => [key, { sum, devices: new Map<number, Sum>(), remotes: new Map<number, Sum>() }]),
  );
  for (const { device, data } of lists) {
    eachDestination(data, (remote, name, received, sent) => {
      const one = remote === OTHER ? undefined : top.get(keyOf(remote, name));
      if (one === undefined) return;
      add(one.devices, device, received, sent);
      add(one.remotes, remote, received, sent);
    });
  }
  return [...top].map(([key, { sum, devices, remotes }]) => ({
    ...sum,
    name: Math.max(0, key),
    remote: largestFirst(remotes)[0]![0],
    devices,
  }));
}

/** Devices of a name with their bytes, those with the most first. */
export function devicesOf(
  { devices }: NameSum,
  addressOf: (device: number) => string,
): NameUsage["Devices"] {
  return largestFirst(devices).slice(0, MAX_DEVICES).map(([device, bytes]) => ({
    IP: addressOf(device),
    BytesIn: bytes.in,
    BytesOut: bytes.out,
  }));
}

/** The name, or the address as a negative number. */
function keyOf(remote: number, name: number): number {
  return name === 0 ? -remote : name;
}

function add(sums: Map<number, Sum>, key: number, received: number, sent: number): void {
  const sum = sums.get(key);
  if (sum === undefined) sums.set(key, { in: received, out: sent });
  else {
    sum.in += received;
    sum.out += sent;
  }
}

function largestFirst(
  sums: ReadonlyMap<number, Readonly<Sum>>,
): readonly (readonly [number, Readonly<Sum>])[] {
  return [...sums].sort(([, a], [, b]) => b.in + b.out - a.in - a.out);
}
