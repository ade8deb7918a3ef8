import { formatAddress, formatIpv4 } from "../../net/net.ts";
import { type BlockedRanges, maskWords, type PrefixGroup } from "../blocked_ranges.ts";

/** Name of the table of blocked ranges, in the family inet. */
export const BLOCKED_TABLE = "geo_block";

/**
 * Priority of its chains: before those of the table filter (0), so that what it drops is not let in by
 * a rule there, and after translation of destinations.
 */
const PRIORITY = -5;

const NAME = `inet ${BLOCKED_TABLE}`;

/** The script that takes the table away, there or not. */
export const WITHOUT_BLOCKED = `table ${NAME}\ndelete table ${NAME}\n`;

/**
 * Blocked ranges as one nft script that replaces their table. Plain maps, one for each length of prefix:
 * a map of intervals would make every later transaction slow. New connections alone are looked up, by
 * their destination and, from outside, by their source.
 */
export function renderBlocked({ sources, groups }: BlockedRanges): string {
  const chains = sources.map(({ type, key }, index) =>
    `  chain s${index} {\n    counter drop comment "${type} ${key}"\n  }\n`
  );
  const maps = groups.map((group) =>
    `  map ${mapName(group)} {\n    type ${type(group)} : verdict\n${elements(group)}  }\n`
  );
  const look = (field: "saddr" | "daddr"): string =>
    groups.map((group) => {
      const family = group.family === 4 ? "ip" : "ip6";
      const mask = text(group.family, maskWords(group.family, group.length), 0);
      return `    ${family} ${field} & ${mask} vmap @${mapName(group)}\n`;
    }).join("");
  const base = (hook: string, rules: readonly string[]): string =>
    `  chain ${hook} {\n    type filter hook ${hook} priority ${PRIORITY}; policy accept;\n` +
    [...rules, ""].map((rule) => rule === "" ? "" : `    ${rule}\n`).join("") + "  }\n";
  const running = "ct state established,related accept";
  return [
    WITHOUT_BLOCKED,
    `table ${NAME} {\n  comment "sluice"\n`,
    ...chains,
    ...maps,
    `  chain to {\n${look("daddr")}  }\n`,
    `  chain source {\n${look("saddr")}  }\n`,
    base("forward", [running, "jump to", "jump source"]),
    base("input", ['iifname "lo" accept', running, "jump source"]),
    base("output", ['oifname "lo" accept', running, "jump to"]),
    "}\n",
  ].join("");
}

function mapName({ family, length }: PrefixGroup): string {
  return `v${family}_${length}`;
}

function type({ family }: PrefixGroup): string {
  return family === 4 ? "ipv4_addr" : "ipv6_addr";
}

function elements({ family, addresses, owners }: PrefixGroup): string {
  if (owners.length === 0) return "";
  const parts: string[] = [];
  for (let index = 0; index < owners.length; index++) {
    const at = family === 4 ? index : 4 * index;
    parts.push(`${text(family, addresses, at)} : jump s${owners[index]}`);
  }
  return `    elements = { ${parts.join(", ")} }\n`;
}

function text(family: 4 | 6, words: ArrayLike<number>, at: number): string {
  if (family === 4) return formatIpv4(words[at]!);
  const value = [0, 1, 2, 3].reduce(
    (sum, word) => sum << 32n | BigInt(words[at + word]!),
    0n,
  );
  return formatAddress({ family: 6, value });
}

/** Packets and bytes that each source has blocked, from the text of `list chains`; null: no such table. */
export function parseBlockedCounters(
  listing: string,
): ReadonlyMap<string, { readonly packets: number; readonly bytes: number }> | null {
  const start = listing.indexOf(`table ${NAME} {`);
  if (start < 0) return null;
  const end = listing.indexOf("\n}", start);
  const counters = new Map<string, { readonly packets: number; readonly bytes: number }>();
  const line = /counter packets (\d+) bytes (\d+) drop comment "([a-z]+ [A-Za-z0-9]+)"/g;
  for (const [, packets, bytes, source] of listing.slice(start, end).matchAll(line)) {
    counters.set(source!, { packets: Number(packets), bytes: Number(bytes) });
  }
  return counters;
}
