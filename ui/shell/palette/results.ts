import { matches, parseFilter } from "../../pages/devices/filter.ts";
import type { Devices, Group } from "../../wire.ts";
import { nameOf } from "../../text/format.ts";
import { DETAILS } from "../../pages/page_details.ts";
import { PAGES } from "../../pages/registry.ts";
import { hrefOf } from "../menu.ts";
import { commandHits, deviceCommands, GENERAL, type Hit, SETTINGS } from "./commands.ts";
import { firstByName } from "./first_by_name.ts";
import { t } from "../../text/language.ts";

/** What people type for a setting beside its name. */
const SETTING_WORDS: Readonly<Record<string, string>> = {
  [t("Dark theme")]: t("night mode colors colours"),
  [t("Light theme")]: t("day mode colors colours"),
  [t("Sign out")]: t("log out logout leave"),
};

const KNOWN_PAGES: readonly Known[] = PAGES.flatMap((page): readonly Known[] => {
  const { path, title, icon } = page;
  const { note, words } = DETAILS[path] ?? {};
  if (note === undefined) return [];
  return [known({ kind: "Pages", text: title, note, href: hrefOf(path), icon }, words)];
});
const PAGE_HITS = KNOWN_PAGES.map(({ hit }) => hit);
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
    .filter(([identity, device]) => matches(identity, device, terms));
  const nearest = firstByName(found, MAX_HITS, ([identity, device]) => {
    const name = nameOf(identity, device);
    return { name, rank: rank(name, label) };
  });
  const [first] = found;
  const sharing = groups.filter((group) => group.Name.includes(label)).map(({ Name }): Hit => ({
    kind: "Groups",
    text: Name,
    note: t("show devices"),
    href: `/admin/groups/${encodeURIComponent(Name)}`,
    icon: "people",
  }));
  const pages = knownHits(label);
  const acts = commandHits(text, devices, groups);
  return [
    ...nearest.map(([identity, device]): Hit => ({
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

/** A page or an act by what it is called and by what else people type for it. */
interface Known {
  readonly hit: Hit;
  readonly title: string;
  readonly texts: readonly string[];
}

function known(hit: Hit, words = ""): Known {
  const title = hit.text.toLowerCase();
  return { hit, title, texts: [title, words].join(" ").trim().split(" ") };
}

const KNOWN: readonly Known[] = [
  ...KNOWN_PAGES,
  ...SETTINGS.map((hit) => known(hit, SETTING_WORDS[hit.text])),
];
/** Letters from which a few may be left out or typed between others. */
const MIN_FUZZY = 3;

/** Pages and settings that fit what was typed, the nearest first: by name, by synonym, by letters. */
function knownHits(text: string): readonly Hit[] {
  const typed = text.split(/\s+/);
  const rated = KNOWN.map((known) => ({ known, rating: rate(known, text, typed) }));
  const nearest = Math.min(...rated.map(({ rating }) => rating));
  // Letters alone count only where nothing fits better.
  const limit = nearest < FUZZY ? FUZZY : NONE;
  return rated.filter(({ rating }) => rating < limit)
    .toSorted((a, b) => a.rating - b.rating)
    .map(({ known }) => known.hit);
}

const SYNONYM = 1, FUZZY = 2, NONE = 3;

function rate({ title, texts }: Known, text: string, typed: readonly string[]): number {
  if (title.startsWith(text) || title.split(" ").some((one) => one.startsWith(text))) return 0;
  if (typed.every((one) => texts.some((other) => other.startsWith(one)))) return SYNONYM;
  return text.length >= MIN_FUZZY && isSubsequence(text, title) ? FUZZY : NONE;
}

/** True where the letters stand in the text in this order, from the beginning of one of its words on. */
function isSubsequence(letters: string, text: string): boolean {
  let at = text.startsWith(letters[0]!) ? 0 : text.indexOf(` ${letters[0]}`);
  if (at < 0) return false;
  for (const letter of letters.replaceAll(" ", "")) {
    at = text.indexOf(letter, at);
    if (at < 0) return false;
    at++;
  }
  return true;
}
