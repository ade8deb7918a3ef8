import type { Config } from "../../config.ts";
import type { Desired } from "../../core/kernel/host.ts";
import { linkOf } from "../../firewall/judge/lookup.ts";

/** The link on which each device's address is, as far as it is known. */
export function addressLinks(
  config: Pick<Config, "devices">,
  desired: Desired,
): Readonly<Record<string, string>> {
  const links = new Map(desired.neighbours.map(({ address, link }) => [address, link]));
  for (const { RecentIP } of Object.values(config.devices)) {
    if (RecentIP === "" || links.has(RecentIP)) continue;
    // Behind a tunnel nobody is a neighbour.
    const link = linkOf(desired.ruleset, RecentIP);
    if (link !== undefined) links.set(RecentIP, link);
  }
  return Object.fromEntries(links);
}
