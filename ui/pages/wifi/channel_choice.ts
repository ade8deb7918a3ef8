import type { CountryRules, Radio, Settings } from "./wire.ts";
import { t } from "../../text/language.ts";

/** A band of a radio. */
export type Band = "2.4" | "5" | "6";

/** What a person chooses of a radio. */
export interface RadioChoice {
  readonly ssid: string;
  readonly country: string;
  readonly band: Band;
  /** `0`: chosen by the radio. */
  readonly channel: string;
  /** MHz. */
  readonly width: string;
  /** Its clients can be offered another radio. */
  readonly transition: boolean;
}

/** Operating class of 6 GHz by width. */
const SIX_CLASSES: Readonly<Record<string, number>> = { 20: 131, 40: 132, 80: 133, 160: 134 };
const WIDTH_CODES: Readonly<Record<string, number>> = { 20: 0, 40: 0, 80: 1, 160: 2 };
const SIX_GHZ = { first: 131, last: 137 } as const;

/** What the settings of a radio come to. */
export function choiceOf(settings: Settings): RadioChoice {
  const number = (key: string): number => Number(settings[key] ?? 0);
  const opClass = number("op_class");
  const six = opClass >= SIX_GHZ.first && opClass <= SIX_GHZ.last;
  const band = settings["hw_mode"] === "a" ? six ? "6" : "5" : "2.4";
  const code = band === "2.4" ? 0 : Math.max(number("vht_oper_chwidth"), number("he_oper_chwidth"));
  const narrow = /\[HT40[+-]\]/.test(String(settings["ht_capab"] ?? "")) ? "40" : "20";
  return {
    ssid: String(settings["ssid"] ?? ""),
    country: String(settings["country_code"] ?? "US"),
    band,
    channel: String(number("channel")),
    width: code >= 2 ? "160" : code === 1 ? "80" : narrow,
    transition: number("bss_transition") === 1,
  };
}

/** Bands that a radio has. */
export function bandsOf({ bands }: Radio): readonly (readonly [Band, string])[] {
  return bands.map(({ band }) => [band, t("{band} GHz", { band })] as const);
}

/** Channels of a band that a radio has and a country permits, as options. */
export function channelOptions(
  radio: Radio,
  rules: CountryRules | null,
  band: Band,
): readonly (readonly [string, string])[] {
  const own = new Set(
    radio.bands.find((one) => one.band === band)?.channels.map(({ channel }) => channel),
  );
  const permitted = (rules?.channels ?? []).filter((one) =>
    one.band === band && one.widths.length > 0 && own.has(one.channel)
  );
  return [
    ["0", t("Automatic")],
    ...permitted.map(({ channel, frequency, radar, indoorOnly }) =>
      [
        String(channel),
        [
          t("{channel} ({frequency} MHz)", { channel, frequency }),
          radar && "radar",
          indoorOnly && t("indoors only"),
        ]
          .filter(Boolean).join(", "),
      ] as const
    ),
  ];
}

/** What a country permits on a channel, in words; "" where nothing is known of it. */
export function limitWords(
  rules: CountryRules | null,
  { band, channel }: Pick<RadioChoice, "band" | "channel">,
): string {
  const found = rules?.channels.find((one) => one.band === band && String(one.channel) === channel);
  if (found === undefined) return "";
  return [
    t("Up to {maxPower} dBm", { maxPower: found.maxPower }),
    found.radar && t("listens for radar for a minute first"),
    found.indoorOnly && t("indoors only"),
  ].filter(Boolean).join(", ");
}

/** Widths that a channel can have in a country, as options. */
export function widthOptions(
  rules: CountryRules | null,
  { band, channel }: Pick<RadioChoice, "band" | "channel">,
): readonly (readonly [string, string])[] {
  const found = rules?.channels.find((one) => one.band === band && String(one.channel) === channel);
  const widths = found?.widths ?? (band === "2.4" ? [20, 40] : [20, 40, 80, 160]);
  return widths.filter((width) => String(width) in WIDTH_CODES)
    .map((width) => [String(width), t("{width} MHz", { width })] as const);
}

/** The body of `PUT /hostapd/{interface}/config` for a choice. */
export function radioUpdate(choice: RadioChoice, before: Settings): Record<string, unknown> {
  const { band, channel, width } = choice;
  const code = WIDTH_CODES[width] ?? 0;
  const others = String(before["ht_capab"] ?? "").replace(/\[HT40[+-]\]/g, "");
  return {
    Ssid: choice.ssid,
    Country_code: choice.country,
    Hw_mode: band === "2.4" ? "g" : "a",
    ...(channel === "0" ? { AutoSelectChannel: true } : { Channel: Number(channel) }),
    Op_class: band === "6" ? SIX_CLASSES[width] ?? SIX_GHZ.first : 0,
    Ht_capab: width === "20" ? others : `[HT40+][HT40-]${others}`,
    ...(band === "2.4" ? {} : { Vht_oper_chwidth: code, He_oper_chwidth: code }),
    Bss_transition: choice.transition ? 1 : 0,
    ...(band === "6" ? { Ieee80211ax: 1 } : {}),
  };
}
