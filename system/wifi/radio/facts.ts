import type { RadioBand, RadioChannel, RadioFacts } from "../control_schema.ts";
import { parseDevices } from "../iw/devices.ts";
import { parseRadios } from "../iw/radios.ts";
import type { IwBand, IwRadio } from "../iw/schema.ts";
import { channelAt } from "./channels.ts";

/** Radios and their interfaces from the output of `iw list` and `iw dev`; one without interface is left out. */
export function radioFacts(list: string, devices: string): RadioFacts[] {
  const radios = new Map(parseRadios(list).map((radio) => [radio.wiphy, radio]));
  return Object.entries(parseDevices(devices)).flatMap(([phy, interfaces]) => {
    const radio = radios.get(phy);
    // Interfaces of stations and of additional networks are named after that of the radio.
    const [name, own] = Object.entries(interfaces)
      .filter(([name]) => !name.includes("."))
      .toSorted(([a], [b]) => a < b ? -1 : 1)[0] ?? [];
    if (radio === undefined || name === undefined) return [];
    return [{
      name,
      phy,
      mac: own?.addr ?? "",
      accessPoint: radio.supported_interface_modes.includes("AP"),
      perStation: radio.supported_interface_modes.includes("AP/VLAN"),
      networks: networksOf(radio),
      bands: radio.bands.flatMap(bandFacts),
    }];
  });
}

/** Access points that a radio can be at the same time; `#{ AP, mesh point } <= 8` says so. */
function networksOf({ valid_interface_combinations: combinations }: IwRadio): number {
  const limits = combinations.flatMap((line) =>
    [...line.matchAll(/#\{([^}]*)\} <= (\d+)/g)]
      .filter(([, modes]) => modes!.split(",").some((mode) => mode.trim() === "AP"))
      .map(([, , most]) => Number(most))
  );
  return Math.max(1, ...limits);
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
