import { formatAddress, parseAddress } from "../../core/net/net.ts";
import { addressBytes, addressText, reverseName } from "../codec/address_data.ts";
import { KeyTable } from "../../core/data/key_table.ts";
import { LOCAL_DOMAIN } from "./local_names.ts";
import { nameBytes } from "../codec/name.ts";
import type { NameKey } from "../codec/name_key.ts";
import type { LocalName } from "../config/snapshot_schema.ts";
import { TYPE } from "../codec/constants.ts";

/** The records of a local name. */
export interface LocalEntry {
  readonly name: Uint8Array;
  /** Data of its records by type. */
  readonly records: Map<number, Uint8Array[]>;
}

/** Local names and the reverse names of their addresses. */
export class LocalZone {
  readonly #keys: NameKey;
  readonly #entries = new KeyTable<LocalEntry>();
  /** Keys of the names above those, which exist as well (RFC 8020). */
  readonly #above = new Set<number>();

  constructor(names: readonly LocalName[], keys: NameKey) {
    this.#keys = keys;
    const suffix = `.${LOCAL_DOMAIN}`;
    for (const { name, address } of names) {
      const parsed = parseAddress(address);
      const whole = nameBytes(name);
      if (parsed === null || whole === null) continue;
      const type = parsed.family === 4 ? TYPE.A : TYPE.AAAA;
      const data = addressBytes(address);
      this.#add(whole, type, data);
      // A local name resolves without its domain as well.
      const bare = name.endsWith(suffix) ? nameBytes(name.slice(0, -suffix.length)) : null;
      if (bare !== null && !name.slice(0, -suffix.length).includes(".")) {
        this.#add(bare, type, data);
      }
      const reverse = nameBytes(reverseName(formatAddress(parsed)))!;
      if (this.find(reverse, reverse.length) === null) this.#add(reverse, TYPE.PTR, whole);
    }
  }

  /** Number of names, reverse names among them. */
  get size(): number {
    return this.#entries.size;
  }

  /** The entry of a wire-format name in lower case; null for none. `key`: its {@link NameKey}. */
  find(
    name: Uint8Array,
    length: number,
    key: number = this.#keys.of(name, length),
  ): LocalEntry | null {
    const entry = this.#entries.get(key);
    if (entry === undefined || entry.name.length !== length) return null;
    for (let i = 0; i < length; i++) if (entry.name[i] !== name[i]) return null;
    return entry;
  }

  /** True when there is a local name below this one. */
  hasBelow(name: Uint8Array, length: number): boolean {
    return this.#above.size > 0 && this.#above.has(this.#keys.of(name, length));
  }

  /** Addresses of a local name, as texts; null for another name. */
  addresses(name: Uint8Array): readonly string[] | null {
    const entry = this.find(name, name.length);
    return entry === null
      ? null
      : [TYPE.A, TYPE.AAAA].flatMap((type) => (entry.records.get(type) ?? []).map(addressText));
  }

  #add(name: Uint8Array, type: number, data: Uint8Array): void {
    const key = this.#keys.of(name, name.length);
    let entry = this.find(name, name.length);
    if (entry === null) {
      this.#entries.set(key, entry = { name, records: new Map() });
      for (let at = name[0]! + 1; name[at]! > 0; at += name[at]! + 1) {
        const above = name.subarray(at);
        this.#above.add(this.#keys.of(above, above.length));
      }
    }
    const records = entry.records.get(type) ?? [];
    entry.records.set(type, [...records, data]);
  }
}
