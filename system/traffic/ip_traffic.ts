import type { Desired } from "../core/kernel/desired.ts";
import type { Config } from "../config.ts";
import { uplinkLinks } from "../network/routing/uplink_paths.ts";
import type { DestinationNames } from "./destination_names.ts";
import { PAIR_TIMEOUT_MS, type PairTotals } from "./pair_totals.ts";
import type { IpTrafficEntry } from "./schema.ts";

/** What addresses sent each other, with the interface that it came in on; `now` as for the totals. */
export function ipTraffic(
  { pairs, names }: {
    readonly pairs: Pick<PairTotals, "list">;
    readonly names: Pick<DestinationNames, "nameOf">;
  },
  { config, desired }: { readonly config: Config; readonly desired: Desired },
  now: number,
): readonly IpTrafficEntry[] {
  const links = new Map([
    ...desired.neighbours.map(({ address, link }) => [address, link] as const),
    ...config.firewall.CustomInterfaceRules.map(({ SrcIP, Interface }) =>
      [SrcIP, Interface] as const
    ),
  ]);
  const uplinks = new Set(uplinkLinks(config));
  const uplinkOf = new Map(
    desired.addresses.filter(({ link }) => uplinks.has(link))
      .map(({ address, link }) => [address.replace(/\/\d+$/, ""), link]),
  );
  const [firstUplink = ""] = uplinks;
  return pairs.list().map(({ source, destination, via, packets, bytes, at }) => ({
    // A device's own interface; what comes from outside, on the uplink whose address it knows.
    Interface: links.get(source) ?? uplinkOf.get(via) ?? (via === "" ? "" : firstUplink),
    Src: source,
    Dst: destination,
    SrcDomain: names.nameOf(destination, source),
    DstDomain: names.nameOf(source, destination),
    Packets: packets,
    Bytes: bytes,
    Timeout: PAIR_TIMEOUT_MS / 1000,
    Expires: Math.max(0, Math.ceil((PAIR_TIMEOUT_MS - (now - at)) / 1000)),
  }));
}
