import { memberIndex } from "../core/config/member_index.ts";
import { onceEach } from "../core/config/memo.ts";
import { formatIpv4, inRange4, parseIpv4, parseRange4, type Range4 } from "../core/net/net.ts";

/**
 * Every device owns one /30 of a pool ("tiny net"): offset 0 is its route, 1 the router's side, 2 the
 * device, 3 the broadcast address.
 */
const TINY = { size: 4, router: 1, device: 2 } as const;

/** The ranges of pools; an invalid one is left out. */
export function poolsOf(nets: readonly string[]): Range4[] {
  return nets.map(parseRange4).filter((range) => range !== null);
}

/** Number of devices that fit: 64 in a /24, 16384 in a /16. */
export function capacity(pool: Range4): number {
  return Math.floor((pool.last - pool.first + 1) / TINY.size);
}

/** True when the address is the device address of a /30 of one of the pools. */
export function isDeviceAddress(address: number, pools: readonly Range4[]): boolean {
  return pools.some((pool) =>
    inRange4(pool, address) && (address - pool.first) % TINY.size === TINY.device
  );
}

/** True when the address is the router's side of a /30 of one of the pools. */
export function isRouterAddress(address: number, pools: readonly Range4[]): boolean {
  return pools.some((pool) =>
    inRange4(pool, address) && (address - pool.first) % TINY.size === TINY.router
  );
}

/** The router's address in a device's /30. */
export function routerOf(device: number): number {
  return device - TINY.device + TINY.router;
}

/** The /30 of a device, as `address/30`. */
export function routeOf(device: number): string {
  return `${formatIpv4(device - TINY.device)}/30`;
}

/** The router's LAN address, the resolver of every client: the first address of the first pool. */
export function lanAddress(pools: readonly Range4[]): number | null {
  const first = pools[0];
  return first === undefined ? null : first.first + 1;
}

/** Each /30 by its number (its first address divided by four), with how many addresses in it are held. */
type HeldBlocks = ReadonlyMap<number, number>;

/**
 * The lowest free device address, pools in their order; null when every /30 has an address in use.
 * `used` and `held` are not free. Costs as much as there are addresses in use, whatever the size of the
 * pools.
 */
export function allocate(
  pools: readonly Range4[],
  used: Iterable<number>,
  held: HeldBlocks = new Map(),
): number | null {
  const blocks = new Set(Array.from(used, blockOf));
  for (const pool of pools) {
    const first = blockOf(pool.first), end = first + capacity(pool);
    let block = first;
    while (block < end && (held.has(block) || blocks.has(block))) block++;
    if (block < end) return block * TINY.size + TINY.device;
  }
  return null;
}

function blockOf(address: number): number {
  return Math.floor(address / TINY.size);
}

interface AddressHolder {
  readonly RecentIP: string;
}

/** The address that a device holds, as a number; null for none. */
export const heldAddress = onceEach(({ RecentIP }: AddressHolder) => parseIpv4(RecentIP));

/** The addresses that devices hold, as numbers. */
export function heldAddresses(
  devices: Readonly<Record<string, AddressHolder>>,
): readonly number[] {
  return Object.values(devices).map(heldAddress).filter((address) => address !== null);
}

/** The /30s in which devices hold an address. */
export const heldBlocks: (devices: Readonly<Record<string, AddressHolder>>) => HeldBlocks =
  memberIndex<AddressHolder, Map<number, number>>({
    empty: () => new Map(),
    add: (blocks, _, device) => countBlock(blocks, device, 1),
    remove: (blocks, _, device) => countBlock(blocks, device, -1),
  });

function countBlock(blocks: Map<number, number>, device: AddressHolder, by: 1 | -1): void {
  const address = heldAddress(device);
  if (address === null) return;
  const block = blockOf(address), count = (blocks.get(block) ?? 0) + by;
  if (count > 0) blocks.set(block, count);
  else blocks.delete(block);
}
