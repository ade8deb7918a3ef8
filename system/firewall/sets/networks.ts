import { parseRange4 } from "../../core/net/net.ts";

/** Networks without those that lie inside another: the kernel refuses overlaps in one set. */
export function mergeNetworks(networks: readonly string[]): readonly string[] {
  const parsed = networks.flatMap((text) => {
    const range = parseRange4(text);
    return range ? [{ text, range }] : [];
  });
  // Broader ones first, so that what holds a network is known before it.
  const order = [...parsed].sort((a, b) => a.range.prefix - b.range.prefix);
  const held = new Set<string>();
  const prefixes = new Set<number>();
  const kept = new Set<(typeof parsed)[number]>();
  for (const one of order) {
    const covered = [...prefixes].some((prefix) => {
      const size = 2 ** (32 - prefix);
      return held.has(`${one.range.first - one.range.first % size}/${prefix}`);
    });
    if (covered) continue;
    held.add(`${one.range.first}/${one.range.prefix}`);
    prefixes.add(one.range.prefix);
    kept.add(one);
  }
  return parsed.filter((one) => kept.has(one)).map(({ text }) => text);
}
