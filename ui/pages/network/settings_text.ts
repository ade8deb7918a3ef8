import { ROLES } from "./interface_rows.ts";
import type { Account, Link } from "./wire.ts";

/** How an interface is set beside its role, in words; empty for none. */
export function extraText(link: Link, account: Account | undefined): string {
  const more = link.AdditionalIPs?.length ?? 0;
  return [
    link.Type === "Uplink" ? addressingText(link, account) : "",
    link.Subtype === "VLAN-Trunk" ? "VLAN trunk" : "",
    more === 0 ? "" : more === 1 ? "1 additional IP" : `${more} additional IPs`,
    link.MACOverride ? "custom MAC" : link.MACRandomize ? "random MAC" : "",
  ].filter((text) => text !== "").join(", ");
}

function addressingText(link: Link, account: Account | undefined): string {
  if (account !== undefined) return account.Enabled ? "PPPoE" : "PPPoE (disabled)";
  return link.DisableDHCP ? "Static IP" : "DHCP";
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
    differs("role") && `gets the role ${role}.`,
    differs("enabled") && (next.enabled ? "is enabled." : "is disabled."),
    isUplink && next.addressing === "static" && differs("role", "addressing", "ip", "router") &&
    `has the IP address ${next.ip} and the gateway ${next.router}.`,
    isUplink && next.addressing === "dhcp" && differs("role", "addressing") &&
    "gets its IP address by DHCP.",
    isUplink && next.addressing === "pppoe" &&
    differs("role", "addressing", "user", "account") &&
    `connects by PPPoE as ${next.user}.`,
    before?.addressing === "pppoe" && before.role === "Uplink" &&
    (!isUplink || next.addressing !== "pppoe") && "loses its PPPoE account.",
    next.role === "Downlink" && before?.trunk !== next.trunk && (before !== null || next.trunk) &&
    (next.trunk ? "is a VLAN trunk." : "is no longer a VLAN trunk."),
    before?.lines !== next.lines && (before !== null || next.lines !== "") && linesSentence(next),
    (before?.mac ?? "own") + (before?.macAddress ?? "") !== next.mac + next.macAddress &&
    `${MAC_SENTENCES[next.mac]} The interface goes down briefly.`,
  ];
  return sentences.filter((text) => text !== false);
}

const MAC_SENTENCES: Readonly<Record<string, string>> = {
  own: "uses its hardware MAC address.",
  chosen: "uses a custom MAC address.",
  drawn: "uses a random MAC address until you change it.",
};

function linesSentence({ lines }: Chosen): string {
  const all = linesToAddresses(lines) ?? [];
  return all.length === 0
    ? "has no additional IPs."
    : `also has ${all.map(({ IP }) => IP).join(", ")}.`;
}
