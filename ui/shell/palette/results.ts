import { matches, parseFilter } from "../../pages/devices/filter.ts";
import type { Devices, Group } from "../../wire.ts";
import { nameOf } from "../../text/words.ts";
import { PLACES } from "../menu.ts";
import { actHits, deviceActs, GENERAL, type Hit } from "./commands.ts";

/** What the pages are about, in a few words. */
const NOTES: Readonly<Record<string, string>> = {
  "/admin": "What needs you",
  "/admin/devices": "Every device",
  "/admin/groups": "Who shares a group",
  "/admin/rules": "Forwards, blocks, router ports",
  "/admin/reach": "Who can reach what, and why",
  "/admin/matrix": "Every pair at one look",
  "/admin/network": "Links, addresses, neighbours",
  "/admin/addresses": "Leases, pools, networks",
  "/admin/multicast": "What is repeated between links",
  "/admin/changes": "What changed, and the way back",
  "/admin/access": "Sessions, password, second factor",
};
const PAGES: readonly Hit[] = [
  ...PLACES.map(({ word, href, icon }) => page(word, { note: NOTES[href] ?? "", href, icon })),
  page("Add a device", {
    note: "By its own Wi-Fi password or by address",
    href: "/admin/devices/add",
    icon: "plus",
  }),
  page("Import devices", { note: "From a file", href: "/admin/devices/import", icon: "copy" }),
];
const MOST = 8;

function page(text: string, rest: Pick<Hit, "note" | "href" | "icon">): Hit {
  return { kind: "Pages", text, ...rest };
}

/**
 * Where a few typed words may lead, and what they may ask for: devices first, what can be done with
 * the only one that is found, then groups, acts and pages; all pages for no words.
 */
export function paletteHits(
  text: string,
  devices: Devices,
  groups: readonly Group[],
): readonly Hit[] {
  const words = text.trim().toLowerCase();
  if (words === "") return [...PAGES, ...GENERAL];
  const terms = parseFilter(text);
  const found = Object.entries(devices)
    .filter(([identity, device]) => matches(identity, device, terms))
    .toSorted(([a, x], [b, y]) => {
      const [one, other] = [nameOf(a, x), nameOf(b, y)];
      return rank(one, words) - rank(other, words) || one.localeCompare(other);
    });
  const [first] = found;
  const sharing = groups.filter((group) => group.Name.includes(words)).map(({ Name }): Hit => ({
    kind: "Groups",
    text: Name,
    note: "its devices",
    href: `/admin/devices?q=${encodeURIComponent(`group:"${Name}"`)}`,
    icon: "people",
  }));
  const pages = PAGES.filter(({ text }) => isLike(text, words));
  const acts = actHits(text, devices, groups);
  return [
    ...found.slice(0, MOST).map(([identity, device]): Hit => ({
      kind: "Devices",
      text: nameOf(identity, device),
      note: device.RecentIP,
      href: `/admin/devices/${encodeURIComponent(identity)}`,
      icon: "devices",
    })),
    ...(first !== undefined && found.length === 1 ? deviceActs(first[0], devices) : []),
    ...sharing.slice(0, MOST),
    ...acts,
    ...pages,
  ];
}

/** Names that begin with the words come first. */
function rank(name: string, words: string): number {
  return name.toLowerCase().startsWith(words) ? 0 : 1;
}

/** True where a page is called so, or one of its words begins so. */
function isLike(text: string, words: string): boolean {
  const name = text.toLowerCase();
  return name.startsWith(words) || name.split(" ").some((word) => word.startsWith(words));
}
