import { nameBytes } from "../../codec/name.ts";
import type { DnsClient } from "../../resolver/client.ts";
import type { CompiledFilter } from "./compiled_filter.ts";
import type { Verdict } from "./verdict_schema.ts";

/** How a name is answered whose answer would show a way round the router's resolver. */
export type BypassAnswer = "nxdomain" | "nodata";

/**
 * Names by which clients look for a way round the router's resolver, and the answer by which they stay
 * with it. `below`: with all names below it.
 */
const NAMES: readonly {
  readonly name: Uint8Array;
  readonly below: boolean;
  readonly answer: BypassAnswer;
}[] = [
  // Discovery of designated resolvers (RFC 9462 6.4: NODATA for all names in it).
  { name: nameBytes("resolver.arpa")!, below: true, answer: "nodata" },
  // Firefox does not turn on DNS over HTTPS by itself when this name does not exist.
  { name: nameBytes("use-application-dns.net")!, below: false, answer: "nxdomain" },
  // Apple devices do not use iCloud Private Relay in a network where these do not exist.
  { name: nameBytes("mask.icloud.com")!, below: false, answer: "nxdomain" },
  { name: nameBytes("mask-h2.icloud.com")!, below: false, answer: "nxdomain" },
];

/** Verdicts on such names. */
const VERDICTS: Readonly<Record<BypassAnswer, Verdict>> = {
  nxdomain: { kind: "block", by: { builtin: "bypass" }, categories: [] },
  nodata: { kind: "block", by: { builtin: "bypass" }, categories: [], nodata: true },
};

/** How a name in wire format and lower case is answered if it is such a name; null for another. */
export function bypassAnswer(name: Uint8Array): BypassAnswer | null {
  const length = wireLength(name);
  for (const one of NAMES) {
    const start = length - one.name.length;
    if (start < 0 || (start > 0 && !one.below) || !endsWith(name, start, one.name)) continue;
    if (isLabelStart(name, start)) return one.answer;
  }
  return null;
}

/** Length of a name up to its final zero, which a longer buffer may follow. */
function wireLength(name: Uint8Array): number {
  let at = 0;
  while (at < name.length && name[at]! !== 0) at += name[at]! + 1;
  return at + 1;
}

function endsWith(name: Uint8Array, start: number, end: Uint8Array): boolean {
  // The last letters differ soonest.
  for (let i = end.length - 2; i >= 0; i--) if (name[start + i] !== end[i]) return false;
  return true;
}

function isLabelStart(name: Uint8Array, start: number): boolean {
  let at = 0;
  while (at < start) at += name[at]! + 1;
  return at === start;
}

/** Why names are filtered for a client; null when nothing is, or such names are allowed. */
export function filterOf(
  client: DnsClient | undefined,
  address: string,
  compiled: CompiledFilter,
): "family" | "blocking" | null {
  if (compiled.config.BypassCheckDisable) return null;
  if (client?.policies.includes("dns:family")) return "family";
  if (compiled.excluded.has(address)) return null;
  const tags = client?.tags ?? [], groups = client?.groups ?? [];
  const { BlockLists, OverrideLists } = compiled.config;
  const applies = (required: readonly string[]): boolean =>
    required.length === 0 || required.some((tag) => tags.includes(tag));
  const isFiltered =
    BlockLists.some((list) => list.Enabled && !list.DontBlock && applies(list.Tags)) ||
    OverrideLists.some((list) =>
      list.Enabled && applies(list.Tags) &&
      list.BlockDomains.some((one) =>
        applies(one.Tags) && (one.ClientIP === "*" || one.ClientIP === address) &&
        (!one.Groups?.length || one.Groups.some((group) => groups.includes(group)))
      )
    );
  return isFiltered ? "blocking" : null;
}

/** The verdict on such a name for a client whose names are filtered; null for others. */
export function bypassVerdict(
  name: Uint8Array,
  client: DnsClient | undefined,
  address: string,
  compiled: CompiledFilter,
): Verdict | null {
  const answer = bypassAnswer(name);
  return answer === null || filterOf(client, address, compiled) === null ? null : VERDICTS[answer];
}
