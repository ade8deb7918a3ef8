import { InterfaceName } from "../../core/net/grammar.ts";
import { fieldName, labelled, outline, type OutlineLine } from "./outline.ts";
import type { IwNeighbour } from "./schema.ts";

/** Networks of one scan; more of them are no neighbourhood but an attack. */
const MAX_NEIGHBOURS = 1000;
/** Fields of one network, and characters of one value. */
const MAX_FIELDS = 200;
const MAX_VALUE = 4096;

/** Units that move from the value into the name of the field. */
const UNITS: Readonly<Record<string, string>> = { "TUs": "tus", "usec": "usec", "dBm": "dbm" };

/**
 * Reads the output of `iw dev … scan`. Everything in it is untrusted: values are text or
 * numbers, field names letters and digits, and all of it is bounded.
 */
export function parseScan(output: string): IwNeighbour[] {
  return outline(output).flatMap((line) => {
    const head = /^BSS ((?:[0-9a-f]{2}:){5}[0-9a-f]{2})\(on (\S+?)\)/.exec(line.text);
    if (head === null || !InterfaceName.safeParse(head[2]).success) return [];
    return [neighbour(head[1]!, head[2]!, line.children)];
  }).slice(0, MAX_NEIGHBOURS);
}

function neighbour(
  bssid: string,
  link: string,
  lines: readonly OutlineLine[],
): IwNeighbour {
  // In an object, a field name from the air could reach the prototype.
  const fields = new Map<string, number | string | string[]>();
  const set = (key: string, value: number | string | string[]): void => {
    if (key === "" || key.startsWith("_") || value === "") return;
    if (!fields.has(key) && fields.size < MAX_FIELDS) fields.set(key, value);
  };
  for (const line of lines) {
    const part = labelled(line.text);
    if (part !== null) field(part.label, part.value.slice(0, MAX_VALUE), set);
    for (const { text } of line.children) {
      const detail = labelled(text);
      if (detail !== null) field(detail.label, detail.value.slice(0, MAX_VALUE), set);
    }
  }
  return {
    ...Object.fromEntries(fields),
    bssid,
    interface: link,
    freq: numberOf(fields.get("freq")),
    ssid: shownName(fields.get("ssid")),
    signal_dbm: numberOf(fields.get("signal_dbm")),
    authentication_suites: textOf(fields.get("authentication_suites")),
    supported_rates: listOf(fields.get("supported_rates")),
  };
}

function field(
  label: string,
  value: string,
  set: (key: string, value: number | string | string[]) => void,
): void {
  const name = fieldName(label);
  if (name === "supported_rates" || name === "extended_supported_rates") {
    return set(name, value.split(/\s+/).filter((rate) => rate !== ""));
  }
  if (name === "ssid" || name === "") return set(name, value);
  const ago = /^(\d{1,15}) ms ago$/.exec(value)?.[1];
  if (ago !== undefined) return set(`${name}_ms`, Number(ago));
  const [, amount, unit] = /^(-?\d{1,16}(?:\.\d+)?) (TUs|usec|dBm)\b/.exec(value) ?? [];
  if (amount !== undefined) return set(`${name}_${UNITS[unit!]}`, Number(amount));
  const share = /^(\d{1,3})\/255$/.exec(value)?.[1];
  if (share !== undefined) return set(name, Number(share));
  set(name, /^-?\d{1,15}(\.\d+)?$/.test(value) ? Number(value) : value.replace(/^\* /, ""));
}

/** A hidden network sends no name, or as many zeros as its name has bytes. */
function shownName(value: number | string | string[] | undefined): string {
  const name = textOf(value);
  return /^(\\x00)+$/.test(name) ? "" : name;
}

function numberOf(value: number | string | string[] | undefined): number {
  return typeof value === "number" ? Math.round(value) : 0;
}

function textOf(value: number | string | string[] | undefined): string {
  return typeof value === "string" ? value : "";
}

function listOf(value: number | string | string[] | undefined): string[] {
  return Array.isArray(value) ? value : [];
}
