import type { AddressCount } from "../../core/kernel/host.ts";

const SET = /^\tset (\S+) \{/;
const ELEMENT = /(\d+(?:\.\d+){3}) counter packets (\d+) bytes (\d+)/;

/**
 * The counted addresses of each set in the text of `nft list table`. Numbers beyond 2⁵³ lose their last
 * digits.
 */
export function readCounters(text: string): Readonly<Record<string, readonly AddressCount[]>> {
  const counters: Record<string, AddressCount[]> = {};
  let counts: AddressCount[] | null = null;
  for (const line of text.split("\n")) {
    const name = SET.exec(line)?.[1];
    if (name !== undefined) counters[name] = counts = [];
    else if (line.startsWith("\tchain ")) counts = null;
    if (counts === null) continue;
    for (const element of line.split(",")) {
      const found = ELEMENT.exec(element);
      if (found) counts.push([found[1]!, Number(found[2]), Number(found[3])]);
    }
  }
  return counters;
}
