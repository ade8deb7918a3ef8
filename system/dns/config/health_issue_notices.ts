import type { NoticeBoard } from "../../core/events/notice.ts";
import type { HealthIssueReport } from "./health_issue_schema.ts";

const KIND = "dns-health";

/** Opens a notice for each health issue that dnsd reports, and closes it when the issue is over. */
export function createHealthIssueNotices(
  notices: NoticeBoard,
): (report: HealthIssueReport) => Promise<void> {
  let reported: ReadonlyMap<string, string> | null = null;
  return async ({ items }) => {
    const now = new Map(items.map(({ subject, detail }) => [subject, detail]));
    const before = reported;
    // Notices of an earlier run are over unless their issues are reported again.
    if (before === null) await notices.settle(KIND);
    for (const subject of before?.keys() ?? []) {
      if (!now.has(subject)) await notices.settle(KIND, subject);
    }
    for (const [subject, detail] of now) {
      if (before?.get(subject) !== detail) await notices.open(KIND, detail, { subject });
    }
    // Only now: a notice that could not be opened is tried again with the next report.
    reported = now;
  };
}
