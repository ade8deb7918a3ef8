import { VarintReader, VarintWriter } from "../../core/data/varint.ts";
import type { FourBytes } from "./totals.ts";

/** Minutes that are kept: a day. */
export const MAX_MINUTES = 1440;

const NONE = [0, 0, 0, 0] as const satisfies FourBytes;

/**
 * The bytes of addresses at the end of each of the last minutes. Kept as what came in each minute, some
 * fifteen bytes for an address that had traffic in it.
 */
export class TrafficMinutes {
  /** What came in each minute, oldest first: number of an address and its four growths, each time. */
  #minutes: Uint8Array[] = [];
  #last: ReadonlyMap<string, FourBytes> = new Map();
  readonly #numbers = new Map<string, number>();
  readonly #addresses = new Map<number, string>();
  /** The minute in which an address last had traffic. */
  readonly #active = new Map<string, number>();
  #nextNumber = 0;
  #minute = 0;

  /**
   * Ends a minute with the bytes of addresses, which never fall. Returns the addresses without traffic
   * in all the minutes that are kept, which need not be given any more.
   */
  end(bytes: ReadonlyMap<string, FourBytes>): readonly string[] {
    const writer = new VarintWriter();
    this.#minute++;
    for (const [address, now] of bytes) {
      const before = this.#last.get(address) ?? NONE;
      if (now.every((value, at) => value === before[at])) continue;
      writer.put(this.#numberOf(address));
      now.forEach((value, at) => writer.put(value - before[at]!));
      this.#active.set(address, this.#minute);
    }
    this.#minutes.push(writer.bytes());
    if (this.#minutes.length > MAX_MINUTES) this.#minutes.shift();
    this.#last = bytes;
    return this.#forgetIdle();
  }

  /** Lets minutes pass in which nothing was read. */
  skip(count: number): void {
    this.#minute += count;
    for (let more = Math.min(count, MAX_MINUTES); more > 0; more--) {
      this.#minutes.push(new Uint8Array());
    }
    this.#minutes.splice(0, this.#minutes.length - MAX_MINUTES);
  }

  /** The bytes at the end of the last minutes, the newest first; fewer where there are fewer. */
  *snapshots(count: number): Generator<ReadonlyMap<string, FourBytes>> {
    let bytes = this.#last;
    for (let at = this.#minutes.length - 1; at >= 0 && count > 0; at--, count--) {
      yield bytes;
      const earlier = new Map(bytes);
      for (const [address, grown] of this.#read(this.#minutes[at]!)) {
        const now = earlier.get(address);
        if (now === undefined) continue;
        const before = now.map((value, part) => value - grown[part]!) as unknown as FourBytes;
        earlier.set(address, before);
      }
      bytes = earlier;
    }
  }

  /** What came in each of the last minutes, the newest first: of one address, or of all together. */
  *grown(count: number, address: string | null): Generator<FourBytes> {
    for (let at = this.#minutes.length - 1; at >= 0 && count > 0; at--, count--) {
      const sum: [number, number, number, number] = [...NONE];
      for (const [one, grown] of this.#read(this.#minutes[at]!)) {
        if (address === null || one === address) {
          grown.forEach((value, part) => sum[part]! += value);
        }
      }
      yield sum;
    }
  }

  *#read(minute: Uint8Array): Iterable<readonly [string, FourBytes]> {
    const reader = new VarintReader(minute);
    while (!reader.isDone) {
      const address = this.#addresses.get(reader.next());
      const grown: FourBytes = [reader.next(), reader.next(), reader.next(), reader.next()];
      if (address !== undefined) yield [address, grown];
    }
  }

  #numberOf(address: string): number {
    let number = this.#numbers.get(address);
    if (number === undefined) {
      number = this.#nextNumber++;
      this.#numbers.set(address, number);
      this.#addresses.set(number, address);
    }
    return number;
  }

  #forgetIdle(): readonly string[] {
    const oldest = this.#minute - this.#minutes.length;
    const idle = [...this.#active].filter(([, minute]) => minute <= oldest).map(([one]) => one);
    for (const address of idle) {
      this.#active.delete(address);
      const number = this.#numbers.get(address);
      this.#numbers.delete(address);
      if (number !== undefined) this.#addresses.delete(number);
    }
    return idle;
  }
}
