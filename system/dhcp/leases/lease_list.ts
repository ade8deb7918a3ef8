import * as z from "zod";
import type { Config } from "../../config.ts";
import type { Observations } from "../../core/engine/change.ts";
import { leaseSeconds } from "../schema.ts";

/** The lease of one device. */
export const LeaseItem = z.object({
  identity: z.string(),
  address: z.string(),
  interface: z.string().nullable().describe("Interface where it was last seen; null for never"),
  since: z.int().nullable().describe("Last renewal in unix milliseconds; null for never"),
  until: z.int().nullable().describe("When the lease expires, in unix milliseconds"),
  name: z.string(),
  online: z.boolean(),
  clientId: z.string().describe('Client identifier (option 61) in hexadecimal; "" for none'),
  sameClient: z.array(z.string())
    .describe(
      "Other devices with the same client identifier: the same machine with another MAC address",
    ),
}).meta({ id: "LeaseItem" });
export type LeaseItem = z.output<typeof LeaseItem>;

/** Every device that has an address, sorted by address. */
export function leaseList(
  config: Pick<Config, "devices" | "dhcp">,
  observed: Observations,
): LeaseItem[] {
  const lasts = leaseSeconds(config.dhcp.LeaseTime) * 1000;
  const clients = Map.groupBy(
    Object.keys(config.devices).filter((identity) => observed.devices[identity]?.clientId),
    (identity) => observed.devices[identity]!.clientId!,
  );
  const value = (address: string): number =>
    address.split(".").reduce((sum, part) => sum * 256 + Number(part), 0);
  return Object.entries(config.devices)
    .filter(([, { RecentIP }]) => RecentIP !== "")
    .map(([identity, { RecentIP, Name }]) => {
      const seen = observed.devices[identity];
      const since = seen !== undefined && seen.lastSeen > 0 ? seen.lastSeen : null;
      return {
        identity,
        address: RecentIP,
        interface: seen?.link ?? null,
        since,
        until: since === null ? null : since + lasts,
        name: Name,
        online: seen?.online ?? false,
        clientId: seen?.clientId ?? "",
        sameClient: (clients.get(seen?.clientId ?? "") ?? []).filter((one) => one !== identity),
      };
    })
    .sort((a, b) => value(a.address) - value(b.address));
}
