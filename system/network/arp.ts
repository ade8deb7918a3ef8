import { z } from "zod";
import type { NeighbourFact } from "../core/kernel.ts";
import { parseIpv4 } from "../core/net.ts";

/** A line of `/proc/net/arp` (proc_net(5)): every field a string. */
export const ArpEntry = z.object({
  IP: z.string(),
  HWType: z.string(),
  Flags: z.string(),
  MAC: z.string(),
  Mask: z.string(),
  Device: z.string(),
});
export type ArpEntry = z.output<typeof ArpEntry>;

// linux/if_arp.h: ARPHRD_ETHER; ATF_COM, ATF_PERM.
const ETHERNET = "0x1", COMPLETE = 0x2, PERMANENT = 0x4;

/** The IPv4 neighbours in the form of the kernel's ARP table. */
export function arpTable(neighbours: readonly NeighbourFact[]): readonly ArpEntry[] {
  return neighbours.filter(({ address }) => parseIpv4(address) !== null).map((one) => {
    const flags = (one.mac === null ? 0 : COMPLETE) | (one.permanent ? PERMANENT : 0);
    return {
      IP: one.address,
      HWType: ETHERNET,
      Flags: `0x${flags.toString(16)}`,
      MAC: one.mac ?? "00:00:00:00:00:00",
      Mask: "*",
      Device: one.link,
    };
  });
}
