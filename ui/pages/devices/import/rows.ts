import { formRules } from "../../../generated/form_rules.ts";
import type { Device, Devices } from "../../../wire.ts";
import { type Column, COLUMNS, IDENTITY, type Part } from "./columns.ts";
import { t } from "../../../text/language.ts";

/** One line of a file, as it would be stored. */
export interface ImportRow {
  /** Line of the file; the headings are 1. */
  readonly line: number;
  /** Canonical where it could be read, else as it was written. */
  readonly identity: string;
  readonly name: string;
  readonly part: Part;
  /** Errors of the line, each a sentence. */
  readonly faults: readonly string[];
  readonly state: "new" | "changed" | "same";
  /** Headings of what differs from today. */
  readonly differs: readonly string[];
}

/** The parsed file. */
export interface ImportFile {
  readonly rows: readonly ImportRow[];
  /** Error of the headings; then there are no rows. */
  readonly fault: string | null;
  /** Headings of ignored columns. */
  readonly unknown: readonly string[];
}

const KEY = new RegExp(formRules.wireguardKey.pattern);

/** A MAC address in the spelling of the router, a WireGuard key as it is; null for anything else. */
export function identityOf(text: string): string | null {
  const trimmed = text.trim();
  if (KEY.test(trimmed)) return trimmed;
  const digits = trimmed.toLowerCase().replace(/[:.-]/g, "");
  if (!/^[0-9a-f]{12}$/.test(digits) || digits === "000000000000") return null;
  if (Number.parseInt(digits.slice(0, 2), 16) % 2 === 1) return null;
  return digits.match(/../g)?.join(":") ?? null;
}

/** Headings under which a column is read, its present one first. */
function headingsOf({ heading, earlier }: Column): readonly string[] {
  return earlier === undefined ? [heading] : [heading, earlier];
}

/** Reads the cells of a file against the present devices. */
export function readRows(cells: readonly (readonly string[])[], devices: Devices): ImportFile {
  const [headings = [], ...lines] = cells;
  const columnOf = (heading: string) =>
    headings.findIndex((one) => one.trim().toLowerCase() === heading.toLowerCase());
  const first = columnOf(IDENTITY);
  const known = [IDENTITY, ...COLUMNS.flatMap(headingsOf)].map((one) => one.toLowerCase());
  const unknown = headings.filter((one) => !known.includes(one.trim().toLowerCase()));
  if (first < 0) {
    return {
      rows: [],
      unknown,
      fault: t("Column “{identity}” is missing in the first line.", { identity: IDENTITY }),
    };
  }
  const columns = COLUMNS.map((column) => ({
    column,
    at: headingsOf(column).map(columnOf).find((at) => at >= 0) ?? -1,
  })).filter(({ at }) => at >= 0);
  const seen = new Map<string, number>();
  const rows = lines.map((line, index): ImportRow => {
    const written = line[first] ?? "";
    const identity = identityOf(written);
    const { part, faults } = readParts(line, columns);
    const complaints = [...nameFaults(identity, written, index + 2, seen), ...faults];
    const before = identity === null ? undefined : devices[identity];
    const differs = before === undefined
      ? []
      : columns.filter(({ column }) => differing(column, before, part))
        .map(({ column }) => column.heading);
    return {
      line: index + 2,
      identity: identity ?? written,
      name: part.Name ?? before?.Name ?? "",
      part,
      faults: complaints,
      state: before === undefined ? "new" : differs.length > 0 ? "changed" : "same",
      differs,
    };
  });
  return {
    rows,
    unknown,
    fault: rows.length === 0 ? t("The file contains no devices.") : null,
  };
}

function nameFaults(
  identity: string | null,
  written: string,
  line: number,
  seen: Map<string, number>,
): readonly string[] {
  if (identity === null) return [t("“{written}” is not a MAC address or VPN key", { written })];
  const before = seen.get(identity);
  if (before !== undefined) return [t("Same device as line {before}", { before })];
  seen.set(identity, line);
  return [];
}

