import type { Device, Devices, Group } from "../../wire.ts";
import { isBlocked, nameOf, plain } from "../../text/format.ts";
import type { Theme } from "../../state/theme.ts";
import type { IconName } from "../../parts/show/icon.tsx";
import { firstByName } from "./first_by_name.ts";
import { t, tn } from "../../text/language.ts";

/** Something that the palette can do. Each shows its preview first, or goes to the page that does it. */
export type PaletteCommand =
  | { readonly kind: "blockGroup"; readonly group: string; readonly identities: readonly string[] }
  | { readonly kind: "block" | "unblock"; readonly identity: string }
  | { readonly kind: "internet"; readonly identity: string; readonly on: boolean }
  | { readonly kind: "theme"; readonly theme: Theme }
  | { readonly kind: "signOut" | "undoLast" };

/** A place that the palette can go to, or something that it can do. */
export interface Hit {
  readonly kind: "Devices" | "Groups" | "Pages" | "Actions" | "Help";
  readonly text: string;
  readonly note: string;
  readonly icon: IconName;
  /** Where it leads; absent for what is done where one is. */
  readonly href?: string;
  readonly command?: PaletteCommand;
}

/** What a device or a group can be made to do, by the words that people use for it. */
const VERBS: readonly (readonly [verb: string, words: readonly string[]])[] = [
  ["block", t("block disable stop").split(" ")],
  ["unblock", t("unblock enable allow").split(" ")],
  ["internet", t("turn give internet take online offline").split(" ")],
  ["reach", t("test check access who can reach reaches").split(" ")],
  ["undo", t("undo revert back").split(" ")],
];
/** Words that only join others. */
const FILLER_WORDS = t("every all device devices in the a of from to on off for last").split(" ");
const GIVING_WORDS = t("give online on").split(" ");
const TAKING_WORDS = t("take offline off").split(" ");
const MAX_HITS = 5;

interface ParsedCommand {
  readonly verbs: ReadonlySet<string>;
  /** What is left of the words: whom it is about. */
  readonly whom: readonly string[];
  /** Whether Internet access is to be given or taken; null where the words leave that open. */
  readonly gives: boolean | null;
}

/** Parts what was typed into what is to be done and to whom. */
function parseCommand(text: string): ParsedCommand {
  const words = text.toLowerCase().split(/\s+/).filter((word) => word !== "");
  const verbs = new Set<string>();
  const target: string[] = [];
  words.forEach((word, at) => {
    const known = VERBS.filter(([, list]) =>
      list.includes(word) ||
      (at === 0 && word.length > 1 && list.some((one) => one.startsWith(word)))
    );
    if (known.length > 0) known.forEach(([verb]) => verbs.add(verb));
    else if (!FILLER_WORDS.includes(word)) target.push(word);
  });
  const gives = words.some((word) => GIVING_WORDS.includes(word));
  const takes = words.some((word) => TAKING_WORDS.includes(word));
  return { verbs, whom: target, gives: gives === takes ? null : gives };
}

function hit(text: string, part: Pick<Hit, "note" | "icon"> & Partial<Hit>): Hit {
  return { kind: "Actions", text: `${text}…`, ...part };
}

const UNDO = hit(t("Revert the last change"), {
  note: t("preview first"),
  icon: "undo",
  command: { kind: "undoLast" },
});
const REACH = hit(t("Test access"), {
  note: t("between two devices"),
  icon: "gate_open",
  href: "/admin/reach",
});

/** Settings of this browser and session, which apply at once. */
export const SETTINGS: readonly Hit[] = [
  setting(t("Dark theme"), "sun", { kind: "theme", theme: "dark" }),
  setting(t("Light theme"), "sun", { kind: "theme", theme: "light" }),
  setting(t("Theme of the system"), "sun", { kind: "theme", theme: "system" }),
  setting(t("Sign out"), "out", { kind: "signOut" }),
];

function setting(text: string, icon: IconName, command: PaletteCommand): Hit {
  return { kind: "Actions", text, note: "", icon, command };
}

/** What can be done, whatever was typed. */
export const GENERAL: readonly Hit[] = [UNDO, REACH];

