import type { Action, Field, Match, Rule, Verdict } from "../ruleset.ts";
import { parseIpv4 } from "../../net/net.ts";
import { commentText, identifier, LITERAL } from "./grammar.ts";

/** Prefixes of log statements: short enough for NF_LOG_PREFIXLEN (128, with its zero). */
const LOG_PREFIX = /^[A-Za-z0-9 :,.()/-]{1,127}$/;
const PLAIN = new Set(["accept", "drop", "return", "continue"]);

/** A verdict in nft words. */
export function verdictText(verdict: Verdict): string {
  if (verdict.kind === "jump" || verdict.kind === "goto") {
    return `${verdict.kind} ${identifier(verdict.chain)}`;
  }
  if (!PLAIN.has(verdict.kind)) throw new RangeError(`Unknown verdict ${verdict.kind}`);
  return verdict.kind;
}

function fieldText(field: Field): string {
  if (!Object.hasOwn(LITERAL, field)) throw new RangeError(`Unknown field ${field}`);
  return field;
}

function joined(fields: readonly Field[]): string {
  return fields.map(fieldText).join(" . ");
}

/** One condition of a rule in nft words. */
function matchText(match: Match): string {
  if (match.kind === "in") {
    const name = identifier(match.set);
    if (match.map) return `${joined(match.fields)} vmap @${name}`;
    return `${joined(match.fields)} ${match.not ? "!= " : ""}@${name}`;
  }
  const values = match.values.map((value) => LITERAL[match.field](value));
  if (values.length === 0) throw new RangeError(`No values for ${match.field}`);
  const not = match.not ? "!= " : "";
  // States are bits of one mask: nft joins them with commas, not as a set.
  const list = values.length === 1 || match.field === "ct state"
    ? values.join(",")
    : `{ ${values.join(", ")} }`;
  return `${fieldText(match.field)} ${not}${list}`;
}

function dnatText(action: Extract<Action, { kind: "dnat" }>): string {
  if (parseIpv4(action.to) === null) throw new RangeError(`Cannot translate to ${action.to}`);
  if (action.port === undefined) return `dnat ip to ${action.to}`;
  if (!Number.isInteger(action.port) || action.port < 1 || action.port > 65535) {
    throw new RangeError(`Cannot translate to port ${action.port}`);
  }
  return `dnat ip to ${action.to}:${action.port}`;
}

function markText(mark: number): string {
  if (!Number.isInteger(mark) || mark < 0 || mark >= 2 ** 32) {
    throw new RangeError(`Cannot mark with ${mark}`);
  }
  return String(mark);
}

/** Gives each mark a range of numbers as long as its weight (nft(8), NUMGEN and HASH). */
function spreadText({ fields, shares }: Extract<Action, { readonly kind: "spread" }>): string {
  let next = 0;
  const list = shares.map(({ mark, weight }) => {
    if (!Number.isInteger(weight) || weight < 1) throw new RangeError("Cannot weigh a mark so");
    const first = next;
    next += weight;
    return `${weight === 1 ? first : `${first}-${next - 1}`} : ${markText(mark)}`;
  });
  if (next === 0) throw new RangeError("Cannot spread over no marks");
  const drawn = fields.length === 0 ? "numgen random" : `jhash ${joined(fields)}`;
  return `ct mark set ${drawn} mod ${next} map { ${list.join(", ")} }`;
}

/** What a rule does, in nft words. */
function actionText(action: Action): string {
  switch (action.kind) {
    case "vmap":
      return `${joined(action.fields)} vmap @${identifier(action.map)}`;
    case "reject":
      return "reject with icmpx type admin-prohibited";
    case "masquerade":
      return "masquerade";
    case "dnat":
      return dnatText(action);
    case "dnat-map":
      return `dnat ip to ${joined(action.fields)} map @${identifier(action.map)}`;
    case "mark":
      return `ct mark set ${markText(action.mark)}`;
    case "spread":
      return spreadText(action);
    case "restore-mark":
      return "meta mark set ct mark";
    case "count":
      return `update @${identifier(action.set)} { ${fieldText(action.field)} counter }`;
    case "clamp-mss":
      return "tcp option maxseg size set rt mtu";
    case "log":
      if (!LOG_PREFIX.test(action.prefix) || !Number.isInteger(action.group)) {
        throw new RangeError(`Cannot log as ${action.prefix}`);
      }
      return `log prefix "${action.prefix}" group ${action.group}`;
    default:
      return verdictText(action);
  }
}

/** A rule as it stands in a chain, without its line end. */
export function ruleText(rule: Rule): string {
  const matches = rule.matches.map(matchText);
  // The segment size can only be set where the handshake announces it.
  if (rule.action.kind === "clamp-mss") matches.push("tcp flags syn / syn,rst");
  return [...matches, "counter", actionText(rule.action), `comment ${commentText(rule.comment)}`]
    .join(" ");
}
