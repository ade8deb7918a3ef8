import { onceEach } from "../../core/config/memo.ts";
import { LOG_GROUPS } from "../../core/kernel/logged_packet.ts";
import type { Chain, Element, NftSet, Rule, Table } from "../../core/kernel/ruleset.ts";
import { drop, FROM_UPLINK, is, isNot, rule, TO_UPLINK, without } from "../chains/rule.ts";
import { BLOCK_CHAINS, type BlockSet } from "../sets/block_sets.ts";
import { baseName } from "../sets/regions.ts";
import { RESTRICT_PRIVATE } from "../sets/sets.ts";
import type { PacketLogSettings } from "./schema.ts";

/** Behind the chains that decide (priority 0), so that only what they let on comes here. */
const AFTER_VERDICT = 10;

type BlockChain = (typeof BLOCK_CHAINS)[BlockSet];

/** Beginnings of the prefixes of what each chain drops; each is a topic behind `nft:`. */
const DROPS: Readonly<Record<string, string>> & Readonly<Record<BlockChain, string>> = {
  INPUT: "drop:input",
  INPUT_IPV6: "drop:input",
  FORWARD: "drop:forward",
  OUTPUT: "drop:output",
  DROP_MAC_SPOOF: "drop:mac",
  [RESTRICT_PRIVATE]: "drop:private",
  FORWARD_BLOCK: "drop:pfw",
  OUTPUT_BLOCK: "drop:output",
  BLOCK: "drop:pfw",
};

/** Verdict maps whose elements drop, by their base name, with the chain that looks into them. */
const BLOCKING: ReadonlyMap<string, string> = new Map(Object.entries(BLOCK_CHAINS));

/** Longest prefix of a log statement (NF_LOG_PREFIXLEN 128, with its zero). */
const MAX_PREFIX = 127;

/** The prefix by which a chain logs what a rule drops: the chain's, and the rule in words. */
export function dropPrefix(chain: string, comment: string): string {
  const text = comment.replace(/[^A-Za-z0-9 :,.()/-]/g, "");
  return `${DROPS[chain] ?? "drop:forward"} ${text}`.slice(0, MAX_PREFIX).trimEnd();
}

function logRule(text: string, prefix: string, group: number, matches: Rule["matches"]): Rule {
  return rule(text, { kind: "log", prefix, group }, ...matches);
}

/** The chain that logs and drops what elements of a verdict map block. */
function logChain(chain: string): string {
  return `LOG_${chain}`;
}

/** A rule as it stands while drops are logged: behind one that logs the same packets. */
function loggedRule(chain: string, one: Rule): readonly Rule[] {
  if (one.action.kind !== "drop") return [one];
  const prefix = dropPrefix(chain, one.comment);
  return [logRule(`Log: ${one.comment}`, prefix, LOG_GROUPS.blocked, one.matches), one];
}

/** A map whose elements lead to the chain that logs and drops; any other as it is. */
const loggedMap = onceEach((set: NftSet): NftSet => {
  const chain = BLOCKING.get(baseName(set.name));
  if (chain === undefined) return set;
  const value = { kind: "goto", chain: logChain(chain) } as const;
  const elements = [...set.elements].map(([key, element]): [string, Element] => [
    key,
    { ...element, value },
  ]);
  return { ...set, elements: new Map(elements) };
});

const loggedChain = onceEach((chain: Chain): readonly Chain[] => {
  const [lookup] = chain.rules;
  if (lookup?.action.kind === "vmap" && BLOCKING.has(baseName(lookup.action.map))) {
    const rules = loggedRule(chain.name, rule(lookup.comment, drop));
    return [{ name: logChain(chain.name), rules }, chain];
  }
  return [{ ...chain, rules: chain.rules.flatMap((one) => loggedRule(chain.name, one)) }];
});

const NEW = is("ct state", "new");
const NOT_FROM_UPLINK = without("uplink_interfaces", "iifname");
const NOT_TO_UPLINK = without("uplink_interfaces", "oifname");

/** First packets that the chains before let on. */
const ALLOWED: readonly Chain[] = [
  {
    name: "LOG_INPUT_ALLOWED",
    hook: { type: "filter", hook: "input", priority: AFTER_VERDICT, policy: "accept" },
    rules: [
      allowed("Log: allowed from the WAN to the router", "wan:in", FROM_UPLINK),
      allowed("Log: allowed from the LAN to the router", "lan:in", NOT_FROM_UPLINK),
    ],
  },
  {
    name: "LOG_FORWARD_ALLOWED",
    hook: { type: "filter", hook: "forward", priority: AFTER_VERDICT, policy: "accept" },
    rules: [
      allowed("Log: allowed to the WAN", "wan:out", TO_UPLINK),
      allowed("Log: allowed to the LAN", "lan:out", NOT_TO_UPLINK),
    ],
  },
];

function allowed(text: string, prefix: string, side: Rule["matches"][number]): Rule {
  const matches = [NEW, isNot("iifname", "lo"), side];
  return logRule(text, `${prefix} `, LOG_GROUPS.allowed, matches);
}

/**
 * The tables with the statements that log packets, while that is on. Every drop logs first, and what lies behind the verdicts logs what was let on. What is allowed and blocked stays the same.
 */
export function loggedTables(
  tables: readonly Table[],
  log: Exclude<PacketLogSettings["Log"], "off">,
): readonly Table[] {
  return tables.map((table) => {
    if (table.name !== "filter" && table.name !== "nat") return table;
    return {
      ...table,
      sets: table.sets.map(loggedMap),
      chains: [
        ...table.chains.flatMap(loggedChain),
        ...(log === "all" && table.name === "filter" ? ALLOWED : []),
      ],
    };
  });
}
