import {
  type BlockedRanges,
  decodeRanges,
  encodeRanges,
} from "../../system/core/kernel/blocked_ranges.ts";
import { prefixGroups } from "../../system/lookup/blocked/layers.ts";

/** So many blocked prefixes of two countries, none of which joins its neighbour, as bytes. */
export function blockedBytes(size: number): Uint8Array<ArrayBuffer> {
  const sources = [{ type: "country", key: "NL" }, { type: "country", key: "NZ" }] as const;
  const step = BigInt(Math.floor(0x5000_0000 / size / 256) * 256);
  const owned = Array.from({ length: size }, (_, index) => {
    const first = 0x1000_0000n + step * BigInt(index);
    // Of three lengths, as those of countries are of many.
    return [first, first + [255n, 511n, 1023n][index % 3]!, index % 2] as const;
  });
  return encodeRanges({ sources, groups: prefixGroups(4, [owned]) });
}

/** The same as they are loaded. */
export function blockedRanges(size: number): BlockedRanges {
  return decodeRanges(blockedBytes(size));
}
