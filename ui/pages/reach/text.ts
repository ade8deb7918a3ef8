import type { Action } from "../../actions/action.ts";
import { portText } from "../firewall/text.ts";
import type { ReachAnswer, ReachEnd, ReachRule, ReachSuggestion, ReachTestResult } from "./wire.ts";

/** A connection as the address of the page holds it. */
export interface Question {
  readonly from: string;
  readonly to: string;
  readonly protocol: string;
  readonly port: string;
}

function endText(end: ReachEnd): string {
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
    : `${verb} open ${portText(question.protocol, question.port)} on ${to}`;
}

/** The answer without its yes or no: `Kids’ tablet cannot open TCP 445 on Home server`. */
export function answerText(question: Question, answer: ReachAnswer): string {
  const can = answer.verdict === "accept";
  return `${capital(endText(answer.from))} ${act(question, endText(answer.to), can)}`;
}

/** What a test promises: `Kids’ tablet must not open TCP 22 on this router`. */
export function testText(
  test: Pick<ReachTestResult, "From" | "To" | "Protocol" | "Port" | "Expect">,
  name: (end: string) => string,
): string {
  const verb = test.Expect === "accept" ? "must" : "must not";
  const what = test.Protocol === "icmp"
    ? `ping ${name(test.To)}`
    : `open ${portText(test.Protocol, test.Port)} on ${name(test.To)}`;
  return `${name(test.From)} ${verb} ${what}`;
}

/** What a rule did with the connection. */
export function outcomeText(rule: ReachRule): string {
  const text: Readonly<Record<ReachRule["outcome"], string>> = {
    accept: rule.decides ? "accepted" : "continues",
    drop: "dropped",
    reject: "refused",
    continue: "continues",
    translate: "redirected",
  };
  return text[rule.outcome];
}

/** Where a rule stands in the packet filter. */
export function nftText(rule: ReachRule): string {
  const at = [rule.table, rule.chain].filter((part) => part !== "").join(" ");
  const element = rule.set === undefined ? "" : `, ${rule.set} { ${rule.key?.join(" . ") ?? ""} }`;
  return at === "" ? "no rule" : `${at}${element}`;
}

/** Side effects of a suggestion: `No other access changes`. */
export function costText(flip: Pick<ReachSuggestion, "sideEffects" | "to">): string {
  const cost = flip.sideEffects === "nothing else"
    ? "No other access changes"
    : `Also ${flip.sideEffects}`;
  if (flip.to === undefined) return cost;
  const at = flip.to === "router" ? "this router’s own address" : flip.to;
  return `${cost}. It is then reachable at ${at}`;
}

/** The words of the preview of such a change. */
export function suggestionText(
  flip: ReachSuggestion,
  wanted: "yes" | "no",
): Pick<Action, "title" | "sentence" | "details" | "done" | "danger"> {
  return {
    title: `Preview: ${wanted === "yes" ? "allow" : "block"} connection`,
    sentence: `${wanted === "yes" ? "allows" : "blocks"} this connection.`,
    details: [`${costText(flip)}.`],
    done: `was applied. The connection is ${wanted === "yes" ? "allowed" : "blocked"}.`,
    ...(flip.method === "DELETE" ? { danger: true } : {}),
  };
}
