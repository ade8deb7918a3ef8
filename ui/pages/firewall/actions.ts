import type { Action } from "../../actions/action.ts";
import { proposedAction, type ProposedWrite } from "../../actions/proposed.ts";
import { isOff, type Kind } from "./kinds.ts";
import type { AnyRule, Finding } from "./wire.ts";

const address = (kind: Kind): string => `/firewall/${kind.path}`;
const NO_EFFECT = "stays in the list and is disabled.";

/** Adds a rule, or writes it over the one that it is known as. */
export function putRule(kind: Kind, rule: AnyRule, known: boolean, after: () => void): Action {
  const text = kind.text(rule);
  const does = isOff(rule) ? NO_EFFECT : `${text.does}.`;
  return {
    title: `Preview: ${known ? "change" : "new"} ${kind.one}`,
    subject: text.name,
    sentence: does,
    button: known ? "Apply this change" : `Add ${kind.one}`,
    done: known ? "is changed." : "is added.",
    request: () => ({ method: "PUT", path: address(kind), body: rule }),
    after,
  };
}

/** Enables or disables a rule; it stays in the list. */
export function switchRule(kind: Kind, rule: AnyRule, on: boolean, after: () => void): Action {
  const text = kind.text(rule);
  return {
    title: `Preview: ${kind.one} ${on ? "on" : "off"}`,
    subject: text.name,
    sentence: on ? `${text.does}.` : NO_EFFECT,
    button: on ? "Enable" : "Disable",
    done: on ? "is on." : "is off.",
    request: () => ({ method: "PUT", path: address(kind), body: { ...rule, Disabled: !on } }),
    after,
  };
}

/** Deletes a rule. */
export function deleteRule(kind: Kind, rule: AnyRule, after: () => void): Action {
  const text = kind.text(rule);
  return {
    title: `Preview: delete ${kind.one}`,
    subject: text.name,
    sentence: "is deleted.",
    details: [isOff(rule) ? "It was disabled." : `Until now it ${text.does}.`],
    button: "Delete rule",
    danger: true,
    done: "is deleted.",
    request: () => ({ method: "DELETE", path: address(kind), body: rule }),
    after,
  };
}

/** Lets the router answer pings from one side, or not. */
export function switchPing(
  now: { readonly PingLan: boolean; readonly PingWan: boolean },
  side: "PingLan" | "PingWan",
  after: () => void,
): Action {
  const on = !now[side];
  const whose = side === "PingLan" ? "on LAN" : "on WAN";
  return {
    title: `Preview: pings ${whose} ${on ? "on" : "off"}`,
    subject: "This router",
    sentence: on ? `answers pings ${whose}.` : `no longer answers pings ${whose}.`,
    button: on ? "Answer pings" : "Ignore pings",
    done: on ? `answers pings ${whose}.` : `ignores pings ${whose}.`,
    request: () => ({
      method: "PUT",
      path: "/firewall/icmp",
      body: { PingLan: now.PingLan, PingWan: now.PingWan, [side]: on },
    }),
    after,
  };
}

/** Applies the fix of a possible problem. */
export function fixRule(finding: Finding, fix: ProposedWrite, after: () => void): Action {
  return proposedAction(fix, {
    title: "Preview: fix",
    sentence: `fixes: ${finding.text}.`,
    done: "was applied.",
    danger: fix.method === "DELETE",
  }, after);
}
