import type { Classification } from "./schema.ts";

/** What is known of a device. */
export interface DeviceSignals {
  readonly mac: string;
  /** Vendor of the MAC address; empty where not known. */
  readonly vendor: string;
  /** Made up by the device itself, as phones do. */
  readonly randomized: boolean;
  /** Name of the device, given or from DHCP. */
  readonly name: string;
  /** Services that it announces (`_ipp._tcp.local`). */
  readonly services: readonly string[];
}

/** Characters of a text from the network that are looked at. */
const MAX_TEXT_LENGTH = 128;

type Category = Classification["Category"];
type Signal = "vendor" | "name" | "service";

interface TypeRule {
  readonly signal: Signal;
  readonly pattern: RegExp;
  readonly category: Category;
  readonly weight: number;
  /** Alone enough: no other kind of device announces it. */
  readonly decisive?: true;
}

const by = (
  signal: Signal,
  pattern: RegExp,
  category: Category,
  weight = 2,
  decisive?: true,
): TypeRule => ({ signal, pattern, category, weight, ...(decisive ? { decisive } : {}) });

/** Rules of our own making, of public names of services (IANA) and registered vendors. */
const RULES: readonly TypeRule[] = [
  by("service", /_(ipps?|printer|pdl-datastream|scanner|uscan)\._tcp/i, "printer", 3, true),
  by("service", /_googlecast\._tcp|urn:dial-multiscreen|_androidtvremote2?\._tcp/i, "tv", 3),
  by("service", /_(raop|airplay|spotify-connect|sonos)\._tcp/i, "speaker", 2),
  by("service", /_sonos\._tcp/i, "speaker", 3, true),
  by("service", /_(hap|homekit|matter|matterc|esphomelib|shelly|hue)\._(tcp|udp)/i, "iot-sensor"),
  by("service", /_axis-video|_onvif|_rtsp\._tcp|NetworkVideoTransmitter/i, "camera", 3, true),
  by("service", /_(smb|afpovertcp|nfs|adisk|webdavs?)\._tcp/i, "server"),
  by("service", /_(workstation|rdp|rfb)\._tcp/i, "computer"),
  by("service", /_(apple-mobdev2?|companion-link)\._tcp/i, "phone", 1),
  by("service", /InternetGatewayDevice|WLANAccessPoint/i, "network", 3),
  by("name", /i?phone|android|pixel|galaxy[- ]?[asz]\d|redmi|oneplus/i, "phone"),
  by("name", /ipad|tablet|\btab\b|kindle/i, "tablet", 3),
  by("name", /macbook|laptop|notebook|thinkpad|xps|elitebook|surface/i, "laptop"),
  by("name", /desktop|imac|\bpc\b|workstation|mac-?mini/i, "computer"),
  by("name", /printer|officejet|laserjet|deskjet|ecotank|brother|epson|pixma/i, "printer"),
  by("name", /camera|\bcam\b|doorbell|reolink/i, "camera"),
  by("name", /\btv\b|television|chromecast|roku|fire-?tv|bravia|shield|apple-?tv/i, "tv", 3),
  by("name", /speaker|sonos|echo|homepod|soundbar|alexa/i, "speaker"),
  by("name", /playstation|\bps[345]\b|xbox|nintendo|switch-?oled|steamdeck/i, "console", 3),
  by("name", /\bnas\b|server|synology|diskstation|proxmox|truenas|raspberry/i, "server"),
  by("name", /vacuum|roborock|roomba|mower/i, "vacuum", 3),
  by("name", /sensor|thermo|plug|bulb|lamp|meter|esp[-_]|shelly|tasmota|tado|hue/i, "iot-sensor"),
  by("name", /\bap\b|access-?point|router|switch-\d|unifi|openwrt/i, "network"),
  by("vendor", /sony interactive|nintendo|valve corporation/i, "console", 3),
  by(
    "vendor",
    /espressif|tuya|shelly|allterco|signify|philips lighting|itead|sonoff/i,
    "iot-sensor",
  ),
  by("vendor", /nest labs|netatmo|tado|ecobee|aqara|lumi united|ikea|eq-3|ewelink/i, "iot-sensor"),
  by("vendor", /hikvision|dahua|axis communications|reolink|ring llc|arlo|wyze|amcrest/i, "camera"),
  by("vendor", /brother|epson|canon inc|kyocera|lexmark|xerox|ricoh|zebra tech/i, "printer"),
  by("vendor", /sonos|bose|harman|denon|bang & olufsen|libratone/i, "speaker"),
  by("vendor", /roku|vizio|tcl|hisense|lg electronics|tp vision|loewe/i, "tv"),
  by("vendor", /synology|qnap|asustor|super ?micro|drobo|western digital/i, "server"),
  by("vendor", /raspberry pi/i, "server", 1),
  by("vendor", /roborock|irobot|ecovacs|dreame|husqvarna/i, "vacuum", 3),
  by("vendor", /ubiquiti|mikrotik|routerboard|aruba|ruckus|tp-link|netgear|avm gmbh/i, "network"),
  by("vendor", /cisco|juniper|zyxel|d-link|eero|draytek/i, "network"),
  by("vendor", /intel corporate|dell|lenovo|micro-star|gigabyte|asrock|framework/i, "computer", 1),
  by(
    "vendor",
    /samsung|xiaomi|huawei device|oneplus|oppo|vivo mobile|motorola|fairphone/i,
    "phone",
    1,
  ),
];

