import type { LinkFact } from "../../core/kernel/facts.ts";
import { normalizeMac } from "../../core/net/net.ts";
import type { InterfaceMapping } from "./interface_mapping.ts";

/** Kinds of links that are network adapters, or stand for one in a container or a virtual machine. */
const KINDS: readonly (string | null)[] = [null, "veth", "macvlan", "ipvlan"];

/** Hardware MAC addresses of network adapters, by the name of their interface. */
export type Adapters = ReadonlyMap<string, string>;

/** True for a network adapter, rather than a bridge or the like. */
export function isAdapter({ kind }: Pick<LinkFact, "kind">): boolean {
  return KINDS.includes(kind);
}

/** The hardware MAC address of a link; "" none. */
export function hardwareMac({ mac, permanentMac }: LinkFact): string {
  const address = normalizeMac(permanentMac ?? mac ?? "");
  return address === null || /^00(:00){5}$/.test(address) ? "" : address;
}

/** The network adapters of a machine, without those that share an address: it tells nothing. */
export function adaptersOf(links: readonly LinkFact[]): Adapters {
  const named = links.filter(isAdapter).map((link) => [link.name, hardwareMac(link)] as const);
  return new Map(
    named.filter(([name, mac]) =>
      mac !== "" && !named.some(([other, same]) => other !== name && same === mac)
    ),
  );
}

/** Interfaces whose adapters have other names than they had. */
export interface MovedAdapters {
  /** Each former name by the present one. */
  readonly moves: InterfaceMapping;
  /** Every configured interface keeps a name of its own when these are followed. */
  readonly canFollow: boolean;
}

/**
 * Which of the configured interfaces have another name than they had, by the addresses of their
 * adapters, as when the kernel finds two radios in another order at a boot.
 */
export function movedAdapters(
  configured: readonly string[],
  { known, present }: { readonly known: Adapters; readonly present: Adapters },
): MovedAdapters {
  const byMac = new Map([...present].map(([name, mac]) => [mac, name]));
  const moves = Object.fromEntries(configured.flatMap((name) => {
    const current = byMac.get(known.get(name) ?? "");
    return current === undefined || current === name ? [] : [[name, current]];
  }));
  const mapped = configured.map((name) => moves[name] ?? name);
  return { moves, canFollow: new Set(mapped).size === mapped.length };
}
