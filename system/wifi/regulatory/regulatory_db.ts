/*
 * The regulatory database of the kernel, `regulatory.db` (net/wireless/reg.c, struct fwdb_*). All
 * numbers are big-endian; pointers count in units of four bytes.
 */

/** Where Debian's package wireless-regdb and others put it. */
export const REGULATORY_DB_PATHS = [
  "/lib/firmware/regulatory.db",
  "/usr/lib/firmware/regulatory.db",
] as const;

const MAGIC = 0x52474442;
const VERSION = 20;
const FLAGS = { noOutdoor: 1 << 1, radar: 1 << 2, passive: 1 << 3, autoWidth: 1 << 4 } as const;

/** What a country permits in a range of frequencies. */
export interface RegulatoryRule {
  /** MHz. */
  readonly start: number;
  readonly end: number;
  readonly maxWidth: number;
  /** dBm. */
  readonly maxPower: number;
  /** An access point listens for radar first. */
  readonly radar: boolean;
  /** An access point may not begin to send. */
  readonly passive: boolean;
  readonly indoorOnly: boolean;
  /** Neighbouring rules may be joined for a wider channel. */
  readonly autoWidth: boolean;
}

/** Reads the database: rules by country, `00` is the world. Throws Error for anything else. */
export function readRegulatoryDb(
  bytes: Uint8Array,
): ReadonlyMap<string, readonly RegulatoryRule[]> {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (bytes.length < 8 || view.getUint32(0) !== MAGIC || view.getUint32(4) !== VERSION) {
    throw new Error("This is no regulatory database of version 20");
  }
  const countries = new Map<string, readonly RegulatoryRule[]>();
  for (let at = 8; at + 4 <= bytes.length && view.getUint16(at) !== 0; at += 4) {
    const name = String.fromCharCode(view.getUint8(at), view.getUint8(at + 1));
    countries.set(name, rulesAt(view, view.getUint16(at + 2) * 4));
  }
  return countries;
}

function rulesAt(view: DataView, collection: number): RegulatoryRule[] {
  const length = view.getUint8(collection), count = view.getUint8(collection + 1);
  const pointers = collection + length + length % 2;
  return Array.from({ length: count }, (_, n) => {
    const rule = view.getUint16(pointers + 2 * n) * 4;
    const flags = view.getUint8(rule + 1);
    return {
      start: view.getUint32(rule + 4) / 1000,
      end: view.getUint32(rule + 8) / 1000,
      maxWidth: view.getUint32(rule + 12) / 1000,
      maxPower: view.getUint16(rule + 2) / 100,
      radar: (flags & FLAGS.radar) !== 0,
      passive: (flags & FLAGS.passive) !== 0,
      indoorOnly: (flags & FLAGS.noOutdoor) !== 0,
      autoWidth: (flags & FLAGS.autoWidth) !== 0,
    };
  });
}
