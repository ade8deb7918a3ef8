import type { Config } from "../../config.ts";
import { canonical } from "../../core/config/json.ts";
import { differingMembers } from "../../core/config/memo.ts";
import type { ChangeContext, Consequences } from "../../core/engine/change.ts";
import { formatIpv4, inRange4, parseRange4, type Range4 } from "../../core/net/net.ts";
import { type Reference, references, rewriteReferences } from "./references.ts";

type Devices = Config["devices"];

/** What became of the address of a device: another address, or null where the device is gone. */
interface Move {
  readonly to: string | null;
  readonly device: string;
}

type Moves = ReadonlyMap<string, Move>;

/**
 * Keeps rules with the devices that they mean. A rule names an address; the device that has it owns
 * the rule: where the device gets another address, the rule names that one, and where the device
 * goes, the rule ends, so that the next owner of the address does not inherit it. What names a
 * network, or an address of no device, moves with a pool that is renumbered.
 */
export function followAddresses(
  { before, after, past }: ChangeContext<Config>,
): Consequences<Config> {
  const moves = movesBetween(before.devices, after.devices);
  const pools = renumbered(before.dhcp.TinyNets, after.dhcp.TinyNets);
  const inherited = past === null ? moves : movesBetween(past("devices"), after.devices);
  if (moves.size === 0 && inherited.size === 0 && pools === null) {
    return { config: after, effects: [] };
  }
  const isNew = newEntries(before, after);
  const held = new Set(Object.values(before.devices).map(({ RecentIP }) => RecentIP));
  const effects: string[] = [];
  const config = rewriteReferences(after, (reference) => {
    const { text, subject, entry, stays = false } = reference;
    // What this change itself wrote means what it says, unless it comes back from another time.
    const fresh = isNew(entry);
    const move = (fresh ? past === null ? undefined : inherited : moves)?.get(text);
    if (move !== undefined) {
      effects.push(moveText(subject(), move, stays));
      return move.to;
    }
    const next = fresh || pools === null || held.has(text) ? null : inNewPool(text, pools);
    if (next === null) return text;
    effects.push(`${subject()} moves from ${text} to ${next}`);
    return next;
  });
  return {
    config,
    // The single fields of resolvers repeat the first of a list.
    effects: [...new Set([...effects, ...waiting(before, config, pools)])],
  };
}

function moveText(subject: string, { to, device }: Move, stays: boolean): string {
  if (to !== null) return `${subject} moves with ${device} to ${to}`;
  return stays
    ? `${subject} keeps the address of ${device}, which no unknown device gets`
    : `${subject} is deleted with ${device}`;
}

/** Addresses of devices that have another one, or are gone. */
function movesBetween(before: Devices, after: Devices): Moves {
  const changed = differingMembers(before, after);
  const moves = new Map<string, Move>();
  let holders: ReadonlySet<string> | null = null;
  for (const identity of changed) {
    const { RecentIP: from = "", Name = "" } = before[identity] ?? {};
    const now = after[identity];
    if (from === "" || now?.RecentIP === from) continue;
    const device = Name || identity;
    if (now !== undefined && now.RecentIP !== "") {
      moves.set(from, { to: now.RecentIP, device });
      continue;
    }
    holders ??= new Set(Object.values(after).map(({ RecentIP }) => RecentIP));
    const isHeld = holders.has(from);
    // A device without an address until its next lease keeps its rules: no other device gets it. A
    // device that goes on under another identity keeps its address.
    if ((now === undefined) !== isHeld) moves.set(from, { to: null, device });
  }
  return moves;
}

/** Answers whether an entry was not there before, compared by what it says. */
function newEntries(before: Config, after: Config): (entry: unknown) => boolean {
  const parts = [
    ...[
      "firewall",
      "dnsBlock",
      "dns",
      "dnsLog",
      "hostnames",
      "dhcp",
      "reachTests",
      "dyndns",
    ] as const,
  ];
  if (parts.every((name) => before[name] === after[name])) {
    return () => false;
  }
  const known = new Set(references(before).map(({ entry }) => canonical(entry)));
  return (entry) => !known.has(canonical(entry));
}

interface Renumbering {
  readonly from: Range4;
  readonly to: Range4;
}

/** The pool that took the place of another of its size; null for every other change of pools. */
function renumbered(before: readonly string[], after: readonly string[]): Renumbering | null {
  if (before === after) return null;
  const gone = before.filter((net) => !after.includes(net)).flatMap((net) =>
    parseRange4(net) ?? []
  );
  const come = after.filter((net) => !before.includes(net)).flatMap((net) =>
    parseRange4(net) ?? []
  );
  const [from] = gone, [to] = come;
  return gone.length === 1 && come.length === 1 && from!.prefix === to!.prefix
    ? { from: from!, to: to! }
    : null;
}

function inNewPool(text: string, { from, to }: Renumbering): string | null {
  const range = parseRange4(text);
  if (range === null || !inRange4(from, range.first) || !inRange4(from, range.last)) return null;
  const first = formatIpv4(range.first - from.first + to.first);
  return text.includes("/") ? `${first}/${range.prefix}` : first;
}

/** Rules of devices that keep their old address until they renew it. */
function waiting(before: Config, after: Config, pools: Renumbering | null): readonly string[] {
  if (pools === null) return [];
  const inOld = new Map(
    Object.entries(before.devices).flatMap(([identity, { RecentIP, Name }]) =>
      inNewPool(RecentIP, pools) === null ? [] : [[RecentIP, Name || identity] as const]
    ),
  );
  return references(after).flatMap(({ text, subject }: Reference) => {
    const device = inOld.get(text);
    return device === undefined
      ? []
      : [`${subject()} moves with ${device} when it renews its address`];
  });
}
