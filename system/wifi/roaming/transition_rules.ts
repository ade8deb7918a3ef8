import * as z from "zod";
import { normalizeMac } from "../../core/net/net.ts";
import { InterfaceName } from "../../core/net/grammar.ts";
import { UnicastMac } from "../../devices/schema.ts";
import type { StatusLines } from "../control_schema.ts";
import { channelAt } from "../radio/channels.ts";

/** Body of `PUT /hostapd/{interface}/bssTransition`: a station, and the radio that it is offered. */
export const TransitionRequest = z.strictObject({
  MAC: UnicastMac,
  TargetInterface: InterfaceName,
}).meta({ id: "TransitionRequest" });
export type TransitionRequest = z.output<typeof TransitionRequest>;

/** What was requested from a station, and what hostapd reported. */
export const TransitionResult = z.object({
  SourceInterface: z.string(),
  TargetInterface: z.string(),
  MAC: z.string(),
  /** dBm; absent where it is not known. */
  SourceRSSI: z.int().optional(),
  TargetBSSID: z.string(),
  OperatingClass: z.int(),
  Channel: z.int(),
  PHYType: z.int(),
  Command: z.string(),
  HostapdResponse: z.string(),
}).meta({ id: "TransitionResult" });
export type TransitionResult = z.output<typeof TransitionResult>;

/** A network of a radio, by hostapd's `STATUS` and `GET_CONFIG`, and its settings. */
export interface TransitionEnd {
  readonly name: string;
  /** `bss_transition` of its settings. */
  readonly offers: boolean;
  readonly status: StatusLines;
  readonly config: StatusLines;
}

/** Where a station is sent, as 802.11k and 802.11v describe a neighbour. */
export interface Neighbour {
  readonly bssid: string;
  readonly operatingClass: number;
  readonly channel: number;
  readonly phyType: number;
}

/** Beacon intervals for which the neighbour list of a request holds: some three seconds. */
export const VALIDITY = 30;
/** Capabilities of the neighbour that are not known (IEEE 802.11-2020 figure 9-338). */
const BSSID_INFORMATION = "0x00000000";
/** Subelement 3: preference of the candidate, the highest. */
const PREFERENCE = "0301ff";

/** The same security: a station needs no other password, and no weaker cipher. */
const SAME = ["wpa", "key_mgmt", "group_cipher", "rsn_pairwise_cipher"] as const;

/**
 * Why a station cannot be offered a network in place of its own; null where it can. `signal`: its lines
 * in the source network; null where that does not have it.
 */
export function transitionProblem(
  source: TransitionEnd,
  target: TransitionEnd,
  station: StatusLines | null,
): string | null {
  if (source.name === target.name) return "The station is on this radio already";
  if (!source.offers) return `${source.name} does not offer transitions (bss_transition)`;
  if (station === null) return `The station is not on ${source.name}`;
  const ssid = source.config.ssid ?? "";
  if (ssid === "" || ssid !== target.config.ssid) {
    return `${source.name} and ${target.name} have different names`;
  }
  if (SAME.some((key) => source.config[key] !== target.config[key])) {
    return `${source.name} and ${target.name} have different security`;
  }
  const [from, to] = [bssidOf(source), bssidOf(target)];
  if (to === null || to === from) return `${target.name} has no address of its own`;
  if (target.status.state !== "ENABLED") return `${target.name} is not on the air`;
  if (!target.offers) return `${target.name} does not offer transitions (bss_transition)`;
  if (neighbourOf(target) === null) return `The channel of ${target.name} is not known`;
  return null;
}

/** A network as the neighbour of another; null while its channel is not known. */
export function neighbourOf({ name, status, config }: TransitionEnd): Neighbour | null {
  const bssid = bssidOf({ name, status, config });
  const mhz = Number(status.freq);
  const tuned = channelAt(mhz);
  if (bssid === null || tuned === null) return null;
  const { channel } = tuned;
  const has = (mode: string): boolean => status[`ieee80211${mode}`] === "1";
  const phyType = has("ax") || has("be") ? 14 : has("ac") ? 9 : has("n") ? 7 : mhz < 3000 ? 6 : 4;
  return { bssid, channel, operatingClass: operatingClass(mhz, channel), phyType };
}

function bssidOf(
  { name, status, config }: Pick<TransitionEnd, "name" | "status" | "config">,
): string | null {
  // STATUS lists the networks of a radio by number; the main one is the first.
  const at = Object.entries(status).find(([key, value]) =>
    /^bss\[\d+\]$/.test(key) && value === name
  )
    ?.[0];
  const listed = at === undefined ? undefined : status[at.replace("bss[", "bssid[")];
  return normalizeMac(config.bssid ?? listed ?? "");
}

/** Global operating class of a 20 MHz channel (IEEE 802.11-2020 table E-4). */
function operatingClass(mhz: number, channel: number): number {
  if (mhz >= 5925) return 131;
  if (mhz < 3000) return channel === 14 ? 82 : 81;
  if (channel <= 48) return 115;
  if (channel <= 64) return 118;
  if (channel <= 144) return 121;
  return channel <= 161 ? 124 : 125;
}

/** The request to a station; it may refuse, and is never forced. */
export function transitionCommand(mac: string, to: Neighbour): string {
  const neighbour = [
    ...[to.bssid, BSSID_INFORMATION, to.operatingClass, to.channel, to.phyType, PREFERENCE],
  ].join(",");
  return `BSS_TM_REQ ${mac} pref=1 abridged=1 valid_int=${VALIDITY} neighbor=${neighbour}`;
}
