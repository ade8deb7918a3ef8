import { must } from "../lab/command.ts";
import type { Lab } from "../lab/lab.ts";

/** Gives a radio of this machine to a part of the lab. */
export async function giveRadio(lab: Lab, link: string, part: string): Promise<void> {
  const phy = (await Deno.readTextFile(`/sys/class/net/${link}/phy80211/name`)).trim();
  await must("iw", ["phy", phy, "set", "netns", "name", lab.space(part)]);
}

/** Takes a radio out of a part of the lab, as if it was unplugged. */
export async function takeRadio(lab: Lab, link: string, part: string): Promise<void> {
  const shown = await lab.must(part, "iw", ["dev", link, "info"]);
  const phy = `phy${/wiphy (\d+)/.exec(shown)![1]}`;
  await lab.must(part, "iw", ["phy", phy, "set", "netns", String(Deno.pid)]);
}
