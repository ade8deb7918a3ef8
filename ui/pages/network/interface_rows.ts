import type { KernelLink, Link } from "./wire.ts";
import { t } from "../../text/language.ts";

/** One row of the interfaces: configured and live. */
export interface LinkRow {
  readonly name: string;
  /** Null for an interface that is not configured. */
  readonly decided: Link | null;
  /** Null for an interface that is not present. */
  readonly kernel: KernelLink | null;
}

/** Interfaces that are not shown. */
const HIDDEN = ["lo"];

/** The interface that holds the router’s own LAN address. */
const OWN = "sluice0";

/** True for an interface that is not configured by people. */
export function isOwn(row: LinkRow): boolean {
  return row.name === OWN;
}

/** Configured interfaces first, then other present ones. */
export function linkRows(
  decided: readonly Link[],
  kernel: readonly KernelLink[],
): readonly LinkRow[] {
  const known = new Set(decided.map(({ Name }) => Name));
  const there = new Map(kernel.map((one) => [one.ifname, one]));
  return [
    ...decided.map((link) => ({
      name: link.Name,
      decided: link,
      kernel: there.get(link.Name) ?? null,
    })),
    ...kernel.filter(({ ifname }) => !known.has(ifname) && !HIDDEN.includes(ifname))
      .map((one) => ({ name: one.ifname, decided: null, kernel: one })),
  ];
}

/** Roles of interfaces: label and explanation. */
export const ROLES: readonly (readonly [string, string, string])[] = [
  ["Uplink", t("WAN (uplink)"), t("Connects to the Internet or an upstream network")],
  ["Downlink", "LAN", t("Devices connect here")],
  ["AP", t("Wi-Fi"), t("Wireless devices connect here")],
  ["Other", t("Not used"), t("Ignored by this router")],
];

/** The role of an interface. */
export function roleText(row: LinkRow): string {
  if (isOwn(row)) return t("This router");
  const link = row.decided;
  if (link === null) return t("Not used");
  const [, word] = ROLES.find(([type]) => type === link.Type) ?? [];
  return word ?? link.Type;
}

/** State of an interface: shape of the mark and label. */
export function stateOf(row: LinkRow): readonly ["dot" | "dot off" | "dot warning", string] {
  if (row.kernel === null) {
    return row.decided?.Enabled ? ["dot warning", t("Not present")] : ["dot off", t("Not present")];
  }
  if (row.decided !== null && !row.decided.Enabled) return ["dot off", t("Disabled")];
  const up = row.kernel.operstate === "UP" || row.kernel.flags.includes("LOWER_UP");
  if (up && row.decided?.Type === "Uplink" && addressesOf(row.kernel).length === 0) {
    return ["dot warning", t("No address")];
  }
  if (up) return ["dot", t("Up")];
  return row.decided === null ? ["dot off", t("Down")] : ["dot warning", t("Down")];
}

/** Addresses as the kernel has them; link-local ones only where there is no other. */
export function addressesOf(kernel: KernelLink | null): readonly string[] {
  const all = kernel?.addr_info.filter(({ local }) => local !== undefined) ?? [];
  const wide = all.filter(({ scope }) => scope === "global");
  return (wide.length > 0 ? wide : all).map(({ local, prefixlen }) => `${local}/${prefixlen}`);
}
