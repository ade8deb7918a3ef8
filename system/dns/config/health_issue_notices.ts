import type { NoticeBoard } from "../../core/events/notice.ts";
import type { HindranceReport } from "./health_issue_schema.ts";

const KIND = "dns-hindered";

/** Makes the function that tells people what keeps names from being answered, and when that is over. */
export function createHindranceNotices(
  notices: NoticeBoard,
): (report: HindranceReport) => Promise<void> {
  let open: ReadonlyMap<string, string> | null = null;
  return async ({ items }) => {
    const now = new Map(items.map(({ subject, detail }) => [subject, detail]));
    const before = open;
    // What an earlier run opened is over unless it is told again.
    if (before === null) await notices.settle(KIND);
    for (const subject of before?.keys() ?? []) {
      if (!now.has(subject)) await notices.settle(KIND, subject);
    }
    for (const [subject, detail] of now) {
      if (before?.get(subject) !== detail) await notices.open(KIND, detail, { subject });
    }
    // Not before: what could not be told is told again.
    open = now;
  };
}
