import { normalizeMac } from "../../core/net/net.ts";
import type { ChannelSwitch, StatusLines } from "../control_schema.ts";

/** The `key=value` lines of a reply; a value may hold `=` itself. */
export function statusLines(reply: string): StatusLines {
  const lines: Record<string, string> = Object.create(null);
  for (const line of reply.split("\n")) {
    const at = line.indexOf("=");
    if (at > 0) lines[line.slice(0, at)] = line.slice(at + 1);
  }
  return { ...lines };
}

/** The MAC address and the lines of a station's reply; null where there is no further station. */
export function stationReply(
  reply: string,
): { readonly mac: string; readonly lines: StatusLines } | null {
  const end = reply.indexOf("\n");
  const mac = normalizeMac((end < 0 ? reply : reply.slice(0, end)).trim());
  return mac === null ? null : { mac, lines: statusLines(reply) };
}

/** An event of a station. */
export type StationEvent =
  | { readonly kind: "connected"; readonly mac: string; readonly keyId: string }
  | { readonly kind: "disconnected" | "mismatch"; readonly mac: string };

/** Reads the event of a station; null for any other event. */
export function stationEvent(text: string): StationEvent | null {
  const [, word, address, rest] =
    /^AP-STA-(CONNECTED|DISCONNECTED|POSSIBLE-PSK-MISMATCH) ([0-9a-fA-F:]{17})\b(.*)$/s
      .exec(text) ?? [];
  const mac = normalizeMac(address ?? "");
  if (word === undefined || mac === null) return null;
  if (word !== "CONNECTED") {
    return { kind: word === "DISCONNECTED" ? "disconnected" : "mismatch", mac };
  }
  return { kind: "connected", mac, keyId: /\bkeyid=(\S+)/.exec(rest ?? "")?.[1] ?? "" };
}

/** True when a station proved its password by WPA3 (IEEE 802.11-2020 table 9-151: suite 8, SAE). */
export function usedSae({ AKMSuiteSelector }: StatusLines): boolean {
  return AKMSuiteSelector === "00-0f-ac-8";
}

/** Beacons that announce a change of channel before it takes place. */
const SWITCH_COUNT = 5;

/** The command for a change of channel. */
export function channelSwitchCommand(to: ChannelSwitch): string {
  return [
    `CHAN_SWITCH ${SWITCH_COUNT} ${to.frequency}`,
    ...(to.bandwidth === 20 ? [] : [
      `sec_channel_offset=${to.offset}`,
      `center_freq1=${to.centre}`,
    ]),
    `bandwidth=${to.bandwidth}`,
    ...(["ht", "vht", "he"] as const).filter((kind) => to[kind]),
  ].join(" ");
}
