import type { Notices } from "../notices/board.ts";
import type { AlertMessage } from "./alert_watch.ts";

/** Kind of the notices of alert rules. */
const ALERT = "alert";

/** Lists alerts among the notices: one of each rule, which counts how often it fired. */
export function listAlert(
  notices: Pick<Notices, "count">,
): (message: AlertMessage, times: number) => Promise<void> {
  return ({ ruleId, name, topic, type, title, body, event }, times) =>
    notices.count(ALERT, body === "" ? title : `${title}: ${body}`, {
      times,
      data: { subject: ruleId, name, topic, type, title, body, event: short(event) },
    });
}

/** Characters of an event that a notice holds. */
const MAX_EVENT = 8192;

function short(event: unknown): unknown {
  return (JSON.stringify(event) ?? "").length > MAX_EVENT ? null : event;
}
