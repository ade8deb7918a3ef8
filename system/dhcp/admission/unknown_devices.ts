import type { Config } from "../../config.ts";
import type { Observed } from "../../core/engine/change.ts";
import { inRange4, type Range4 } from "../../core/net/net.ts";
import { conflict, type Problem } from "../../core/errors/problem.ts";
import { isUndecided } from "../../devices/device.ts";
import { isOpen as isAdmitting } from "./admission_rules.ts";
import { allocate, capacity, heldAddress, heldAddresses, poolsOf } from "../tiny_net.ts";

/*
 * A card's address is made up in a moment, and each one that asks to the end is a device with an
 * address from then on. So that nobody uses up the networks of the others in this way, devices about
 * which nobody has decided have bounds; all others are always served.
 */

/** Of what decided devices leave of a network, one part in so many is kept for them. */
const KEPT_PART = 4;
/** Milliseconds for which newcomers are counted: an hour. */
const COUNTED_FOR = 3600_000;
/** Newcomers of a link within that time: one for so many addresses, and always this many. */
const ADDRESSES_EACH = 8, ALWAYS = 32;
/** Most newcomers that are remembered until they are seen; the oldest gives way. */
const MOST = 1024;

/** Where a device is, and since when (unix milliseconds). */
interface Place {
  readonly link: string | null;
  readonly firstSeen: number;
}

/** A device that the router does not know yet asks on a link. */
export interface Arrival {
  readonly link: string;
  /** Unix milliseconds. */
  readonly now: number;
  readonly observed: Observed;
}

/** What a newcomer is held back by: the share of the networks, or the number within an hour. */
export type Bound = "share" | "hour";

/** The configuration with those networks alone in which a device may be that nobody has decided about. */
export function openTo(config: Config): Config {
  const nets = openNets(config);
  // Where there is none, the refusal says so.
  if (nets.length === 0 || nets.length === config.dhcp.TinyNets.length) return config;
  return { ...config, dhcp: { ...config.dhcp, TinyNets: [...nets] } };
}

/** Says whether a device that the router does not know may have an address. */
export class Newcomers {
  /** Those who were let in and may not be among what was observed yet. */
  readonly #placed = new Map<string, Place>();

  /** What speaks against another newcomer on a link; null for nothing. */
  refusal(config: Config, { link, now, observed }: Arrival): Problem | null {
    if (openNets(config).length === 0) {
      // Where nothing is left for anybody, that is what there is to say.
      return !isAnyLeft(config) ? null : held("share", shareWords(config.dhcp.TinyNets));
    }
    if (isAdmitting(config.newcomers, link, now)) return null;
    const most = hourly(config);
    let count = 0;
    for (const identity of undecidedOf(config.devices)) {
      const place = observed.devices[identity] ?? this.#placed.get(identity);
      // What seems to come from a time ahead was seen before the clock was set: nobody knows when.
      const age = place === undefined ? -1 : now - place.firstSeen;
      const recent = place?.link === link && age >= 0 && age < COUNTED_FOR;
      if (recent && ++count >= most) return held("hour", hourWords(link, most));
    }
    return null;
  }

  /** A newcomer is let in on a link. */
  note(identity: string, { link, now }: Pick<Arrival, "link" | "now">): void {
    this.#placed.delete(identity);
    this.#placed.set(identity, { link, firstSeen: now });
    const oldest = this.#placed.keys().next().value;
    if (this.#placed.size > MOST && oldest !== undefined) this.#placed.delete(oldest);
  }
}

// Configurations are immutable: what is counted of one is asked for several times for each lease.
const undecided = new WeakMap<Config["devices"], readonly string[]>();
const open = new WeakMap<Config["devices"], ReturnType<typeof openOf>>();

function undecidedOf(devices: Config["devices"]): readonly string[] {
  let known = undecided.get(devices);
  if (known === undefined) {
    known = Object.keys(devices).filter((identity) => isUndecided(devices[identity]!));
    undecided.set(devices, known);
  }
  return known;
}

/** Networks in which one more device may be that nobody has decided about. */
export function openNets(config: Pick<Config, "devices" | "dhcp">): readonly string[] {
  let known = open.get(config.devices);
  if (known?.of !== config.dhcp.TinyNets) {
    known = openOf(config);
    open.set(config.devices, known);
  }
  return known.nets;
}

function openOf(
  config: Pick<Config, "devices" | "dhcp">,
): { readonly of: readonly string[]; readonly nets: readonly string[] } {
  const { TinyNets } = config.dhcp;
  const pools = poolsOf(TinyNets);
  const uses = pools.map((pool) => ({ pool, decided: 0, undecided: 0 }));
  for (const device of Object.values(config.devices)) {
    const address = heldAddress(device);
    const use = address === null ? undefined : uses.find(({ pool }) => inRange4(pool, address));
    if (use !== undefined) use[isUndecided(device) ? "undecided" : "decided"]++;
  }
  return { of: TinyNets, nets: TinyNets.filter((_, index) => isOpen(uses[index]!)) };
}

function isOpen(
  use: { readonly pool: Range4; readonly decided: number; readonly undecided: number },
): boolean {
  const rest = capacity(use.pool) - use.decided;
  return use.undecided < rest - Math.floor(rest / KEPT_PART);
}

function isAnyLeft({ devices, dhcp }: Pick<Config, "devices" | "dhcp">): boolean {
  return allocate(poolsOf(dhcp.TinyNets), heldAddresses(devices)) !== null;
}

/** Newcomers that one link may have within an hour. */
function hourly(config: Pick<Config, "dhcp">): number {
  const places = poolsOf(config.dhcp.TinyNets).reduce((sum, pool) => sum + capacity(pool), 0);
  return Math.max(ALWAYS, Math.floor(places / ADDRESSES_EACH));
}

/** By what the refusal of a newcomer holds it back; null for any other problem. */
export function heldBackBy(problem: Problem): Bound | null {
  return (problem.members["heldBack"] as Bound | undefined) ?? null;
}

function held(bound: Bound, words: string): Problem {
  return conflict(words, { heldBack: bound });
}

const WAY_OUT = "Decide about those that are yours, delete those that are not; a device that you " +
  "add by its card is let in at once";

function shareWords(nets: readonly string[]): string {
  return "Unknown devices get no address any more: so many have one about which nobody has " +
    `decided that the rest of ${nets.join(", ")} is kept for devices that you know. ${WAY_OUT}`;
}

function hourWords(link: string, most: number): string {
  return `Unknown devices get no address on ${link} for a while: ${most} came there within an hour ` +
    `about which nobody has decided. Open the link for an hour if they are yours. ${WAY_OUT}`;
}
