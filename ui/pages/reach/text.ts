import type { Action } from "../../actions/action.ts";
import { portText } from "../firewall/text.ts";
import type { ReachAnswer, ReachEnd, ReachRule, ReachSuggestion, ReachTestResult } from "./wire.ts";
import { t } from "../../text/language.ts";

/** A connection as the address of the page holds it. */
export interface Question {
  readonly from: string;
  readonly to: string;
  readonly protocol: string;
  readonly port: string;
}

function endText(end: ReachEnd): string {
  return end.kind === "router" ? t("this router") : end.name;
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** The answer without its yes or no: `Kids’ tablet cannot open TCP 445 on Home server`. */
export function answerText(question: Question, answer: ReachAnswer): string {
  const can = answer.verdict === "accept";
  const from = capital(endText(answer.from)), to = endText(answer.to);
  if (question.protocol === "icmp") {
    return can
      ? t("{from} can ping {to}", { from, to })
      : t("{from} cannot ping {to}", { from, to });
  }
  const port = portText(question.protocol, question.port);
  return can
    ? t("{from} can open {port} on {to}", { from, port, to })
    : t("{from} cannot open {port} on {to}", { from, port, to });
}

/** What a test promises: `Kids’ tablet must not open TCP 22 on this router`. */
export function testText(
  test: Pick<ReachTestResult, "From" | "To" | "Protocol" | "Port" | "Expect">,
  name: (end: string) => string,
): string {
  const must = test.Expect === "accept";
  const from = name(test.From), to = name(test.To);
  if (test.Protocol === "icmp") {
    return must
      ? t("{from} must ping {to}", { from, to })
      : t("{from} must not ping {to}", { from, to });
  }
  const port = portText(test.Protocol, test.Port);
  return must
    ? t("{from} must open {port} on {to}", { from, port, to })
    : t("{from} must not open {port} on {to}", { from, port, to });
}

/** What a rule did with the connection. */
export function outcomeText(rule: ReachRule): string {
  const text: Readonly<Record<ReachRule["outcome"], string>> = {
    accept: rule.decides ? t("accepted") : t("continues"),
    drop: t("dropped"),
    reject: t("refused"),
    continue: t("continues"),
    translate: t("redirected"),
  };
  return text[rule.outcome];
}

/** Where a rule stands in the packet filter. */
export function nftText(rule: ReachRule): string {
  const at = [rule.table, rule.chain].filter((part) => part !== "").join(" ");
  const element = rule.set === undefined ? "" : `, ${rule.set} { ${rule.key?.join(" . ") ?? ""} }`;
  return at === "" ? t("no rule") : `${at}${element}`;
}

/** Side effects of a suggestion: `No other access changes`. */
export function costText(flip: Pick<ReachSuggestion, "sideEffects" | "to">): string {
  const cost = flip.sideEffects === "nothing else"
    ? t("No other access changes")
    : t("Also {sideEffects}", { sideEffects: flip.sideEffects });
  if (flip.to === undefined) return cost;
  const at = flip.to === "router" ? t("this router’s own address") : flip.to;
  return t("{cost}. It is then reachable at {at}", { cost, at });
}

/** The words of the preview of such a change. */
export function suggestionText(
  flip: ReachSuggestion,
  wanted: "yes" | "no",
): Pick<Action, "title" | "sentence" | "details" | "done" | "danger"> {
  return {
    title: wanted === "yes" ? t("Preview: allow connection") : t("Preview: block connection"),
    sentence: wanted === "yes" ? t("allows this connection.") : t("blocks this connection."),
    details: [`${costText(flip)}.`],
    done: wanted === "yes"
      ? t("was applied. The connection is allowed.")
      : t("was applied. The connection is blocked."),
    ...(flip.method === "DELETE" ? { danger: true } : {}),
  };
}
