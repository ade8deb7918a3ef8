import { onceEach } from "../../core/config/memo.ts";
import { parseAddress } from "../../core/net/net.ts";
import type {
  Action,
  Chain,
  Element,
  Packet,
  PacketTrace,
  Rule,
  Ruleset,
  Table,
  TraceStep,
  Verdict,
} from "../../core/kernel/ruleset.ts";
import { linkOf } from "./lookup.ts";
import { DEFAULT_DROP } from "../chains/rule.ts";
import { ACCOUNTING_TABLE } from "../accounting.ts";
import { MARKS_TABLE } from "../sets/marks.ts";
import { hitFinder, matchTest, type PacketView, viewPacket } from "./match.ts";

type Hook = NonNullable<Chain["hook"]>["hook"];

/** What a chain came to: a verdict, or null when the packet goes on behind it. */
type ChainResult = "accept" | "drop" | "reject" | null;

const DEPTH = 16; // NFT_JUMP_STACK_SIZE

const chainsByName = onceEach((table: Table): ReadonlyMap<string, Chain> =>
  new Map(table.chains.map((chain) => [chain.name, chain]))
);

function findChain(table: Table, name: string): Chain | undefined {
  return chainsByName(table).get(name);
}

/** A rule made ready for packets: most are tried on thousands, and hold for few. */
interface ReadyRule {
  readonly rule: Rule;
  readonly tests: readonly ((seen: PacketView) => boolean)[];
  /** The element of the map that its action looks into. */
  readonly find: (seen: PacketView) => Element | undefined;
  /** The element that its last look-up in a set hits; null where it has none. */
  readonly member: { readonly set: string; readonly find: ReadyRule["find"] } | null;
}

const readyChains = onceEach((_: Table) => new Map<Chain, readonly ReadyRule[]>());

function readyRules(table: Table, chain: Chain): readonly ReadyRule[] {
  const known = readyChains(table);
  let rules = known.get(chain);
  if (rules === undefined) known.set(chain, rules = chain.rules.map((one) => ready(table, one)));
  return rules;
}

function ready(table: Table, rule: Rule): ReadyRule {
  const { action } = rule;
  const last = rule.matches.findLast((one) => one.kind === "in" && !one.not);
  return {
    rule,
    tests: rule.matches.map((match) => matchTest(table, match)),
    find: action.kind === "vmap" || action.kind === "dnat-map"
      ? hitFinder(table, action.map, action.fields)
      : () => undefined,
    member: last?.kind === "in"
      ? { set: last.set, find: hitFinder(table, last.set, last.fields) }
      : null,
  };
}

interface BaseChain {
  readonly table: Table;
  readonly chain: Chain;
}

const PASSING_TABLES: ReadonlySet<string> = new Set([MARKS_TABLE, ACCOUNTING_TABLE]);

/** The base chains of each hook in the kernel's order. */
const baseChains = onceEach((ruleset: Ruleset): ReadonlyMap<Hook, readonly BaseChain[]> =>
  Map.groupBy(
    ruleset.tables
      .flatMap((table) => table.chains.map((chain): BaseChain => ({ table, chain })))
      // Marks choose a route, counters count and logs report: none says whether a packet passes.
      .filter(({ table, chain }) =>
        chain.hook !== undefined && !PASSING_TABLES.has(table.name) && !onlyLogs(chain)
      )
      .sort((a, b) => a.chain.hook!.priority - b.chain.hook!.priority),
    ({ chain }) => chain.hook!.hook,
  )
);

function onlyLogs({ rules }: Chain): boolean {
  return rules.length > 0 && rules.every(({ action }) => action.kind === "log");
}

/** A chain that logs all it is given and drops it stands for the drop itself. */
function isLoggedDrop({ rules: [log, drop, ...others] }: Chain): boolean {
  return log?.action.kind === "log" && drop?.action.kind === "drop" && others.length === 0 &&
    log.matches.length === 0 && drop.matches.length === 0;
}

/** The link by which an address is reached after a translation; null when it is the router's own. */
export type EgressLookup = (address: string) => string | null;

/** One packet on its way: what it looks like now and what was decided so far. */
class TraceRun {
  readonly steps: TraceStep[] = [];
  seen: PacketView;
  readonly #ruleset: Ruleset;
  readonly #route: EgressLookup;

  constructor(ruleset: Ruleset, packet: Packet, route: EgressLookup) {
    this.#ruleset = ruleset;
    this.#route = route;
    this.seen = viewPacket(packet);
  }

