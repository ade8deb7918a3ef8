import type { Config } from "../../config.ts";
import type { Desired } from "../../core/kernel/desired.ts";
import { linkOf } from "../../firewall/trace/lookup.ts";

/** The link of each device's address, as far as known. */
export function addressLinks(
  config: Pick<Config, "devices">,
  desired: Desired,
): Readonly<Record<string, string>> {
  const links = new Map(desired.neighbours.map(({ address, link }) => [address, link]));
  for (const { RecentIP } of Object.values(config.devices)) {
    if (RecentIP === "" || links.has(RecentIP)) continue;
    // A tunnel has no neighbours.
    const link = linkOf(desired.ruleset, RecentIP);
    if (link !== undefined) links.set(RecentIP, link);
  }
  return Object.fromEntries(links);
}
