import type { LinkRow } from "../network/interface_rows.ts";
import { addressesOf, isOwn } from "../network/interface_rows.ts";
import type { Link } from "../network/wire.ts";
import { t } from "../../text/language.ts";

/** The steps from a bare machine to the first device, in their order. */
export const STEPS = ["admin", "uplink", "home", "device"] as const;
export type Step = (typeof STEPS)[number];

/** Path of the guide among the pages. */
export const GUIDE = "/admin/setup";

/** The step that is next. `passwordSet`: the admin has a password other than the setup code. */
export function stepOf(
  now: { readonly passwordSet: boolean; readonly links: readonly Link[] },
): Step {
  const has = (...types: readonly string[]) =>
    now.links.some(({ Type, Enabled }) => Enabled && types.includes(Type));
  if (!now.passwordSet) return "admin";
  if (!has("Uplink")) return "uplink";
  return has("Downlink", "AP") ? "device" : "home";
}

/** True for the adapter of a Wi-Fi: the kernel and udev name them so. */
export function isRadio({ name, decided }: Pick<LinkRow, "name" | "decided">): boolean {
  return /^wl/.test(name) || decided?.Type === "AP";
}

/** Interfaces that can be chosen: not the router's own one. */
export function selectable(rows: readonly LinkRow[]): readonly LinkRow[] {
  return rows.filter((row) => !isOwn(row));
}

function isConnected({ kernel }: LinkRow): boolean {
  return kernel?.operstate === "UP" || (kernel?.flags.includes("LOWER_UP") ?? false);
}

function wideAddress({ kernel }: LinkRow): string | null {
  return addressesOf(kernel).find((one) => !/^(fe80|169\.254\.)/.test(one)) ?? null;
}

/** The interface that most likely leads to the Internet: one with an address, else one with a cable. */
export function likelyUplink(rows: readonly LinkRow[]): string {
  const found = rows.find((row) => row.decided?.Type === "Uplink") ??
    rows.find((row) => isConnected(row) && wideAddress(row) !== null) ??
    rows.find((row) => wideAddress(row) !== null) ?? rows.find(isConnected) ?? rows[0];
  return found?.name ?? "";
}

/** Interfaces that are most likely for devices: those with a LAN role, else every other free one. */
export function likelyLan(rows: readonly LinkRow[]): readonly string[] {
  const rest = rows.filter((row) => row.decided?.Type !== "Uplink" && !isRadio(row));
  const known = rest.filter(({ decided }) => decided?.Type === "Downlink");
  if (known.length > 0) return known.map(({ name }) => name);
  const free = rest.filter((row) => wideAddress(row) === null);
  const plugged = free.filter(isConnected);
  return (plugged.length > 0 ? plugged : free.slice(0, 1)).map(({ name }) => name);
}

/** What tells an interface from the others: link state, address, MAC address. */
export function interfaceNote(row: LinkRow): string {
  if (row.kernel === null) return t("Not present");
  return [
    isConnected(row) ? t("Connected") : t("Disconnected"),
    wideAddress(row),
    row.kernel.address ?? null,
  ].filter((part) => part !== null).join(", ");
}
