import { fieldName, labelled, outline, type OutlineLine } from "./outline.ts";
import type { IwBand, IwRadio } from "./schema.ts";

const NO_LISTS = {
  device_supports: [],
  supported_ciphers: [],
  supported_interface_modes: [],
  supported_commands: [],
  software_interface_modes: [],
  valid_interface_combinations: [],
  supported_tx_frame_types: [],
  supported_rx_frame_types: [],
  supported_extended_features: [],
  ht_capability_overrides: [],
} as const satisfies Partial<IwRadio>;

/** Reads the output of `iw list`. */
export function parseRadios(output: string): IwRadio[] {
  return outline(output).flatMap((line) => {
    const wiphy = /^Wiphy (\S+)$/.exec(line.text)?.[1];
    return wiphy === undefined ? [] : [radio(wiphy, line.children)];
  });
}

function radio(wiphy: string, lines: readonly OutlineLine[]): IwRadio {
  const fields: Record<string, number | string | string[]> = {};
  const bands: IwBand[] = [];
  const supports: string[] = [];
  for (const line of lines) {
    const supported = /^(?:Device supports |(?=Driver))(.+?)\.?$/.exec(line.text)?.[1];
    if (supported !== undefined) {
      supports.push(supported);
      continue;
    }
    const part = labelled(line.text);
    if (part === null) continue;
    if (/^Band \d+$/.test(part.label)) bands.push(band(part.label, line.children));
    else if (part.value === "") fields[fieldName(part.label)] = texts(line);
    else fields[fieldName(part.label)] = scalar(part.value);
  }
  return { ...NO_LISTS, ...fields, wiphy, bands, device_supports: supports };
}

/** A band: each heading of it as a list that begins with its hexadecimal word, if it has one. */
function band(name: string, lines: readonly OutlineLine[]): IwBand {
  const fields: Record<string, string[]> = {};
  for (const line of lines) {
    const types = /^(?:HE|EHT) Iftypes: (.*)$/.exec(line.text)?.[1];
    if (types === undefined) add(fields, line, false);
    // Those of an access point stand before those of a client.
    else for (const child of line.children) add(fields, child, /\bAP\b/.test(types));
  }
  return { bitrates: [], frequencies: [], ...fields, band: name };
}

function add(fields: Record<string, string[]>, line: OutlineLine, replaces: boolean): void {
  const part = labelled(line.text);
  if (part === null) return;
  const word = /\((0x[0-9a-f]+)\)/.exec(line.text)?.[1] ??
    /^0x[0-9a-f]+$/.exec(part.value)?.[0];
  if (word === undefined && line.children.length === 0) return;
  const key = fieldName(part.label);
  if (key in fields && !replaces) return;
  fields[key] = [...(word === undefined ? [] : [word]), ...texts(line)];
}

function texts({ children }: OutlineLine): string[] {
  return children.map(({ text }) => text);
}

function scalar(value: string): number | string {
  return /^-?\d{1,15}$/.test(value) ? Number(value) : value;
}