  /** Passes one hook: null when the packet may go on to the next one. */
  hook(hook: Hook): "drop" | "reject" | null {
    for (const { table, chain } of baseChains(this.#ruleset).get(hook) ?? []) {
      // Translations are decided on the first packet of a connection and remembered.
      if (chain.hook!.type === "nat" && this.seen.packet.state === "established") continue;
      let end = this.#chain(table, chain, 0);
      if (end === null) {
        end = chain.hook!.policy;
        if (chain.hook!.type === "filter") {
          const comment = end === "drop" ? DEFAULT_DROP.forward : "Allowed: no rule blocks it";
          this.steps.push({ table: table.name, chain: chain.name, comment, outcome: end });
        }
      }
      if (end !== "accept") return end;
    }
    return null;
  }

  #chain(table: Table, chain: Chain, depth: number): ChainResult {
    for (const one of readyRules(table, chain)) {
      if (!this.#holds(one)) continue;
      const end = this.#act(table, chain, one, depth);
      if (end === "return") return null;
      if (end !== null) return end;
    }
    return null;
  }

  #holds({ tests }: ReadyRule): boolean {
    for (const test of tests) if (!test(this.seen)) return false;
    return true;
  }

  #act(table: Table, chain: Chain, ready: ReadyRule, depth: number): ChainResult | "return" {
    const { rule } = ready;
    const { action } = rule;
    switch (action.kind) {
      case "vmap": {
        const element = ready.find(this.seen);
        const verdict = element?.value;
        if (!element || !verdict || !("kind" in verdict)) return null;
        return this.#verdict(table, chain, ready, depth, verdict, { set: action.map, element });
      }
      case "masquerade":
      case "dnat":
        this.#note(table, chain, rule, "translate");
        if (action.kind === "dnat") this.#translate(action);
        return "accept";
      case "dnat-map": {
        const element = ready.find(this.seen);
        const data = element?.value;
        if (!element || !data || "kind" in data || data[0] === undefined) return null;
        this.#note(table, chain, rule, "translate", { set: action.map, element });
        this.#translate({
          to: data[0],
          ...(data[1] === undefined ? {} : { port: Number(data[1]) }),
        });
        return "accept";
      }
      case "reject":
        this.#note(table, chain, rule, "reject");
        return "reject";
      case "clamp-mss":
      case "log":
      case "mark":
      case "spread":
      case "restore-mark":
      case "count":
        return null;
      default:
        return this.#verdict(table, chain, ready, depth, action);
    }
  }

  #verdict(
    table: Table,
    chain: Chain,
    ready: ReadyRule,
    depth: number,
    verdict: Verdict,
    found?: { readonly set: string; readonly element: Element },
  ): ChainResult | "return" {
    const { rule } = ready;
    switch (verdict.kind) {
      case "accept":
      case "drop":
        this.#note(table, chain, rule, verdict.kind, found ?? this.#member(ready));
        return verdict.kind;
      case "return":
      case "continue":
        if (found) this.#note(table, chain, rule, "continue", found);
        return verdict.kind === "return" ? "return" : null;
      case "jump":
      case "goto": {
        const next = findChain(table, verdict.chain);
        if (!next || depth >= DEPTH || isLoggedDrop(next)) {
          this.#note(table, chain, rule, "drop", found);
          return "drop";
        }
        const end = this.#chain(table, next, depth + 1);
        // A goto does not come back: at its end the chain that was left ends, too.
        return end === null && verdict.kind === "goto" ? "return" : end;
      }
    }
  }

  /** The element that the rule's last lookup hit, for rules that match a set and then decide. */
  #member(
    { member }: ReadyRule,
  ): { readonly set: string; readonly element: Element } | undefined {
    const element = member?.find(this.seen);
    return element && { set: member!.set, element };
  }

  #note(
    table: Table,
    chain: Chain,
    rule: Rule,
    outcome: TraceStep["outcome"],
    found?: { readonly set: string; readonly element: Element },
  ): void {
    this.steps.push({
      table: table.name,
      chain: chain.name,
      comment: rule.comment,
      outcome,
      ...(found ? { element: { set: found.set, key: found.element.key } } : {}),
    });
  }

  #translate(action: Pick<Extract<Action, { kind: "dnat" }>, "to" | "port">): void {
    const { broadcast: _, ...packet } = this.seen.packet;
    this.seen = {
      ...this.seen,
      destination: parseAddress(action.to),
      translated: true,
      keys: new Map(),
      packet: {
        ...packet,
        destination: action.to,
        oif: this.#route(action.to),
        ...(action.port === undefined || packet.protocol === "icmp" ? {} : { dport: action.port }),
      },
    };
  }
}

/**
 * What becomes of one packet in this ruleset: the hooks in the kernel's order, with every rule that
 * decided something. Never throws; an address that is none matches no rule.
 */
export function tracePacket(
  ruleset: Ruleset,
  packet: Packet,
  // A device or container is on its link; any other target of a translation is taken as the router.
  route: EgressLookup = (address) => linkOf(ruleset, address) ?? null,
): PacketTrace {
  const walk = new TraceRun(ruleset, packet, route);
  const pass = (...hooks: readonly Hook[]): "drop" | "reject" | null => {
    for (const hook of hooks) {
      const end = walk.hook(hook);
      if (end !== null) return end;
    }
    return null;
  };
  const local = packet.iif === null;
  const end = local ? pass("output", "postrouting") : pass("prerouting") ??
    (walk.seen.packet.oif === null ? pass("input") : pass("forward", "postrouting"));
  return { verdict: end ?? "accept", steps: walk.steps };
}
