import type { RadioCapabilities } from "../hostapd/capability_rules.ts";
import { type Band, centre, sixGhzClass, type Width } from "./channels.ts";
import { isSixGhz, type RadioSettings } from "./settings_schema.ts";

/** 802.11n, ac, ax and be, as far as the settings, the band, the radio and hostapd have them. */
export interface Modes {
  readonly ht: boolean;
  readonly vht: boolean;
  readonly he: boolean;
  readonly eht: boolean;
}

/** A mode with a width of its own. */
export type Wide = "vht" | "he" | "eht";

/** The modes of a radio. `capabilities` null: not known; `wifi7`: hostapd has 802.11be. */
export function modesOf(
  settings: RadioSettings,
  { capabilities, wifi7 }: {
    readonly capabilities: RadioCapabilities | null;
    readonly wifi7: boolean;
  },
): Modes {
  const { hw_mode, ieee80211n, ieee80211ac, ieee80211ax, ieee80211be } = settings;
  const six = isSixGhz(settings);
  // 802.11b is older than all of them, and 6 GHz has none of the first two.
  const ht = ieee80211n === 1 && hw_mode !== "b" && !six && capabilities?.ht !== null;
  const he = (ieee80211ax === 1 || six) && hw_mode !== "b" && capabilities?.he !== false;
  return {
    ht,
    vht: ht && ieee80211ac === 1 && hw_mode === "a" && capabilities?.vht !== null,
    he,
    eht: he && ieee80211be === 1 && wifi7 && capabilities?.eht !== false,
  };
}

/** Band of a radio's settings. */
export function bandOf({ hw_mode, op_class }: Pick<RadioSettings, "hw_mode" | "op_class">): Band {
  if (hw_mode !== "a") return "2.4";
  return isSixGhz({ op_class }) ? "6" : "5";
}

/** Width in MHz that the settings of a radio come to: that of the mode with the widest channel. */
export function channelWidth(
  settings: RadioSettings,
  modes: Modes = modesOf(settings, { capabilities: null, wifi7: true }),
): Width {
  const wide = (["vht", "he", "eht"] as const).filter((kind) => modes[kind]);
  const widths = settings.hw_mode === "a" ? wide.map((kind) => modeWidth(settings, kind)) : [];
  return Math.max(modes.ht ? narrowWidth(settings) : 20, ...widths) as Width;
}

/** Width of a mode: the one that is set, or the next narrower one that the channel can have. */
export function modeWidth(settings: RadioSettings, kind: Wide): Width {
  const code = settings[`${kind}_oper_chwidth`];
  if (code === 0) return narrowWidth(settings);
  const wish = code === 9 ? 320 : code === 1 ? 80 : 160;
  return fittingWidth(settings, wish);
}

/** 20 or 40 MHz: by the capabilities, and at 6 GHz by the operating class. */
function narrowWidth(settings: RadioSettings): Width {
  const wish = isSixGhz(settings)
    ? settings.op_class === SIX_GHZ_40
    : /\[HT40[+-]\]/.test(settings.ht_capab);
  return fittingWidth(settings, wish ? 40 : 20);
}

const SIX_GHZ_40 = sixGhzClass(1, 40);
const WIDTHS: readonly Width[] = [320, 160, 80, 40, 20];

function fittingWidth(settings: RadioSettings, wish: Width): Width {
  if (settings.channel === 0) return wish;
  const band = bandOf(settings);
  return WIDTHS.find((width) => width <= wish && centre(band, settings.channel, width) !== null) ??
    20;
}
