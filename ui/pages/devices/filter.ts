import { isBlocked, isPendingApproval, nameOf } from "../../text/format.ts";
import { policyChips } from "../../text/policies.ts";
import type { Device } from "../../wire.ts";
import { t } from "../../text/language.ts";

/** One part of a filter: a word, or `key:value`. */
export interface Term {
  /** As it was typed, for saying which part to drop. */
  readonly text: string;
  readonly key: "word" | "group" | "policy" | "tag" | "interface" | "state";
  readonly value: string;
}

const STATES = ["online", "offline", "pending", "blocked"];
const KEYS = ["group", "policy", "tag", "interface"] as const;

/** Reads `kids group:"living room" offline`; every term must hold. Never throws. */
export function parseFilter(text: string): readonly Term[] {
  const parts = text.match(/[^\s"]*"[^"]*"?|\S+/g) ?? [];
  return parts.map(parseTerm).filter((term) => term.value !== "");
}

function parseTerm(part: string): Term {
  const plain = part.replaceAll('"', "").toLowerCase();
  const colon = plain.indexOf(":");
  const key = KEYS.find((known) => known === plain.slice(0, colon));
  if (key !== undefined) return { text: part, key, value: plain.slice(colon + 1) };
  return { text: part, key: STATES.includes(plain) ? "state" : "word", value: plain };
}

/** True when the device meets every term. */
export function matches(identity: string, device: Device, terms: readonly Term[]): boolean {
  return terms.every((term) => meets(identity, device, term));
}

function meets(identity: string, device: Device, { key, value }: Term): boolean {
  const has = (texts: readonly string[]) =>
    texts.some((text) => text.toLowerCase().includes(value));
  switch (key) {
    case "group":
      return has(device.Groups);
    case "tag":
      return has(device.DeviceTags);
    case "interface":
      return has([device.DHCPLastInterface]);
    case "policy":
      return has(device.Policies) || has(policyChips(device).map((chip) => chip.text));
    case "state":
      return inFacet(device, value as Facet);
    case "word":
      return textsOf(identity, device).includes(value);
  }
}

const texts = new WeakMap<Device, string>();

/** Everything that a word may be found in, in lower case; made once for each device as it stands. */
function textsOf(identity: string, device: Device): string {
  const known = texts.get(device);
  if (known !== undefined) return known;
  const text = [
    nameOf(identity, device),
    identity,
    device.MAC,
    device.RecentIP,
    device.DHCPLastInterface,
    ...device.Groups,
    ...device.DeviceTags,
  ].join("\n").toLowerCase();
  texts.set(device, text);
  return text;
}

export type Facet = "all" | "pending" | "online" | "offline" | "lan" | "blocked";

/** Facets in the order they are shown, with their words. */
export const FACETS: readonly (readonly [Facet, string])[] = [
  ["all", t("All")],
  ["pending", t("Pending")],
  ["online", t("Online")],
  ["offline", t("Offline")],
  ["lan", t("LAN access")],
  ["blocked", t("Blocked")],
];

/** True when a facet holds the device. */
export function inFacet(device: Device, facet: Facet): boolean {
  switch (facet) {
    case "all":
      return true;
    case "pending":
      return isPendingApproval(device);
    case "online":
      return device.Online;
    case "offline":
      return !device.Online;
    case "lan":
      return !isBlocked(device) && device.Policies.includes("lan");
    case "blocked":
      return isBlocked(device);
  }
}

/** The terms that, dropped one at a time, would show something again. */
export function culprits(
  terms: readonly Term[],
  entries: readonly (readonly [string, Device])[],
): readonly Term[] {
  return terms.filter((dropped) => {
    const others = terms.filter((term) => term !== dropped);
    return entries.some(([identity, device]) => matches(identity, device, others));
  });
}
