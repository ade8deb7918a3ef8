import * as z from "zod";
import { type InspectionEntry, NeighbourEntry } from "../../core/kernel/inspection.ts";
import { normalizeMac, parseIpv4 } from "../../core/net/net.ts";

/** A line of `/proc/net/arp` (proc_net(5)): every field a string. */
export const ArpEntry = z.object({
  IP: z.string(),
  HWType: z.string(),
  Flags: z.string(),
  MAC: z.string(),
  Mask: z.string(),
  Device: z.string(),
}).meta({ id: "ArpEntry" });
export type ArpEntry = z.output<typeof ArpEntry>;

// linux/if_arp.h: ARPHRD_ETHER; ATF_COM, ATF_PERM.
const ETHERNET = "0x1", COMPLETE = 0x2, PERMANENT = 0x4;

/** The kernel's IPv4 neighbours in the form of its ARP table. */
export function arpTable(neighbours: readonly InspectionEntry[]): readonly ArpEntry[] {
  return neighbours.flatMap((entry) => {
    const { dst = "", dev = "", lladdr = "", state } = NeighbourEntry.safeParse(entry).data ?? {};
    if (parseIpv4(dst) === null) return [];
    const mac = normalizeMac(lladdr);
    const flags = (mac === null ? 0 : COMPLETE) | (state?.includes("PERMANENT") ? PERMANENT : 0);
    return [{
      IP: dst,
      HWType: ETHERNET,
      Flags: `0x${flags.toString(16)}`,
      MAC: mac ?? "00:00:00:00:00:00",
      Mask: "*",
      Device: dev,
    }];
  });
}
