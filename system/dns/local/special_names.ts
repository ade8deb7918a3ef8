import { nameBytes, nameText } from "../codec/name.ts";
import { TYPE } from "../codec/constants.ts";

/** Types that validating clients query for single labels in the root zone. */
const OF_TOP_LEVEL: ReadonlySet<number> = new Set([TYPE.NS, TYPE.SOA, TYPE.DS, TYPE.DNSKEY]);

const octets = (from: number, to: number, rest: string): string[] =>
  Array.from({ length: to - from + 1 }, (_, i) => `${from + i}.${rest}`);

/**
 * Zones that never go upstream: reserved names (RFC 6761, RFC 6762, RFC 7686, RFC 8375,
 * and `lan`, `internal` of ICANN for private use), and the reverse zones of private and special
 * addresses (RFC 6303, RFC 7793).
 */
const ZONES: ReadonlyMap<string, Uint8Array> = new Map(
  [
    "lan",
    "localhost",
    "local",
    "invalid",
    "onion",
    "internal",
    "home.arpa",
    "0.in-addr.arpa",
    "10.in-addr.arpa",
    "127.in-addr.arpa",
    "254.169.in-addr.arpa",
    ...octets(64, 127, "100.in-addr.arpa"),
    ...octets(16, 31, "172.in-addr.arpa"),
    "168.192.in-addr.arpa",
    "2.0.192.in-addr.arpa",
    "100.51.198.in-addr.arpa",
    "113.0.203.in-addr.arpa",
    "255.255.255.255.in-addr.arpa",
    `${"0.".repeat(32)}ip6.arpa`,
    `1.${"0.".repeat(31)}ip6.arpa`,
    "c.f.ip6.arpa",
    "d.f.ip6.arpa",
    ...["8", "9", "a", "b"].map((digit) => `${digit}.e.f.ip6.arpa`),
    "8.b.d.0.1.0.0.2.ip6.arpa",
  ].map((zone) => [zone, nameBytes(zone)!]),
);

/** The last labels of {@link ZONES} by their length: a name with another is none of them. */
const LAST: ReadonlyMap<number, readonly Uint8Array[]> = Map.groupBy(
  [...new Set([...ZONES.keys()].map((zone) => zone.slice(zone.lastIndexOf(".") + 1)))]
    .map((label) => new TextEncoder().encode(label)),
  ({ length }) => length,
);

/** A special-use name, which never goes upstream. */
export interface SpecialName {
  /** Its zone, in wire format. */
  readonly zone: Uint8Array;
  readonly localhost: boolean;
}

const ROOT = Uint8Array.of(0);

/**
 * The special-use name that a name (in wire format, lower case) belongs to; null for others. A single
 * label is special unless the query is about the root zone.
 */
export function specialName(name: Uint8Array, labels: number, type: number): SpecialName | null {
  if (labels === 0) return null;
  let at = 0;
  for (let label = 1; label < labels; label++) at += name[at]! + 1;
  if (endsInZone(name, at)) {
    const text = nameText(name).slice(0, -1);
    for (let from = 0; from >= 0;) {
      const zone = ZONES.get(text.slice(from));
      if (zone !== undefined) return { zone, localhost: text.slice(from) === "localhost" };
      const dot = text.indexOf(".", from);
      from = dot < 0 ? -1 : dot + 1;
    }
  }
  return labels === 1 && !OF_TOP_LEVEL.has(type) ? { zone: ROOT, localhost: false } : null;
}

/** True when the label at this offset begins a zone; allocates nothing. */
function endsInZone(name: Uint8Array, at: number): boolean {
  const size = name[at]!;
  const labels = LAST.get(size);
  if (labels === undefined) return false;
  for (const label of labels) {
    let same = 0;
    while (same < size && label[same] === name[at + 1 + same]) same++;
    if (same === size) return true;
  }
  return false;
}