function readParts(
  line: readonly string[],
  columns: readonly { readonly column: Column; readonly at: number }[],
): { readonly part: Part; readonly faults: readonly string[] } {
  const faults: string[] = [];
  const part: Part = {};
  for (const { column, at } of columns) {
    try {
      Object.assign(part, column.read(line[at] ?? ""));
    } catch (error) {
      if (!(error instanceof RangeError)) throw error;
      faults.push(`${column.heading}: ${error.message}`);
    }
  }
  return { part, faults: [...faults, ...partFaults(part)] };
}

/** The rules of the forms, for what a line says. */
function partFaults(part: Part): readonly string[] {
  const { deviceName, label, vlanTag, wireguardKey, policy } = formRules;
  const policies: readonly string[] = policy.enum;
  const labels = [...part.Groups ?? [], ...part.DeviceTags ?? []];
  return [
    [
      (part.Name ?? "").length > deviceName.maxLength,
      t("Name: use at most {maxLength} characters", { maxLength: deviceName.maxLength }),
    ],
    [
      labels.some((one) => one.length > label.maxLength),
      t("Groups and tags: use at most {maxLength} characters each", { maxLength: label.maxLength }),
    ],
    ...labels.filter((one) => policies.includes(one))
      .map((one): [boolean, string] => [true, t("“{one}” is a policy name; use another", { one })]),
    ...(part.Policies ?? []).filter((one) => !policies.includes(one))
      .map((
        one,
      ): [boolean, string] => [
        true,
        t("Policies: “{one}” is unknown. Use {policies}", { one, policies: policies.join(", ") }),
      ]),
    [!new RegExp(vlanTag.pattern).test(part.VLANTag ?? ""), t("VLAN: use a number from 1 to 4094")],
    [
      Boolean(part.WGPubKey) && !new RegExp(wireguardKey.pattern).test(part.WGPubKey ?? ""),
      t("VPN key: not a valid key"),
    ],
    [
      Boolean(part.RecentIP) && !isIpv4(part.RecentIP ?? ""),
      t("IP address: “{recentIP}” is not a valid address", { recentIP: part.RecentIP ?? "" }),
    ],
  ].filter((rule): rule is [true, string] => rule[0] === true).map(([, text]) => text);
}

function isIpv4(text: string): boolean {
  const parts = text.split(".");
  return parts.length === 4 && parts.every((one) => /^\d{1,3}$/.test(one) && Number(one) <= 255);
}

/** True when the device would be written otherwise; the order of a list says nothing. */
function differing({ write }: Column, before: Device, part: Part): boolean {
  const text = (device: Device) => write(device).split(";").map((one) => one.trim()).sort().join();
  return text(before) !== text({ ...before, ...withoutSwitch(before, part) });
}

/** The policy `disabled` is set by the column Blocked alone. */
function withoutSwitch(before: Device, part: Part): Part {
  if (part.DeviceDisabled === undefined) return part;
  const policies = part.Policies ?? before.Policies;
  return { ...part, Policies: policies.filter((one) => one !== "disabled") };
}

/** Every device as it would stand after the rows: those that no row names stay as they are. */
export function mergedDevices(
  rows: readonly ImportRow[],
  devices: Devices,
): Readonly<Record<string, unknown>> {
  const merged: Record<string, unknown> = { ...devices };
  for (const { identity, part } of rows) {
    const before = devices[identity];
    const blocked = part.DeviceDisabled ?? before?.DeviceDisabled ?? false;
    const policies = (part.Policies ?? before?.Policies ?? []).filter((one) => one !== "disabled");
    merged[identity] = {
      ...before,
      ...part,
      DeviceDisabled: blocked,
      Policies: blocked ? [...policies, "disabled"] : policies,
    };
  }
  return merged;
}
