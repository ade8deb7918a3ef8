import type { IconName } from "../parts/show/icon.tsx";

/** A page that the side and the bar of a phone lead to. */
export interface Place {
  readonly href: string;
  readonly word: string;
  readonly icon: IconName;
  /** True where a phone shows it below rather than under More. */
  readonly below?: boolean;
}

/** What people want, with the pages it has; without an address of its own it is a heading. */
export interface Area extends Omit<Place, "href"> {
  readonly href: string | null;
  readonly inside?: readonly Place[];
}

/** Every area that has pages, in the order of the side. */
export const AREAS: readonly Area[] = [
  { href: "/admin", word: "Home", icon: "home", below: true },
  { href: "/admin/devices", word: "Devices", icon: "devices", below: true },
  {
    href: "/admin/rules",
    word: "Rules",
    icon: "gate",
    below: true,
    inside: [
      { href: "/admin/groups", word: "Groups", icon: "people" },
      { href: "/admin/reach", word: "Reach", icon: "gateopen" },
      { href: "/admin/matrix", word: "Who reaches whom", icon: "grid" },
    ],
  },
  {
    href: "/admin/network",
    word: "Network",
    icon: "router",
    inside: [
      { href: "/admin/internet", word: "Internet", icon: "out" },
      { href: "/admin/links", word: "Links", icon: "desktop" },
      { href: "/admin/addresses", word: "Addresses", icon: "server" },
      { href: "/admin/multicast", word: "Multicast", icon: "wifi" },
    ],
  },
  {
    href: "/admin/dns",
    word: "DNS",
    icon: "globe",
    inside: [
      { href: "/admin/dns/lists", word: "Block lists", icon: "gateshut" },
      { href: "/admin/dns/overrides", word: "Overrides", icon: "gateopen" },
      { href: "/admin/dns/names", word: "Host names", icon: "label" },
      { href: "/admin/dns/settings", word: "DNS settings", icon: "system" },
    ],
  },
  {
    href: "/admin/system",
    word: "System",
    icon: "system",
    inside: [
      { href: "/admin/changes", word: "Changes", icon: "changes", below: true },
      { href: "/admin/access", word: "Access", icon: "key" },
      { href: "/admin/logs", word: "Logs", icon: "lines" },
      { href: "/admin/backup", word: "Backup", icon: "copy" },
    ],
  },
];

/** Every page of the areas in a row. */
export const PLACES: readonly Place[] = AREAS.flatMap(({ href, inside = [], ...area }) =>
  href === null ? inside : [{ ...area, href }, ...inside]
);

/**
 * `page` at the page itself, `true` at one inside of it, for `aria-current`; a page that has a place of
 * its own is inside of no other.
 */
export function currentOf(href: string, path: string): "page" | "true" | undefined {
  const here = path.replace(/\/$/, "");
  if (here === href) return "page";
  if (href === "/admin" || !here.startsWith(`${href}/`)) return undefined;
  const nearer = PLACES.some((other) =>
    other.href.startsWith(`${href}/`) && (here === other.href || here.startsWith(`${other.href}/`))
  );
  return nearer ? undefined : "true";
}
