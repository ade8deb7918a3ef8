import { DataError } from "./data_error.ts";
import { indexOf, textAt, type TextList, textList } from "./text_list.ts";

/** Vendors by the prefixes of MAC addresses that IEEE assigned: of 24, 28 and 36 bits. */
export interface VendorTable {
  readonly keys24: Uint32Array;
  readonly keys28: Uint32Array;
  readonly keys36: Float64Array;
  /** Position of each one's vendor among the names. */
  readonly vendors24: Uint32Array;
  readonly vendors28: Uint32Array;
  readonly vendors36: Uint32Array;
  readonly names: TextList;
}

/** Length of the prefixes in hexadecimal digits; the longest that matches is whose it is. */
const LENGTHS = [6, 7, 9] as const;
const MAX_ENTRIES = 1_000_000;
const MAX_NAME_LENGTH = 120;

/** Vendor of an address of twelve hexadecimal digits; empty: not known. */
export function vendorOf(table: VendorTable, digits: string): string {
  for (
    const [keys, vendors, length] of [
      [table.keys36, table.vendors36, 9],
      [table.keys28, table.vendors28, 7],
      [table.keys24, table.vendors24, 6],
    ] as const
  ) {
    const index = indexOf(keys, parseInt(digits.slice(0, length), 16));
    if (index >= 0) return textAt(table.names, vendors[index]!);
  }
  return "";
}

/** Compiles an object of prefixes and vendors, of which the first line is the name. Throws {@link DataError}. */
export function compileVendors(text: string, old: VendorTable | null): VendorTable {
  let entries: readonly (readonly [string, unknown])[];
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value !== "object" || value === null || Array.isArray(value)) throw new Error();
    entries = Object.entries(value);
  } catch {
    throw new DataError("The file is not a JSON object of prefixes and vendors");
  }
  if (entries.length > MAX_ENTRIES) throw new DataError("The file has too many vendors");
  if (old !== null && entries.length < countOf(old) / 2) {
    throw new DataError("The file has less than half of the vendors that there are now");
  }
  const names = new Map<string, number>();
  const byLength = new Map<number, (readonly [number, number])[]>(
    LENGTHS.map((length) => [length, []]),
  );
  for (const [prefix, vendor] of entries) {
    const list = byLength.get(prefix.length);
    if (list === undefined || !/^[0-9A-Fa-f]+$/.test(prefix) || typeof vendor !== "string") {
      throw new DataError("The file has a prefix that is not of 6, 7 or 9 hexadecimal digits");
    }
    const name = firstLine(vendor);
    if (!names.has(name)) names.set(name, names.size);
    list.push([parseInt(prefix, 16), names.get(name)!]);
  }
  const [short, middle, long] = LENGTHS.map((length) =>
    byLength.get(length)!.sort(([a], [b]) => a - b)
  );
  const keys = (list: readonly (readonly [number, number])[]) => list.map(([key]) => key);
  const vendors = (list: readonly (readonly [number, number])[]) =>
    Uint32Array.from(list, ([, vendor]) => vendor);
  return {
    keys24: Uint32Array.from(keys(short!)),
    keys28: Uint32Array.from(keys(middle!)),
    keys36: Float64Array.from(keys(long!)),
    vendors24: vendors(short!),
    vendors28: vendors(middle!),
    vendors36: vendors(long!),
    names: textList([...names.keys()]),
  };
}

/** Prefixes of a table. */
export function countOf({ keys24, keys28, keys36 }: VendorTable): number {
  return keys24.length + keys28.length + keys36.length;
}

function firstLine(vendor: string): string {
  // deno-lint-ignore no-control-regex
  return vendor.split("\n")[0]!.replaceAll(/[\u0000-\u001f\u007f-\u009f\u2028\u2029]+/g, " ").trim()
    .slice(0, MAX_NAME_LENGTH).toWellFormed();
}
