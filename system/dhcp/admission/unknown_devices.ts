import { memberIndex } from "../../core/config/member_index.ts";
import { onceEach } from "../../core/config/memo.ts";
import type { Config } from "../../config.ts";
import type { Observations } from "../../core/engine/change.ts";
import { inRange4, type Range4 } from "../../core/net/net.ts";
import { conflict, type Problem } from "../../core/errors/problem.ts";
import { isUndecided } from "../../devices/device.ts";
import type { Device } from "../../devices/schema.ts";
import { isAdmitting } from "./admission_rules.ts";
import { allocate, capacity, heldAddress, heldBlocks, poolsOf } from "../tiny_net.ts";

/*
 * A MAC address is easily invented, and each one that completes a DHCP exchange is a device with an
 * address from then on. So that nobody exhausts the pools in this way, pending devices are limited;
 * approved ones are always served.
 */

/** Of what approved devices leave of a pool, one part in so many is reserved for them. */
const RESERVED_FRACTION = 4;
/** Period over which unknown devices are counted. */
const RATE_WINDOW_MS = 3600_000;
/** Unknown devices per interface and hour: one for so many addresses, and at least this many. */
const ADDRESSES_PER_DEVICE = 8, MIN_PER_HOUR = 32;
/** Unknown devices that are remembered until they are observed; the oldest is dropped. */
const MAX_REMEMBERED = 1024;

/** Where and when (unix milliseconds) a device appeared. */
interface Appearance {
  readonly link: string | null;
  readonly firstSeen: number;
}

/** An unknown device that requests an address on an interface. */
export interface Arrival {
  readonly link: string;
  /** Unix milliseconds. */
  readonly now: number;
  readonly observed: Observations;
}

/** What an unknown device is limited by: the reserved part of the pools, or the rate per hour. */
export type AdmissionLimit = "pool" | "rate";

/** The configuration with only the pools that take one more pending device. */
export function withUnknownPools(config: Config): Config {
  const nets = unknownPools(config);
  // Where there is none, the refusal says so.
  if (nets.length === 0 || nets.length === config.dhcp.TinyNets.length) return config;
  return { ...config, dhcp: { ...config.dhcp, TinyNets: [...nets] } };
}

/** Limits how many unknown devices get an address. */
export class UnknownDevices {
  /** Devices that were admitted and may not be observed yet. */
  readonly #added = new Map<string, Appearance>();

  /** Why another unknown device on an interface is refused; null when it is admitted. */
  refusal(config: Config, { link, now, observed }: Arrival): Problem | null {
    if (unknownPools(config).length === 0) {
      // With no address left for anybody, the lease itself reports it.
      return !hasFreeAddress(config)
        ? null
        : limitProblem("pool", reserveMessage(config.dhcp.TinyNets));
    }
    if (isAdmitting(config.admissions, link, now)) return null;
    const max = maxPerHour(config);
    let count = 0;
    for (const identity of undecidedOf(config.devices)) {
      const seen = observed.devices[identity] ?? this.#added.get(identity);
      // A time in the future was recorded before the clock was set: its age is unknown.
      const age = seen === undefined ? -1 : now - seen.firstSeen;
      const recent = seen?.link === link && age >= 0 && age < RATE_WINDOW_MS;
      if (recent && ++count >= max) return limitProblem("rate", rateMessage(link, max));
    }
    return null;
  }

  /** Records a device that was admitted on an interface. */
  add(identity: string, { link, now }: Pick<Arrival, "link" | "now">): void {
    this.#added.delete(identity);
    this.#added.set(identity, { link, firstSeen: now });
    const oldest = this.#added.keys().next().value;
    if (this.#added.size > MAX_REMEMBERED && oldest !== undefined) this.#added.delete(oldest);
  }
}

const undecidedOf = memberIndex<Device, Set<string>>({
  empty: () => new Set(),
  add: (undecided, identity, device) => {
    if (isUndecided(device)) undecided.add(identity);
  },
  remove: (undecided, identity) => void undecided.delete(identity),
});

/** Pools that take one more pending device. */
export function unknownPools(
  { devices, dhcp }: Pick<Config, "devices" | "dhcp">,
): readonly string[] {
  const uses = usesOf(dhcp.TinyNets)(devices);
  return dhcp.TinyNets.filter((_, index) => hasRoomForUnknown(uses[index]!));
}

/** How many approved and pending devices have an address of a pool. */
interface Use {
  readonly pool: Range4;
  decided: number;
  undecided: number;
}

const usesOf = onceEach((networks: readonly string[]) => {
  const count = (uses: readonly Use[], device: Device, by: 1 | -1): void => {
    const address = heldAddress(device);
    const use = address === null ? undefined : uses.find(({ pool }) => inRange4(pool, address));
    if (use !== undefined) use[isUndecided(device) ? "undecided" : "decided"] += by;
  };
  return memberIndex<Device, readonly Use[]>({
    empty: () => poolsOf(networks).map((pool) => ({ pool, decided: 0, undecided: 0 })),
    add: (uses, _, device) => count(uses, device, 1),
    remove: (uses, _, device) => count(uses, device, -1),
  });
});

function hasRoomForUnknown(use: Readonly<Use>): boolean {
  const rest = capacity(use.pool) - use.decided;
  return use.undecided < rest - Math.floor(rest / RESERVED_FRACTION);
}

function hasFreeAddress({ devices, dhcp }: Pick<Config, "devices" | "dhcp">): boolean {
  return allocate(poolsOf(dhcp.TinyNets), [], heldBlocks(devices)) !== null;
}

/** Unknown devices that one interface may have within an hour. */
function maxPerHour(config: Pick<Config, "dhcp">): number {
  const addresses = poolsOf(config.dhcp.TinyNets).reduce((sum, pool) => sum + capacity(pool), 0);
  return Math.max(MIN_PER_HOUR, Math.floor(addresses / ADDRESSES_PER_DEVICE));
}

/** The limit by which a problem refuses an unknown device; null for any other problem. */
export function admissionLimitOf(problem: Problem): AdmissionLimit | null {
  return (problem.members["limit"] as AdmissionLimit | undefined) ?? null;
}

function limitProblem(limit: AdmissionLimit, message: string): Problem {
  return conflict(message, { limit: limit });
}

const REMEDY =
  "Approve the devices that are yours and delete the others; a device that you add by " +
  "its MAC address is admitted at once";

function reserveMessage(nets: readonly string[]): string {
  return "Unknown devices get no address: too many devices are pending, and the remaining addresses " +
    `of ${nets.join(", ")} are reserved for approved devices. ${REMEDY}`;
}

function rateMessage(link: string, max: number): string {
  return `Unknown devices get no address on ${link} for now: ${max} new devices there within an hour ` +
    `are pending. Admit unknown devices on ${link} for an hour if they are yours. ${REMEDY}`;
}
