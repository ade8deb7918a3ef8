import { ROLES } from "./interface_rows.ts";
import type { Account, Link } from "./wire.ts";
import { t, tn } from "../../text/language.ts";

/** How an interface is set beside its role, in words; empty for none. */
export function extraText(link: Link, account: Account | undefined): string {
  const more = link.AdditionalIPs?.length ?? 0;
  return [
    link.Type === "Uplink" ? addressingText(link, account) : "",
    link.Subtype === "VLAN-Trunk" ? t("VLAN trunk") : "",
    more === 0 ? "" : tn("{count} additional IP", "{count} additional IPs", more),
    link.MACOverride ? t("custom MAC") : link.MACRandomize ? t("random MAC") : "",
  ].filter((text) => text !== "").join(", ");
}

function addressingText(link: Link, account: Account | undefined): string {
  if (account !== undefined) return account.Enabled ? "PPPoE" : t("PPPoE (disabled)");
  return link.DisableDHCP ? t("Static IP") : "DHCP";
}

/** Additional IPs as people edit them: one a line, followed by its gateway. */
export function addressLines(link: Link | null): string {
  return (link?.AdditionalIPs ?? []).map(({ IP, Router }) => Router === "" ? IP : `${IP} ${Router}`)
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

/** What a form holds of an interface, as people chose it. */
export interface Chosen {
  readonly role: string;
  readonly enabled: boolean;
  readonly addressing: string;
  readonly ip: string;
  readonly router: string;
  /** User name of PPPoE. */
  readonly user: string;
  /** The rest of the PPPoE account. */
  readonly account: string;
  readonly lines: string;
  readonly mac: string;
  readonly macAddress: string;
  readonly trunk: boolean;
}

/** The sentences of a preview, each after the name of the interface: what differs from before. */
export function changeSentences(before: Chosen | null, next: Chosen): readonly string[] {
  const differs = (...names: (keyof Chosen)[]): boolean =>
    before === null || names.some((name) => before[name] !== next[name]);
  const [, role = next.role] = ROLES.find(([type]) => type === next.role) ?? [];
  const isUplink = next.role === "Uplink";
  const sentences = [
    differs("role") && t("gets the role {role}.", { role }),
    differs("enabled") && (next.enabled ? t("is enabled.") : t("is disabled.")),
    isUplink && next.addressing === "static" && differs("role", "addressing", "ip", "router") &&
    t("has the IP address {ip} and the gateway {router}.", { ip: next.ip, router: next.router }),
    isUplink && next.addressing === "dhcp" && differs("role", "addressing") &&
    t("gets its IP address by DHCP."),
    isUplink && next.addressing === "pppoe" &&
    differs("role", "addressing", "user", "account") &&
    t("connects by PPPoE as {user}.", { user: next.user }),
    before?.addressing === "pppoe" && before.role === "Uplink" &&
    (!isUplink || next.addressing !== "pppoe") && t("loses its PPPoE account."),
    next.role === "Downlink" && before?.trunk !== next.trunk && (before !== null || next.trunk) &&
    (next.trunk ? t("is a VLAN trunk.") : t("is no longer a VLAN trunk.")),
    before?.lines !== next.lines && (before !== null || next.lines !== "") && linesSentence(next),
    (before?.mac ?? "own") + (before?.macAddress ?? "") !== next.mac + next.macAddress &&
    `${MAC_SENTENCES[next.mac]} ${t("The interface goes down briefly.")}`,
  ];
  return sentences.filter((text) => text !== false);
}

const MAC_SENTENCES: Readonly<Record<string, string>> = {
  own: t("uses its hardware MAC address."),
  chosen: t("uses a custom MAC address."),
  drawn: t("uses a random MAC address until you change it."),
};

function linesSentence({ lines }: Chosen): string {
  const all = linesToAddresses(lines) ?? [];
  return all.length === 0
    ? t("has no additional IPs.")
    : t("also has {all}.", { all: all.map(({ IP }) => IP).join(", ") });
}
