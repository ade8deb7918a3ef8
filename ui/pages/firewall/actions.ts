import type { Action } from "../../actions/action.ts";
import { proposedAction, type ProposedWrite } from "../../actions/proposed.ts";
import type { Request } from "../../api/client.ts";
import { isOff, type Kind } from "./kinds.ts";
import { type Line, membersOf } from "./lines.ts";
import type { AnyRule, Finding } from "./wire.ts";
import { t } from "../../text/language.ts";

const NO_EFFECT = t("stays in the list and is disabled.");

/** Writes rules and deletes others; several are one change. */
function requestOf(
  kind: Kind,
  { put = [], gone = [] }: {
    readonly put?: readonly AnyRule[];
    readonly gone?: readonly AnyRule[];
  },
): Request {
  const [rule] = put;
  if (put.length === 1 && gone.length === 0) {
    return { method: "PUT", path: `/firewall/${kind.path}`, body: rule };
  }
  if (put.length === 0 && gone.length === 1) {
    return { method: "DELETE", path: `/firewall/${kind.path}`, body: gone[0] };
  }
  const body = {
    ...(gone.length === 0 ? {} : { Delete: { [kind.list]: gone } }),
    ...(put.length === 0 ? {} : { Put: { [kind.list]: put } }),
  };
  return { method: "PUT", path: "/firewall/rules", body };
}

/** Adds a rule, or writes it over the one that it is known as. */
export function putRule(
  kind: Kind,
  rule: AnyRule,
  known: Line | null,
  after: () => void,
): Action {
  const text = kind.text(rule);
  const does = isOff(rule) ? NO_EFFECT : `${text.does}.`;
  const put = membersOf(kind, rule);
  const keys = new Set(put.map(kind.key));
  const gone = known?.members.filter((member) => !keys.has(kind.key(member))) ?? [];
  return {
    title: known ? t("Preview: change rule") : kind.preview,
    subject: text.name,
    sentence: does,
    button: known ? t("Apply this change") : kind.adds,
    done: known ? t("is changed.") : t("is added."),
    request: () => requestOf(kind, { put, gone }),
    after,
  };
}

/** Enables or disables a rule; it stays in the list. */
export function switchRule({ kind, rule, members }: Line, on: boolean, after: () => void): Action {
  const text = kind.text(rule);
  const put = members.map((member) => ({ ...member, Disabled: !on }));
  return {
    title: on ? t("Preview: turn the rule on") : t("Preview: turn the rule off"),
    subject: text.name,
    sentence: on ? `${text.does}.` : NO_EFFECT,
    button: on ? t("Enable") : t("Disable"),
    done: on ? t("is on.") : t("is off."),
    request: () => requestOf(kind, { put }),
    after,
  };
}

/** Deletes a rule. */
export function deleteRule({ kind, rule, members }: Line, after: () => void): Action {
  const text = kind.text(rule);
  return {
    title: t("Preview: delete rule"),
    subject: text.name,
    sentence: t("is deleted."),
    details: [isOff(rule) ? t("It was disabled.") : t("Until now it {does}.", { does: text.does })],
    button: t("Delete rule"),
    danger: true,
    done: t("is deleted."),
    request: () => requestOf(kind, { gone: members }),
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
  const lan = side === "PingLan";
  const answers = lan ? t("answers pings from the LAN.") : t("answers pings from the WAN.");
  const ignores = lan ? t("ignores pings from the LAN.") : t("ignores pings from the WAN.");
  return {
    title: on ? t("Preview: answer pings") : t("Preview: ignore pings"),
    subject: t("This router"),
    sentence: on ? answers : ignores,
    button: on ? t("Answer pings") : t("Ignore pings"),
    done: on ? answers : ignores,
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
    title: t("Preview: fix"),
    sentence: t("fixes: {finding}.", { finding: finding.text }),
    done: t("was applied."),
    danger: fix.method === "DELETE",
  }, after);
}