/** Goes up with {@link RULES}, so that clients can tell why a type changed. */
export const RULES_VERSION = "2026.11.1";

/** Groups and policies that suit a type. */
interface Suggestion {
  readonly SuggestedGroups: readonly string[];
  readonly SuggestedPolicies: readonly string[];
}

const SUGGESTIONS: Readonly<Partial<Record<Category, Suggestion>>> = {
  camera: { SuggestedGroups: ["IoT"], SuggestedPolicies: ["wan", "dns"] },
  console: { SuggestedGroups: ["Game"], SuggestedPolicies: ["wan", "dns"] },
  "iot-sensor": { SuggestedGroups: ["IoT"], SuggestedPolicies: ["wan", "dns"] },
  printer: { SuggestedGroups: ["Printers"], SuggestedPolicies: ["dns"] },
  speaker: { SuggestedGroups: ["Media"], SuggestedPolicies: ["wan", "dns"] },
  tv: { SuggestedGroups: ["Media"], SuggestedPolicies: ["wan", "dns"] },
};

/** Groups and policies that existing clients offer for a type; none where it is not sure enough. */
export function suggestionOf(
  { Category, Confidence }: Pick<Classification, "Category" | "Confidence">,
): Suggestion {
  const isSure = Confidence === "High" || Confidence === "Medium";
  return isSure && SUGGESTIONS[Category] || { SuggestedGroups: [], SuggestedPolicies: [] };
}

/** Keys of TXT records that name a model, the best first. */
const MODEL_KEYS = ["model", "md", "ty", "usb_mdl"];

/** The model that a device announces by mDNS; "" where it names none. */
export function modelOf(txt: Readonly<Record<string, string>>): string {
  const entries = Object.entries(txt);
  return MODEL_KEYS.flatMap((key) =>
    entries.find(([name]) => name.toLowerCase() === key)?.[1] ?? []
  )
    .find((text) => text !== "")?.slice(0, MAX_TEXT_LENGTH) ?? "";
}

/** Icon of each type, by the names that a device's own icon has. */
const ICONS: Readonly<Record<Category, string>> = {
  camera: "camera",
  computer: "desktop",
  console: "game",
  "iot-sensor": "sensor",
  laptop: "laptop",
  network: "router",
  phone: "phone",
  printer: "printer",
  server: "server",
  speaker: "tv",
  tablet: "tablet",
  tv: "tv",
  unknown: "",
  vacuum: "vacuum",
};

/**
 * The type of a device by what speaks for it: each rule that matches adds its weight. A randomized
 * address speaks for a phone, but alone says little.
 */
export function classify(signals: DeviceSignals): Classification {
  const scores = new Map<Category, number>();
  const kinds = new Set<string>();
  const Evidence: string[] = [];
  let isDecisive = false;
  const add = (category: Category, weight: number): void =>
    void scores.set(category, (scores.get(category) ?? 0) + weight);
  for (const { signal, pattern, category, weight, decisive = false } of RULES) {
    const texts = signal === "service" ? signals.services : [signals[signal]];
    const text = texts.find((one) => pattern.test(one.slice(0, MAX_TEXT_LENGTH)));
    if (text === undefined) continue;
    add(category, weight);
    kinds.add(signal);
    isDecisive ||= decisive;
    Evidence.push(`${signal}: ${text.slice(0, MAX_TEXT_LENGTH)}`);
  }
  if (signals.randomized) {
    add("phone", 1);
    Evidence.push("mac: randomized address");
  }
  const order = [...scores].sort(([a, x], [b, y]) => y - x || (a < b ? -1 : 1));
  const [best, second] = order;
  const Category = best?.[0] ?? "unknown";
  const isLow = kinds.size === 0 || second?.[1] === best?.[1];
  const Confidence = best === undefined
    ? "Unknown"
    : isLow
    ? "Low"
    : isDecisive || kinds.size >= 3
    ? "High"
    : "Medium";
  return {
    MAC: signals.mac,
    Vendor: signals.vendor,
    RandomMAC: signals.randomized,
    Category,
    Confidence,
    Evidence,
    Icon: Confidence === "Low" && kinds.size > 0 ? "" : ICONS[Category],
  };
}
