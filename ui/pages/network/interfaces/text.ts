import type { Account, Link } from "./wire.ts";

const USES: Readonly<Record<string, string>> = {
  Uplink: "WAN (uplink)",
  Downlink: "LAN",
  AP: "Wi-Fi",
  Other: "Not used",
};

/** The role of an interface. */
export function useText(link: Link): string {
  const use = USES[link.Type] ?? link.Type;
  return link.Enabled ? use : `${use}, disabled`;
}

/** The extra settings of an interface in words; empty for none. */
export function extraText(link: Link, account: Account | undefined): string {
  const more = link.AdditionalIPs?.length ?? 0;
  return [
    account === undefined ? "" : `PPPoE account${account.Enabled ? "" : " (disabled)"}`,
    link.Subtype === "VLAN-Trunk" ? "VLAN trunk" : "",
    more === 0 ? "" : more === 1 ? "1 additional IP" : `${more} additional IPs`,
    link.MACOverride ? `MAC ${link.MACOverride}` : link.MACRandomize ? "random MAC" : "",
  ].filter((text) => text !== "").join(", ");
}

/** Additional IPs as people edit them: one a line, followed by its gateway. */
export function addressLines(link: Link): string {
  return (link.AdditionalIPs ?? []).map(({ IP, Router }) => Router === "" ? IP : `${IP} ${Router}`)
    .join("\n");
}

/** What the lines say; a line of more than two words says nothing that is known. */
export function linesToAddresses(
  text: string,
): readonly { readonly IP: string; readonly Router: string }[] | null {
  const lines = text.split("\n").map((line) => line.trim()).filter((line) => line !== "");
  const label = lines.map((line) => line.split(/\s+/));
  if (label.some((one) => one.length > 2)) return null;
  return label.map(([IP = "", Router = ""]) => ({ IP, Router }));
}
