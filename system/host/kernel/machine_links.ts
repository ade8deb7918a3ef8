import type { InspectionEntry } from "../../core/kernel/inspection.ts";
import { InterfaceName } from "../../core/net/grammar.ts";
import type { LinkFact } from "../../core/kernel/facts.ts";

/**
 * The machine's links as `ip -j address` lists them, without loopback: the interfaces that setup offers
 * before anything is applied. Invalid entries are left out.
 */
export function machineLinks(entries: readonly InspectionEntry[]): readonly LinkFact[] {
  return entries.flatMap(({ ifname, ifindex, address, flags }): LinkFact[] => {
    const name = InterfaceName.safeParse(ifname);
    if (!name.success || name.data === "lo" || typeof ifindex !== "number") return [];
    const has = (flag: string): boolean => Array.isArray(flags) && flags.includes(flag);
    return [{
      name: name.data,
      index: ifindex,
      mac: typeof address === "string" ? address : null,
      up: has("UP"),
      running: has("LOWER_UP"),
      kind: null,
    }];
  });
}
