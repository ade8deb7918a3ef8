import type { RadioBand, RadioChannel, RadioFacts } from "../control_schema.ts";
import { parseDevices } from "../iw/devices.ts";
import { parseRadios } from "../iw/radios.ts";
import type { IwBand, IwDevices, IwRadio } from "../iw/schema.ts";
import { channelAt } from "./channels.ts";

/** Radios and their interfaces from the output of `iw list` and `iw dev`; one without interface is left out. */
export function radioFacts(list: string, devices: string): RadioFacts[] {
  const radios = new Map(parseRadios(list).map((radio) => [radio.wiphy, radio]));
  return Object.entries(parseDevices(devices)).flatMap(([phy, interfaces]) => {
    const radio = radios.get(phy);
    const [name, own] = mainInterface(interfaces) ?? [];
    if (radio === undefined || name === undefined) return [];
    return [{
      name,
      phy,
      mac: own?.addr ?? "",
      accessPoint: radio.supported_interface_modes.includes("AP"),
      perStation: radio.supported_interface_modes.includes("AP/VLAN"),
      ciphers: radio.supported_ciphers.flatMap((line) => CIPHER_SUITES[suiteOf(line)] ?? []),
      networks: networksOf(radio),
      bands: radio.bands.flatMap(bandFacts),
    }];
  });
}

/** Interfaces of the radios in the output of `iw dev`, by name. */
export function radioNames(devices: string): readonly string[] {
  return Object.values(parseDevices(devices))
    .flatMap((interfaces) => mainInterface(interfaces)?.[0] ?? []).sort();
}

/** Interfaces of stations and of additional networks are named after that of the radio. */
function mainInterface(interfaces: IwDevices[string]) {
  return Object.entries(interfaces).filter(([name]) => !name.includes("."))
    .toSorted(([a], [b]) => a < b ? -1 : 1)[0];
}

/** Cipher suites (IEEE 802.11-2020 table 9-149) in hostapd's spelling. */
const CIPHER_SUITES: Readonly<Record<string, RadioFacts["ciphers"][number]>> = {
  "00-0f-ac:4": "CCMP",
  "00-0f-ac:8": "GCMP",
  "00-0f-ac:9": "GCMP-256",
  "00-0f-ac:10": "CCMP-256",
};

/** The suite of a line such as `CCMP-128 (00-0f-ac:4)`. */
function suiteOf(line: string): string {
  return /\(([0-9a-f-]+:\d+)\)/.exec(line)?.[1] ?? "";
}

/** Networks of one radio that hostapd makes addresses for. */
const MAX_NETWORKS = 8;

/** Access points that a radio can be at the same time; `#{ AP, mesh point } <= 8` says so. */
function networksOf({ valid_interface_combinations: combinations }: IwRadio): number {
  const limits = combinations.flatMap((line) =>
    [...line.matchAll(/#\{([^}]*)\} <= (\d+)/g)]
      .filter(([, modes]) => modes!.split(",").some((mode) => mode.trim() === "AP"))
      .map(([, , most]) => Number(most))
  );
  return Math.min(MAX_NETWORKS, Math.max(1, ...limits));
}

function bandFacts(band: IwBand): RadioBand[] {
  const channels = band.frequencies.flatMap(channelFacts);
  const [first] = channels;
  const name = first === undefined ? undefined : channelAt(first.frequency)?.band;
  if (name === undefined) return [];
  const word = (field: string): number | null => {
    const list = band[field];
    const text = Array.isArray(list) ? list[0] : undefined;
    return /^0x[0-9a-f]+$/.test(text ?? "") ? Number(text) : null;
  };
  return [{
    band: name,
    channels,
    ht: word("capabilities"),
    vht: word("vht_capabilities"),
    he: "he_phy_capabilities" in band,
    eht: "eht_phy_capabilities" in band,
  }];
}

function channelFacts(line: string): RadioChannel[] {
  const [, mhz, power] = /^(\d+)(?:\.\d+)? MHz \[-?\d+\](?: \((-?[\d.]+) dBm\))?/.exec(line) ?? [];
  if (mhz === undefined) return [];
  const at = channelAt(Number(mhz));
  if (at === null) return [];
  const use = line.includes("(disabled)")
    ? "disabled"
    : line.includes("(radar detection)")
    ? "radar"
    : line.includes("(no IR)")
    ? "passive"
    : "usable";
  return [{ channel: at.channel, frequency: Number(mhz), maxPower: Number(power ?? 0), use }];
}
