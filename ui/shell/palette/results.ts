import { matches, parseFilter } from "../../pages/devices/filter.ts";
import type { Devices, Group } from "../../wire.ts";
import { nameOf } from "../../text/format.ts";
import { PAGES } from "../../pages/registry.ts";
import { hrefOf } from "../menu.ts";
import { commandHits, deviceCommands, GENERAL, type Hit } from "./commands.ts";

const PAGE_HITS: readonly Hit[] = PAGES.flatMap(({ path, title, note, icon }): readonly Hit[] =>
  note === undefined ? [] : [{ kind: "Pages", text: title, note, href: hrefOf(path), icon }]
);
const MAX_HITS = 8;

/**
 * Where a few typed words may lead, and what they may ask for: devices first, what can be done with
 * the only one that is found, then groups, acts and pages; all pages for no words.
 */
export function paletteHits(
  text: string,
  devices: Devices,
  groups: readonly Group[],
): readonly Hit[] {
  const label = text.trim().toLowerCase();
  if (label === "") return [...PAGE_HITS, ...GENERAL];
  const terms = parseFilter(text);
  const found = Object.entries(devices)
    .filter(([identity, device]) => matches(identity, device, terms))
    .toSorted(([a, x], [b, y]) => {
      const [one, other] = [nameOf(a, x), nameOf(b, y)];
      return rank(one, label) - rank(other, label) || one.localeCompare(other);
    });
  const [first] = found;
  const sharing = groups.filter((group) => group.Name.includes(label)).map(({ Name }): Hit => ({
    kind: "Groups",
    text: Name,
    note: "show devices",
    href: `/admin/devices?q=${encodeURIComponent(`group:"${Name}"`)}`,
    icon: "people",
  }));
  const pages = PAGE_HITS.filter(({ text }) => isLike(text, label));
  const acts = commandHits(text, devices, groups);
  return [
    ...found.slice(0, MAX_HITS).map(([identity, device]): Hit => ({
      kind: "Devices",
      text: nameOf(identity, device),
      note: device.RecentIP,
      href: `/admin/devices/${encodeURIComponent(identity)}`,
      icon: "devices",
    })),
    ...(first !== undefined && found.length === 1 ? deviceCommands(first[0], devices) : []),
    ...sharing.slice(0, MAX_HITS),
    ...acts,
    ...pages,
  ];
}

/** Names that begin with the words come first. */
function rank(name: string, text: string): number {
  return name.toLowerCase().startsWith(text) ? 0 : 1;
}

/** True where a page is called so, or one of its words begins so. */
function isLike(text: string, label: string): boolean {
  const name = text.toLowerCase();
  return name.startsWith(label) || name.split(" ").some((word) => word.startsWith(label));
}
