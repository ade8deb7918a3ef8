/** Common vendor prefixes (IEEE OUI): Intel, Apple, Google, Microsoft, Raspberry Pi. */
const MAKERS = ["00:1b:21", "f0:18:98", "3c:5a:b4", "00:15:5d", "b8:27:eb", "dc:a6:32"] as const;

/**
 * A MAC address of six random bytes: locally administered (IEEE 802, U/L bit), or with a common
 * vendor prefix, so that it does not look random.
 */
function randomMac(random: Uint8Array, cloaked: boolean): string {
  const bytes = [...random.subarray(0, 6)];
  if (bytes.length < 6) throw new RangeError("A random MAC address needs six bytes");
  const pairs = bytes.map((byte) => byte.toString(16).padStart(2, "0"));
  const prefix = cloaked
    ? MAKERS[bytes[0]! % MAKERS.length]!
    : [(bytes[0]! & 0xfc | 2).toString(16).padStart(2, "0"), pairs[1], pairs[2]].join(":");
  return [prefix, ...pairs.slice(3)].join(":");
}

/** Most addresses that are kept for interfaces; the ones drawn first go. */
const KEPT = 64;

/** Draws random MAC addresses: an interface has the same one in previews and in the change they are of. */
export class RandomMacs {
  readonly #random: (length: number) => Uint8Array;
  /** Random bytes by the name of the interface. */
  readonly #drawn = new Map<string, Uint8Array>();

  constructor(random: (length: number) => Uint8Array) {
    this.#random = random;
  }

  /** The address that an interface would be given. */
  of(name: string, cloaked: boolean): string {
    let bytes = this.#drawn.get(name);
    if (bytes === undefined) {
      this.#drawn.set(name, bytes = this.#random(6));
      if (this.#drawn.size > KEPT) this.#drawn.delete(this.#drawn.keys().next().value!);
    }
    return randomMac(bytes, cloaked);
  }

  /** An interface was changed: it would be given another address next time. */
  changed(name: string): void {
    this.#drawn.delete(name);
  }
}
