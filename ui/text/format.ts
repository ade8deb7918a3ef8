import type { Device, Devices } from "../wire.ts";
import { locale, t } from "./language.ts";

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

export type State = "pending" | "blocked" | "online" | "offline";

/** The one word for how a device stands. */
export function stateOf(device: Device): State {
  if (isBlocked(device)) return "blocked";
  if (isPendingApproval(device)) return "pending";
  return device.Online ? "online" : "offline";
}

/** Who an end of a reach answer is. */
export function endName(end: string, devices: Devices): string {
  if (end === "internet") return t("Internet");
  if (end === "router") return t("this router");
  return nameOf(end, devices[end]);
}

/** Who made a change. */
export function byText(by: string): string {
  if (by.startsWith("token:")) return t("token “{name}”", { name: by.slice(6) });
  const known: Readonly<Record<string, string>> = {
    timer: t("Automatic: not confirmed in time"),
    file: t("Configuration file"),
    dhcp: t("Automatic: device joined"),
    wifi: t("Automatic: device joined Wi-Fi"),
    wireguard: t("Automatic: VPN peer"),
    expiry: t("Automatic: device expired"),
    start: t("Automatic: start-up"),
  };
  return known[by] ?? by;
}

const all = new Intl.ListFormat(locale, { type: "conjunction" });
const any = new Intl.ListFormat(locale, { type: "disjunction" });

/** `a, b and c`. */
export function andList(words: readonly string[]): string {
  return all.format(words);
}

/** `a, b or c`. */
export function orList(words: readonly string[]): string {
  return any.format(words);
}

/** A title as it stands within a sentence: English begins it small. */
export function inSentence(title: string): string {
  return locale.startsWith("en") ? title.charAt(0).toLowerCase() + title.slice(1) : title;
}

/** A number with its thousands apart: `1,234`. */
export function numberText(value: number): string {
  return value.toLocaleString(locale);
}

/** A rate for people: `12 Mbit/s`. */
export function rateText(bits: number): string {
  const units = ["bit/s", "kbit/s", "Mbit/s", "Gbit/s"];
  let value = bits, unit = 0;
  while (value >= 1000 && unit < 3) {
    value /= 1000;
    unit++;
  }
  const digits = value < 10 && unit > 0 ? Number(value.toFixed(1)) : Math.round(value);
  return `${numberText(digits)} ${units[unit]}`;
}

/** A size for people: `12.3 MB`. */
export function sizeText(bytes: number): string {
  if (bytes < 1000) return `${bytes} B`;
  const units = ["kB", "MB", "GB"];
  let value = bytes / 1000, unit = 0;
  while (value >= 1000 && unit < 2) {
    value /= 1000;
    unit++;
  }
  const digits = value < 10 ? 1 : 0;
  const text = value.toLocaleString(locale, {
    minimumFractionDigits: digits,
    maximumFractionDigits: digits,
  });
  return `${text} ${units[unit]}`;
}
