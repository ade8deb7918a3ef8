import type { Action } from "../../actions/action.ts";
import { portWords } from "../firewall/words.ts";
import type { ReachAnswer, ReachEnd, ReachRule, ReachSuggestion, ReachTestResult } from "./wire.ts";

/** A connection as the address of the page holds it. */
export interface Question {
  readonly from: string;
  readonly to: string;
  readonly protocol: string;
  readonly port: string;
}

function endWords(end: ReachEnd): string {
  return end.kind === "router" ? "this router" : end.name;
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** `TCP 443 on Home server`; a ping has no port. */
function act(question: Pick<Question, "protocol" | "port">, to: string, can: boolean): string {
  const verb = can ? "can" : "cannot";
  return question.protocol === "icmp"
    ? `${verb} ping ${to}`
    : `${verb} open ${portWords(question.protocol, question.port)} on ${to}`;
}

/** The answer without its yes or no: `Kids’ tablet cannot open TCP 445 on Home server`. */
export function answerWords(question: Question, answer: ReachAnswer): string {
  const can = answer.verdict === "accept";
  return `${capital(endWords(answer.from))} ${act(question, endWords(answer.to), can)}`;
}

/** What a test promises: `Kids’ tablet must not open TCP 22 on this router`. */
export function testWords(
  test: Pick<ReachTestResult, "From" | "To" | "Protocol" | "Port" | "Expect">,
  name: (end: string) => string,
): string {
  const verb = test.Expect === "accept" ? "must" : "must not";
  const what = test.Protocol === "icmp"
    ? `ping ${name(test.To)}`
    : `open ${portWords(test.Protocol, test.Port)} on ${name(test.To)}`;
  return `${name(test.From)} ${verb} ${what}`;
}

/** What a rule did with the connection. */
export function outcomeWords(rule: ReachRule): string {
  const words: Readonly<Record<ReachRule["outcome"], string>> = {
    accept: rule.decides ? "accepted" : "continues",
    drop: "dropped",
    reject: "refused",
    continue: "continues",
    translate: "redirected",
  };
  return words[rule.outcome];
}

/** Where a rule stands in the packet filter. */
export function nftWords(rule: ReachRule): string {
  const at = [rule.table, rule.chain].filter((part) => part !== "").join(" ");
  const element = rule.set === undefined ? "" : `, ${rule.set} { ${rule.key?.join(" . ") ?? ""} }`;
  return at === "" ? "no rule" : `${at}${element}`;
}

/** Side effects of a suggestion: `No other access changes`. */
export function costWords(flip: Pick<ReachSuggestion, "sideEffects" | "to">): string {
  const cost = flip.sideEffects === "nothing else"
    ? "No other access changes"
    : `Also ${flip.sideEffects}`;
  if (flip.to === undefined) return cost;
  const at = flip.to === "router" ? "this router’s own address" : flip.to;
  return `${cost}. It is then reachable at ${at}`;
}

/** The words of the preview of such a change. */
export function suggestionWords(
  flip: ReachSuggestion,
  wanted: "yes" | "no",
): Pick<Action, "title" | "sentence" | "details" | "done" | "danger"> {
  return {
    title: `Preview: ${wanted === "yes" ? "allow" : "block"} connection`,
    sentence: `${wanted === "yes" ? "allows" : "blocks"} this connection.`,
    details: [`${costWords(flip)}.`],
    done: `was applied. The connection is ${wanted === "yes" ? "allowed" : "blocked"}.`,
    ...(flip.method === "DELETE" ? { danger: true } : {}),
  };
}
