import { matches, parseFilter } from "../pages/devices/filter.ts";
import type { Devices, Group } from "../wire.ts";
import { nameOf } from "../words.ts";
import type { IconName } from "./icon.tsx";

/** A place that the palette can go to. */
export interface Hit {
  readonly kind: "Devices" | "Groups" | "Pages";
  readonly text: string;
  readonly note: string;
  readonly href: string;
  readonly icon: IconName;
}

const PAGES: readonly Hit[] = [
  page("Home", "What needs you", "/admin", "home"),
  page("Devices", "Every device", "/admin/devices", "devices"),
  page("Add device", "By its own Wi-Fi password or by address", "/admin/devices/add", "plus"),
  page("Import devices", "From a file", "/admin/devices/import", "copy"),
  page("Groups", "Who shares a group", "/admin/groups", "people"),
  page("Rules", "Forwards, blocks, router ports", "/admin/rules", "gate"),
  page("Reach", "Who can reach what, and why", "/admin/reach", "gateopen"),
  page("Network", "Links, addresses, neighbours", "/admin/network", "router"),
  page("Changes", "What changed, and the way back", "/admin/changes", "changes"),
  page("Access", "Sessions, password, second factor", "/admin/access", "key"),
];
const MOST = 8;

function page(text: string, note: string, href: string, icon: IconName): Hit {
  return { kind: "Pages", text, note, href, icon };
}

/** Where a few typed words may lead: devices first, then groups and pages; all pages for no words. */
export function paletteHits(
  text: string,
  devices: Devices,
  groups: readonly Group[],
): readonly Hit[] {
  const words = text.trim().toLowerCase();
  if (words === "") return PAGES;
  const terms = parseFilter(text);
  const found = Object.entries(devices)
    .filter(([identity, device]) => matches(identity, device, terms))
    .map(([identity, device]): Hit => ({
      kind: "Devices",
      text: nameOf(identity, device),
      note: device.RecentIP,
      href: `/admin/devices/${encodeURIComponent(identity)}`,
      icon: "devices",
    }))
    .toSorted((a, b) => rank(a.text, words) - rank(b.text, words) || a.text.localeCompare(b.text));
  const sharing = groups.filter((group) => group.Name.includes(words)).map(({ Name }): Hit => ({
    kind: "Groups",
    text: Name,
    note: "its devices",
    href: `/admin/devices?q=${encodeURIComponent(`group:"${Name}"`)}`,
    icon: "people",
  }));
  const pages = PAGES.filter((hit) => hit.text.toLowerCase().startsWith(words));
  return [...found.slice(0, MOST), ...sharing.slice(0, MOST), ...pages];
}

/** Names that begin with the words come first. */
function rank(name: string, words: string): number {
  return name.toLowerCase().startsWith(words) ? 0 : 1;
}
