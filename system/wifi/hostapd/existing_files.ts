import type { Radios } from "../document.ts";
import { isSixGhz, RadioSettings } from "../radio/settings_schema.ts";

/** Where an existing router keeps the file of a radio, and that of its second link. */
const FILE = /^wifi\/hostapd_([A-Za-z][A-Za-z0-9.-]*?)(_mlo)?\.conf$/;
/** The part that is made of the additional networks, which the interfaces hold. */
const EXTRA_MARK = "#spr-gen-bss";
/** The file of no radio. */
const TEMPLATE = "template";

/** What a file that leaves a key out means by it, where that is not the usual setting here. */
const UNSET: Partial<RadioSettings> = {
  channel: 0,
  ht_capab: "",
  rsn_pairwise: "CCMP",
  vht_oper_chwidth: 0,
  he_oper_chwidth: 0,
  eht_oper_chwidth: 0,
  rrm_neighbor_report: 0,
  rrm_beacon_report: 0,
  rrm_link_measurement_report: 0,
};

/** Width of a second link by its operating class (IEEE 802.11-2020 table E-4). */
const CLASS_WIDTHS: Readonly<Record<number, number>> = {
  131: 20,
  136: 20,
  132: 40,
  128: 80,
  133: 80,
  129: 160,
  134: 160,
  137: 320,
};

/**
 * The radios of an existing router by its hostapd files, of all files by path. A value that cannot be
 * used is left out; a file without a name of a network is no file of a radio.
 */
export function readHostapdFiles(
  texts: ReadonlyMap<string, string>,
): { readonly value: Radios; readonly from: readonly string[] } {
  const value: Record<string, RadioSettings> = {};
  const from: string[] = [];
  for (const [path, text] of texts) {
    const [, name, link] = FILE.exec(path) ?? [];
    if (name === undefined || name === TEMPLATE || link !== undefined) continue;
    const mlo = `wifi/hostapd_${name}_mlo.conf`;
    const settings = radioOf(keysOf(text), keysOf(texts.get(mlo) ?? ""));
    if (settings === null) continue;
    value[name] = settings;
    from.push(path, ...(texts.has(mlo) ? [mlo] : []));
  }
  return { value, from };
}

type Keys = ReadonlyMap<string, string>;

/** The lines of the main network. A value may hold `=` and blanks. */
function keysOf(text: string): Keys {
  const keys = new Map<string, string>();
  for (const line of text.split(/\r?\n/)) {
    if (line.startsWith(EXTRA_MARK)) break;
    const at = line.indexOf("=");
    if (at > 0 && !line.startsWith("#")) keys.set(line.slice(0, at).trim(), line.slice(at + 1));
  }
  return keys;
}

function radioOf(keys: Keys, link: Keys): RadioSettings | null {
  const taken: Record<string, unknown> = { ...UNSET };
  for (const [key, schema] of Object.entries(RadioSettings.shape)) {
    const text = keys.get(key);
    if (text === undefined) continue;
    const read = [text, Number(text)].map((value) => schema.safeParse(value))
      .find(({ success }) => success);
    if (read !== undefined) taken[key] = read.data;
  }
  const settings = RadioSettings.safeParse({ ...taken, ...secondLink(link) });
  if (!settings.success) return null;
  // Files that were written without their operating class had lost their security as well.
  return isSixGhz(settings.data)
    ? { ...settings.data, wpa_key_mgmt: "SAE", ieee80211w: 2 }
    : settings.data;
}

function secondLink(keys: Keys): Partial<RadioSettings> {
  const { shape } = RadioSettings;
  const channel = shape.mlo_channel.safeParse(Number(keys.get("channel") ?? ""));
  const mode = shape.mlo_hw_mode.safeParse(keys.get("hw_mode"));
  if (!channel.success || !mode.success || channel.data === 0) return {};
  return {
    mlo_channel: channel.data,
    mlo_hw_mode: mode.data,
    mlo_bandwidth: CLASS_WIDTHS[Number(keys.get("op_class"))] ?? 20,
  };
}
