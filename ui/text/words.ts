import type { Device, Devices } from "../wire.ts";

/** How a policy is called, and what it lets a device do. */
export interface PolicyWords {
  readonly policy: string;
  readonly label: string;
  readonly chip: string;
  /** One sentence beside the switch. */
  readonly help: string;
  /** Completes "<device> can …". */
  readonly can: string;
  /** True when the switch is on while the policy is absent. */
  readonly inverted?: boolean;
  readonly tone?: "water" | "shut";
}

/** Policies that open something, in the order they are shown. */
export const ACCESS: readonly PolicyWords[] = [
  {
    policy: "wan",
    label: "Internet",
    chip: "Internet",
    help: "Open connections to anywhere outside",
    can: "open connections to anywhere outside",
  },
  {
    policy: "dns",
    label: "Router DNS",
    chip: "DNS",
    help: "Ask this router for names",
    can: "ask this router for names",
  },
  {
    policy: "lan",
    label: "Everyone at home (one way)",
    chip: "Home",
    help: "Start connections to all devices. They can answer, not start",
    can: "start connections to all devices at home",
    tone: "water",
  },
  {
    policy: "lan_upstream",
    label: "Networks above this router",
    chip: "Networks above",
    help: "Private addresses on the uplink side, such as the provider’s box",
    can: "reach private addresses on the uplink side",
    tone: "water",
  },
  {
    policy: "noapi",
    label: "Router admin",
    chip: "No admin",
    help: "Open this page and SSH on the router",
    can: "open this page and SSH on the router",
    inverted: true,
  },
];

/** Policies that filter or hold back. */
export const FAMILY: PolicyWords = {
  policy: "dns:family",
  label: "Family DNS",
  chip: "Family DNS",
  help: "Names for adults are not answered",
  can: "ask only for names that suit a family",
};
export const QUARANTINE: PolicyWords = {
  policy: "quarantine",
  label: "Quarantine",
  chip: "Quarantine",
  help: "Reaches the router only, until you release it",
  can: "reach the router and nothing else",
  tone: "shut",
};
export const BLOCKED: PolicyWords = {
  policy: "disabled",
  label: "Blocked",
  chip: "Blocked",
  help: "Nothing, in or out",
  can: "do nothing, in or out",
  tone: "shut",
};

const ALL: readonly PolicyWords[] = [
  BLOCKED,
  QUARANTINE,
  ...ACCESS.slice(0, 2),
  FAMILY,
  ...ACCESS.slice(2),
];

/** Characters that turn or mark the direction of what follows them (UAX 9, 2). */
const DIRECTION = /[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;

/** A text without the characters by which it would show as another. */
export function plain(text: string): string {
  return text.replace(DIRECTION, "");
}

/** Name of a device; never empty. */
export function nameOf(identity: string, device: Device | undefined): string {
  return plain(device?.Name ?? "").trim() || identity;
}

/** Blocked by a person or by its expiry. */
export function isBlocked(device: Device): boolean {
  return device.DeviceDisabled || device.Policies.includes("disabled");
}

/** It joined by itself and nobody decided about it yet. */
export function isPendingApproval(device: Device): boolean {
  return !isBlocked(device) && device.Groups.length === 0 &&
    device.Policies.every((policy) => policy === "noapi" || policy === "api");
}

export type State = "waiting" | "blocked" | "online" | "offline";

/** The one word for how a device stands. */
export function stateOf(device: Device): State {
  if (isBlocked(device)) return "blocked";
  if (isPendingApproval(device)) return "waiting";
  return device.Online ? "online" : "offline";
}

export interface Chip {
  readonly text: string;
  readonly tone: "" | "water" | "shut" | "heed";
}

/** What a device may use, in chips. */
export function policyChips(device: Device): readonly Chip[] {
  if (isBlocked(device)) return [{ text: "Blocked", tone: "shut" }];
  if (isPendingApproval(device)) return [{ text: "Nothing yet", tone: "heed" }];
  const family = device.Policies.includes(FAMILY.policy);
  return ALL.filter(({ policy }) =>
    device.Policies.includes(policy) && !(family && policy === "dns")
  )
    .map(({ chip, tone }) => ({ text: chip, tone: tone ?? "" }));
}

/** Completes the name of a device to a sentence about what flipping a switch does. */
export function flipSentence(words: PolicyWords, on: boolean): string {
  switch (words.policy) {
    case "dns:family":
      return on
        ? "gets no answer for names for adults any more."
        : "gets an answer for every name again.";
    case "quarantine":
      return on
        ? "reaches the router and nothing else, whatever else it may do."
        : "leaves quarantine and may do again what its switches say.";
    case "disabled":
      return on
        ? "can do nothing, in or out, until you unblock it."
        : "may do again what its switches say.";
    default:
      return on ? `can ${words.can}.` : `can no longer ${words.can}.`;
  }
}

/** Who an end of a reach answer is. */
export function endName(end: string, devices: Devices): string {
  if (end === "internet") return "Internet";
  if (end === "router") return "this router";
  return nameOf(end, devices[end]);
}

/** Who made a change. */
export function byWords(by: string): string {
  if (by.startsWith("token:")) return `token “${by.slice(6)}”`;
  const known: Readonly<Record<string, string>> = {
    timer: "Sluice, not kept in time",
    file: "edited in a file",
    dhcp: "Sluice, as it joined",
    wifi: "Sluice, as it joined Wi-Fi",
    wireguard: "Sluice, as a VPN peer",
    expiry: "Sluice, as it expired",
    start: "Sluice, as it started",
  };
  return known[by] ?? by;
}

/** A number with its thousands apart: `1,234`. */
export function numberWords(value: number): string {
  return value.toLocaleString("en");
}

/** `1 device`, `3 devices`, `1,234 devices`. */
export function count(number: number, one: string, many = `${one}s`): string {
  return `${numberWords(number)} ${number === 1 ? one : many}`;
}