/** What a few typed words may ask for: `block kids`, `give tablet internet`, `undo`. */
export function commandHits(
  text: string,
  devices: Devices,
  groups: readonly Group[],
): readonly Hit[] {
  const { verbs, whom, gives } = parseCommand(text);
  if (verbs.size === 0) return [];
  const named = (name: string) => whom.every((word) => name.toLowerCase().includes(word));
  const found = Object.entries(devices)
    .filter(([identity, device]) => named(`${nameOf(identity, device)} ${device.RecentIP}`));
  const first = (
    can: (device: Device) => boolean,
    make: (identity: string) => readonly Hit[],
  ): readonly Hit[] =>
    firstByName(
      found.filter(([, device]) => can(device)),
      MAX_HITS,
      ([identity, device]) => ({ name: nameOf(identity, device) }),
    ).flatMap(([identity]) => make(identity));
  const sharing = groups.map(({ Name }) => Name).filter(named).toSorted();
  return [
    ...(verbs.has("undo") && whom.length === 0 ? [UNDO] : []),
    ...(verbs.has("block")
      ? [
        ...sharing.flatMap((group) => blockGroup(group, devices)).slice(0, MAX_HITS),
        ...first((one) => !isBlocked(one), (one) => blocking(one, devices, true)),
      ]
      : []),
    ...(verbs.has("unblock") ? first(isBlocked, (one) => blocking(one, devices, false)) : []),
    ...(verbs.has("internet")
      ? first((one) => canTurn(one, gives), (one) => internet(one, devices))
      : []),
    ...(verbs.has("reach")
      ? [
        ...(whom.length === 0 ? [REACH] : []),
        ...first(() => true, (one) => reaching(one, devices)),
      ]
      : []),
  ];
}

/** What can be done with one device, for when it was found by its name. */
export function deviceCommands(identity: string, devices: Devices): readonly Hit[] {
  return [
    ...internet(identity, devices),
    ...blocking(identity, devices, true),
    ...blocking(identity, devices, false),
    ...reaching(identity, devices),
  ];
}

function blockGroup(group: string, devices: Devices): readonly Hit[] {
  const identities = Object.entries(devices)
    .filter(([, device]) => device.Groups.includes(group) && !isBlocked(device))
    .map(([identity]) => identity);
  if (identities.length === 0) return [];
  return [hit(t("Block all devices in {group}", { group: plain(group) }), {
    note: tn("{count} device", "{count} devices", identities.length),
    icon: "gate_closed",
    command: { kind: "blockGroup", group, identities },
  })];
}

function blocking(identity: string, devices: Devices, on: boolean): readonly Hit[] {
  const device = devices[identity];
  if (device === undefined || isBlocked(device) === on) return [];
  const name = nameOf(identity, device);
  return [hit(on ? t("Block {name}", { name }) : t("Unblock {name}", { name }), {
    note: device.RecentIP,
    icon: on ? "gate_closed" : "gate_open",
    command: { kind: on ? "block" : "unblock", identity },
  })];
}

/** True where Internet access can be given, or taken; null: whichever the device can have. */
function canTurn(device: Device, gives: boolean | null): boolean {
  return !isBlocked(device) && (gives === null || gives !== device.Policies.includes("wan"));
}

function internet(identity: string, devices: Devices): readonly Hit[] {
  const device = devices[identity];
  if (device === undefined || !canTurn(device, null)) return [];
  const on = !device.Policies.includes("wan");
  const name = nameOf(identity, device);
  return [
    hit(
      on ? t("Turn on Internet for {name}", { name }) : t("Turn off Internet for {name}", { name }),
      {
        note: device.RecentIP,
        icon: on ? "gate_open" : "gate_closed",
        command: { kind: "internet", identity, on },
      },
    ),
  ];
}

function reaching(identity: string, devices: Devices): readonly Hit[] {
  const device = devices[identity];
  if (device === undefined) return [];
  return [hit(t("Test access to {name}", { name: nameOf(identity, device) }), {
    note: device.RecentIP,
    icon: "gate_open",
    href: `/admin/reach?${new URLSearchParams({ to: identity })}`,
  })];
}
